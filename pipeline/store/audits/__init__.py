"""Audits: their plans, jobs and findings, and what they check of the whole record."""
