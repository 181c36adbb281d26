"""Audits: plans, jobs and findings, and the checks of the record as a whole."""
