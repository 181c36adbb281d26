"""Positions, proofs and games in play as text, pictures and data."""
