"""Audits, which check every verdict with the referee, and the record of a run against its invariants."""
