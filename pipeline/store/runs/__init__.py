"""Runs and their jobs: plans, progress, leases, workers, engine versions, and what users decide about a run."""
