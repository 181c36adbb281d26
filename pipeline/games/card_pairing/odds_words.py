"""The odds of a deal in words, and the play that always makes the move with the best chance, which shows the critical
choices."""

from collections.abc import Iterator

from dealmill.pipeline.games.card_pairing.certificates import deal_of
from dealmill.pipeline.games.card_pairing.random_play import Odds, Plays, Position, read_odds
from dealmill.pipeline.games.card_pairing.rules import STACK_NAMES, check, stack_name, start
from dealmill.verdicts import Verdict

MAX_POSITIONS = 100_000
"""The best play of a deal with more positions is not shown: to find it takes seconds."""


def checked_odds(layout: str, evidence: str) -> Odds:
    """Return the odds that evidence states.

    Raises
    ------
    InvalidEvidence
        If they are not those of the layout.
    """
    odds = read_odds(evidence)
    check("odds", layout, Verdict.SCORED, odds.value, evidence)
    return odds


def in_words(odds: Odds) -> list[str]:
    """Return the odds as sentences."""
    positions = f"Positions that can be reached: {odds.positions:,}"
    if not odds.won:
        return [f"Lost: no play wins. {positions}."]
    return [
        f"Random play wins with a chance of {_percent(odds.won / odds.plays)}.",
        f"Sequences of moves that win: {odds.orders:,}.",
        f"{positions}, critical choices among them: {odds.critical:,}.",
    ]


def best_play(layout: str, odds: Odds) -> Iterator[tuple[str, str]]:
    """Yield each move of the best play, with a sentence about the chances before and after it; nothing if the deal is
    lost, or has too many positions."""
    if not odds.won or odds.positions > MAX_POSITIONS:
        return
    deal, plays = deal_of(start(layout)), Plays(start(layout))
    chances = _chances(plays)
    position = plays.start
    while position:
        best, *others = sorted(plays.after(position), key=lambda after: (-chances[after], after))
        cards = position ^ best
        pair = cards.bit_length() - 1, (cards & -cards).bit_length() - 1
        stacks = sorted(number for number, stack in enumerate(deal.stacks) for card in pair if card in stack)
        names = [stack_name(number, len(deal.stacks)) for number in stacks]
        move = ("" if len(deal.stacks) <= len(STACK_NAMES) else ",").join(names)
        yield move, _compared(chances[position], chances[best], [chances[after] for after in others])
        position = best


def _chances(plays: Plays) -> dict[Position, float]:
    """Return for each position that can be reached the chance that random play wins from there."""
    layers = [{plays.start}]
    while reached := {after for position in layers[-1] for after in plays.after(position)}:
        layers.append(reached)
    chances = {0: 1.0}
    for layer in reversed(layers):
        for position in layer - {0}:
            moves = plays.after(position)
            chances[position] = sum(chances[after] for after in moves) / max(1, len(moves))
    return chances


def _compared(before: float, best: float, others: list[float]) -> str:
    if not others:
        return f"The only legal move; chance {_percent(before)}."
    count = f"{len(others)} other move{'s' if len(others) > 1 else ''}"
    least, greatest = _percent(min(others)), _percent(max(others))
    span = least if least == greatest else f"{least} to {greatest}"
    critical = "" if min(others) else ", a critical choice"
    return f"Chance {_percent(before)} → {_percent(best)}; {count}: {span}{critical}."


def _percent(chance: float) -> str:
    return f"{100 * chance:.3g} %"
