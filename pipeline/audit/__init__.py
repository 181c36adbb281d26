"""Audits: every verdict before the referee, and the record against its invariants."""
