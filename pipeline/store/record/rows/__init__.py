"""Verdicts as rows, one for each item."""
