"""Runs and engine versions: what was planned, and how far it is."""
