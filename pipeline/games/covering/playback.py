"""Wins of covering games as data: which cards leave, how the stock is turned, and which cards are turned up."""

from collections.abc import Iterator

from dealmill.pipeline.games.covering.referee import Play, Referee
from dealmill.pipeline.games.covering.rules import Position, Rules, lies_face_down
from dealmill.playback import GONE, Move, Pile, Playback, Step, carried, turned
from dealmill.verdicts import Verdict

STOCK, WASTE, HOLE = "stock", "waste", "hole"


def playback(referee: Referee, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Playback:
    """Return the table and the moves of a win: each place of the arrangement is a pile, such as ``row 3, 2``.

    Raises
    ------
    InvalidEvidence
        If a move cannot be read or breaks a rule.
    """
    rules, position = referee.rules, referee.position(layout)
    piles, steps = _piles(rules, position), list[Step]()
    if verdict is Verdict.WINNABLE and evidence is not None:
        for play, before in referee.replayed(position, evidence):
            moves = _moves_into_hole if rules.moves == "hole" else _moves_of_pairs
            turns = [turned(name, name) for name in _turned_up(rules, before, play.after)]
            steps.append(Step(word=play.word, moves=[*moves(rules, play, before), *turns]))
    return Playback(table=piles, steps=steps)


def _names(rules: Rules) -> list[str]:
    """Return the pile of each place: of its own in a row, that of its column in a column."""
    rows = [f"row {row}, {number}" for row, size in enumerate(rules.row_sizes, 1) for number in range(1, size + 1)]
    return [*rows, *(f"column {column}" for column in range(1, rules.columns + 1) for _ in range(rules.column_size))]


def _piles(rules: Rules, position: Position) -> dict[str, Pile]:
    cards = dict[str, list[str]]()
    for name, card in zip(_names(rules), position.places, strict=True):
        cards.setdefault(name, []).extend([card] if card else [])
    down = _face_down(rules, position)
    piles = {name: Pile(pieces=pieces, up=0 if name in down else len(pieces)) for name, pieces in cards.items()}
    if rules.moves == "hole":
        piles[HOLE] = Pile.face_up(position.hole)
    else:
        piles[GONE] = Pile.face_up()
    if rules.stock:
        piles[STOCK] = Pile(pieces=list(position.stock[position.turned :][::-1]), up=0)
        if rules.moves == "pairs":
            piles[WASTE] = Pile.face_up(*position.stock[: position.turned])
    return piles


def _face_down(rules: Rules, position: Position) -> list[str]:
    return [name for number, name in enumerate(_names(rules)) if lies_face_down(rules, position.places, number)]


def _turned_up(rules: Rules, before: Position, after: Position) -> list[str]:
    left = _face_down(rules, after)
    return [name for name in _face_down(rules, before) if name not in left]


def _moves_into_hole(rules: Rules, play: Play, before: Position) -> Iterator[Move]:
    [card] = play.cards
    if card in before.stock:
        yield turned(STOCK, HOLE)
    else:
        yield carried(_names(rules)[before.places.index(card)], HOLE)


def _moves_of_pairs(rules: Rules, play: Play, before: Position) -> Iterator[Move]:
    """Yield how the stock is turned until the cards are free, and how they leave. The cards of the arrangement leave
    first from the last one, which may cover the other."""
    drawn = [before.stock.index(card) for card in play.cards if card in before.stock]
    if drawn:
        first, count = before.turned, len(before.stock)
        if drawn[0] < first - 1:
            yield from [turned(STOCK, WASTE)] * (count - first)
            yield turned(WASTE, STOCK, count)
            first = 0
        yield from [turned(STOCK, WASTE)] * (drawn[-1] + 1 - first)
        yield from [carried(WASTE, GONE)] * len(drawn)
    names = _names(rules)
    for card in play.cards[::-1]:
        if card in before.places:
            yield carried(names[before.places.index(card)], GONE)
