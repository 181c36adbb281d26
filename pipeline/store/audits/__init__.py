"""Audits: their plans, what they find, what must hold of the record, and seals."""
