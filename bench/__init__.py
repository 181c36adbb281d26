"""What is fast and what it costs, always both sides in one run: ``python -m bench`` writes docs/performance.md."""
