"""Runs and engine versions: plans and progress."""
