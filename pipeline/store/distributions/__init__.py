"""Distributions of values and node counts."""
