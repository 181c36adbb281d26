"""Memory as text and as pictures: the cards in rows of ten, one board per move."""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.game import BACKED, CHOSEN, GHOST, LIGHT, NOTE, Scene, box, card, scene, text
from dealmill.pipeline.games.memory.rules import Cards, Table, read_flips
from dealmill.verdicts import Verdict

ROW = 10
FACE_DOWN = " ▒ "
GONE = " · "

WIDTH, HEIGHT, GAP = 40, 46, 8
MARGIN = 34
"""The room for numbers above and to the left of the cards."""


@dataclass(frozen=True, slots=True)
class Move:
    """A move: the cards on the table before it, those seen by then, those it turns up, and its caption."""

    table: Cards
    known: Cards
    shown: Cards
    caption: str


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the layout with all cards face up, then the table after the second flip of each move.

    Raises
    ------
    InvalidEvidence
        If the flips in `evidence` cannot be read or break the rules.
    """
    for move in _moves(layout, verdict, evidence):
        yield f"{_board(len(layout), move.table, move.shown)}\n\n{move.caption}"


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the layout with all cards face up, then the table with the two cards that each move turns up.

    A card that was seen before shows its letter small on its back.

    Raises
    ------
    InvalidEvidence
        If the flips in `evidence` cannot be read or break the rules.
    """
    columns, rows = min(ROW, len(layout)), -(-len(layout) // ROW)
    width, height = MARGIN + columns * (WIDTH + GAP) + GAP, MARGIN + rows * (HEIGHT + GAP) + GAP
    for move in _moves(layout, verdict, evidence):
        yield scene(width, height, _drawing(len(layout), move), move.caption, _described(move))


def _moves(layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[Move]:
    """Yield a first look at all cards, then the moves of the trace."""
    table = Table(layout)
    yield Move(table.cards.copy(), {}, table.cards.copy(), f"{len(layout)} cards, all face up.")
    if verdict is not Verdict.SCORED or evidence is None:
        return
    known: Cards = {}
    flips = read_flips(evidence, len(layout))
    for number, (first, second) in enumerate(zip(flips[::2], flips[1::2], strict=False), start=1):
        before = table.cards.copy()
        shown = {first: table.flip(first), second: table.flip(second)}
        if shown[first] == shown[second]:
            outcome = f"a pair, {len(table.cards)} cards are left" if table.cards else "the last pair"
        else:
            outcome = "no pair"
        caption = f"Move {number}: card {first} is {shown[first]}, card {second} is {shown[second]}: {outcome}."
        yield Move(before, known.copy(), shown, caption)
        known |= shown


def _board(count: int, on_table: Cards, shown: Cards) -> str:
    """Return rows of `count` cards: those shown, those face down on the table, and the positions of those removed."""
    rows = ["     " + " ".join(f"{column:^3}" for column in range(1, ROW + 1))]
    for start in range(0, count, ROW):
        positions = range(start + 1, min(start + ROW, count) + 1)
        cells = (
            f"[{shown[position]}]" if position in shown else FACE_DOWN if position in on_table else GONE
            for position in positions
        )
        rows.append(f"{start:3}  " + " ".join(cells))
    return "\n".join(row.rstrip() for row in rows)


def _drawing(count: int, move: Move) -> Iterator[str]:
    for column in range(1, min(ROW, count) + 1):
        yield text(MARGIN + (column - 1) * (WIDTH + GAP) + WIDTH / 2, MARGIN / 2 + 2, str(column), 16, NOTE)
    for row in range(0, count, ROW):
        yield text(MARGIN / 2, MARGIN + row // ROW * (HEIGHT + GAP) + HEIGHT / 2, str(row), 16, NOTE)
    for position in range(1, count + 1):
        row, column = divmod(position - 1, ROW)
        yield from _card(MARGIN + column * (WIDTH + GAP), MARGIN + row * (HEIGHT + GAP), position, move)


def _card(x: float, y: float, position: int, move: Move) -> Iterator[str]:
    if position in move.shown:
        yield card(x, y, WIDTH, HEIGHT, move.shown[position])
        if len(move.shown) == 2:
            yield box(x, y, WIDTH, HEIGHT, CHOSEN)
    elif position in move.table:
        yield box(x, y, WIDTH, HEIGHT, BACKED)
        if position in move.known:
            yield text(x + WIDTH / 2, y + HEIGHT / 2, move.known[position], 20, LIGHT)
    else:
        yield box(x, y, WIDTH, HEIGHT, GHOST)


def _described(move: Move) -> str:
    """Return the cards in words: those turned up, and those known."""
    turned = _listed(move.shown)
    if len(move.shown) == len(move.table) and not move.known:
        return f"All cards face up: {turned}."
    known = {
        position: letter
        for position, letter in move.known.items()
        if position in move.table and position not in move.shown
    }
    unknown = len(move.table) - len(known) - len(move.shown)
    return f"Turned up: {turned}. Face down and known: {_listed(known) or 'none'}. Face down and unknown: {unknown}."


def _listed(cards: Cards) -> str:
    return ", ".join(f"{position} {letter}" for position, letter in sorted(cards.items()))
