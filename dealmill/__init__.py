"""Dealmill."""
