"""Wins of Camelot as data: cards are dealt to slots, and leave from there."""

from dealmill.pipeline.games.camelot.rules import SLOTS, Table, phases
from dealmill.playback import GONE, Pile, Playback, Step, carried, turned
from dealmill.verdicts import Verdict

DECK = "deck"


def playback(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Playback:
    """Return the deck, whose top card is dealt next, and the phases of dealing and removals of a win.

    Raises
    ------
    InvalidEvidence
        If the trace cannot be read or breaks the rules.
    """
    piles = {DECK: Pile(pieces=list(reversed(layout)), up=0), **dict.fromkeys(map(_name, SLOTS), Pile.face_up())}
    table, steps = Table(list(layout)), list[Step]()
    trace = evidence if verdict is Verdict.WINNABLE else None
    for first, slots, removals in phases(trace) if trace is not None else ():
        table.deal(slots, first)
        steps.append(Step(word=slots, moves=[turned(DECK, _name(slot)) for slot in slots]))
        for number, removed in enumerate(removals, start=first + 1):
            table.remove(removed, number)
            steps.append(Step(word=f"-{removed}", moves=[carried(_name(slot), GONE) for slot in removed]))
    return Playback(table=piles | {GONE: Pile.face_up()}, steps=steps)


def _name(slot: str) -> str:
    return f"slot {slot}"
