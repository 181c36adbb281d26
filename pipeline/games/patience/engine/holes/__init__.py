"""The searches of games with a hole, such as Golf and Black Hole; see docs/proofs/holes.md."""
