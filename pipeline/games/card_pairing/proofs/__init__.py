"""Proofs that a layout of card pairing cannot be won, in words and as pictures."""
