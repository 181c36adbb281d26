"""Wins of card pairing, and the best play of its odds, as data: two cards leave from two stacks."""

from collections.abc import Iterator

from dealmill.pipeline.games.card_pairing.odds_words import best_play, checked_odds
from dealmill.pipeline.games.card_pairing.rules import play, stack_name, stacks_of, start
from dealmill.playback import GONE, Pile, Playback, Step, carried
from dealmill.verdicts import Verdict


def playback(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Playback:
    """Return the stacks and the moves of a win, or the best play by the odds.

    Raises
    ------
    InvalidEvidence
        If a move breaks the rules, or the odds are wrong.
    """
    stacks = start(layout)
    names = [f"stack {stack_name(number, len(stacks))}" for number in range(len(stacks))]
    piles = {name: Pile.face_up(*stack) for name, stack in zip(names, stacks, strict=True)}
    steps = []
    for number, word in enumerate(_words(layout, verdict, evidence), start=1):
        play(stacks, word, number)
        moves = [carried(names[stack], GONE) for stack in stacks_of(word, len(stacks))]
        steps.append(Step(word=word, moves=moves))
    return Playback(table=piles | {GONE: Pile.face_up()}, steps=steps)


def _words(layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[str]:
    if evidence is None:
        return
    if verdict is Verdict.WINNABLE:
        yield from evidence.split(" ")
    elif verdict is Verdict.SCORED:
        yield from (move for move, _ in best_play(layout, checked_odds(layout, evidence)))
