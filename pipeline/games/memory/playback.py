"""Plays of Memory as data: cards are turned up two by two, and leave if they are a pair."""

from dealmill.pipeline.games.memory.rules import Table, read_flips
from dealmill.playback import GONE, Move, Pile, Playback, Step, carried, turned
from dealmill.verdicts import Verdict


def playback(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Playback:
    """Return the cards, face down, and a step for each flip; the second flip of a move clears or hides both cards.

    Raises
    ------
    InvalidEvidence
        If the flips cannot be read or break the rules.
    """
    table, steps = Table(layout), list[Step]()
    piles = {_name(card): Pile(pieces=[letter], up=0) for card, letter in table.cards.items()}
    flips = read_flips(evidence, len(layout)) if verdict is Verdict.SCORED and evidence is not None else []
    for number, card in enumerate(flips):
        table.flip(card)
        both = [] if number % 2 == 0 else [flips[number - 1], card]
        moves = [turned(_name(card), _name(card)), *(_ended(each, card in table.cards) for each in both)]
        steps.append(Step(word=str(card), moves=moves))
    return Playback(table=piles | {GONE: Pile.face_up()}, steps=steps)


def _ended(card: int, stays: bool) -> Move:
    return turned(_name(card), _name(card)) if stays else carried(_name(card), GONE)


def _name(card: int) -> str:
    return f"card {card}"
