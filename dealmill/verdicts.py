"""Verdicts, and the errors that referees raise; the only module of Dealmill that a referee imports."""

from dealmill.pipeline.games.verdict import IllegalMove, InvalidEvidence, Unchecked, Verdict

__all__ = ["IllegalMove", "InvalidEvidence", "Unchecked", "Verdict"]
