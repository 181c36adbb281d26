"""Verdicts, the errors that referees raise, and their check of a count; the only module of Dealmill that a referee
imports."""

from dealmill.pipeline.games.verdict import IllegalMove, InvalidEvidence, Unchecked, Verdict, check_positions

__all__ = ["IllegalMove", "InvalidEvidence", "Unchecked", "Verdict", "check_positions"]
