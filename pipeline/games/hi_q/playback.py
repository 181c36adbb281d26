"""Plays of Hi-Q as data: a peg moves to another hole, and the one under it leaves."""

from dealmill.pipeline.games.hi_q.rules import FEWEST, HOLE_AT, OVER, Jump, play, read_fewest, read_trace, start
from dealmill.playback import GONE, Pile, Playback, Step, carried
from dealmill.verdicts import Verdict

PEG = "peg"


def playback(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Playback:
    """Return the holes with their pegs, and the jumps of a trace.

    Raises
    ------
    InvalidEvidence
        If the jumps cannot be read or played.
    """
    pegs = start(layout)
    piles = {_name(hole): Pile.face_up(*[PEG] * (hole in pegs)) for hole in sorted(HOLE_AT.values())}
    steps = []
    for number, jump in enumerate(_jumps(evidence) if verdict is Verdict.SCORED else [], start=1):
        play(pegs, jump, number)
        moves = [carried(_name(jump.source), _name(jump.target)), carried(_name(OVER[jump]), GONE)]
        steps.append(Step(word=str(jump), moves=moves))
    return Playback(table=piles | {GONE: Pile.face_up()}, steps=steps)


def _jumps(evidence: str | None) -> list[Jump]:
    if evidence is None:
        return []
    return read_fewest(evidence)[1] if FEWEST.fullmatch(evidence) else read_trace(evidence)


def _name(hole: int) -> str:
    return f"hole {hole}"
