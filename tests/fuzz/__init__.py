"""Hostile input: whatever comes in, a clear answer goes out. `python -m tests.soak` tries the same for minutes."""
