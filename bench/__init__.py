"""Benchmarks. Both sides of a comparison are measured in the same run. ``python -m bench`` writes
docs/performance.md."""
