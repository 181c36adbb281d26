"""Positions and solutions as texts, ours and those of other programs."""
