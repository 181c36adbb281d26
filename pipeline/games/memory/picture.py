"""Memory as text: the cards in rows of ten, one board per move."""

from collections.abc import Iterator

from dealmill.pipeline.games.memory.rules import Cards, Table, read_flips
from dealmill.pipeline.games.scene import Scene, plain
from dealmill.pipeline.games.verdict import Verdict

ROW = 10
FACE_DOWN = " ▒ "
GONE = " · "


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the layout with all cards face up, then the table after the second flip of each move.

    Raises
    ------
    InvalidEvidence
        If the flips in `evidence` cannot be read or break the rules.
    """
    yield f"{_board(len(layout), {}, Table(layout).cards)}\n\n{len(layout)} cards, all face up."
    if verdict is not Verdict.SCORED or evidence is None:
        return
    table = Table(layout)
    flips = read_flips(evidence, len(layout))
    for move, (one, other) in enumerate(zip(flips[::2], flips[1::2], strict=False), start=1):
        before = dict(table.cards)
        shown = {one: table.flip(one), other: table.flip(other)}
        if shown[one] == shown[other]:
            outcome = f"a pair, {len(table.cards)} cards are left" if table.cards else "the last pair"
        else:
            outcome = "no pair"
        caption = f"Move {move}: card {one} is {shown[one]}, card {other} is {shown[other]}: {outcome}."
        yield f"{_board(len(layout), before, shown)}\n\n{caption}"


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the pictures of the layout and of each step.

    Raises
    ------
    InvalidEvidence
        If the evidence cannot be read or proves nothing.
    """
    return plain(frames(layout, verdict, evidence))


def _board(count: int, on_table: Cards, shown: Cards) -> str:
    """Return rows of `count` cards: those shown, those face down on the table, and the positions of those removed."""
    rows = ["     " + " ".join(f"{column:^3}" for column in range(1, ROW + 1))]
    for start in range(0, count, ROW):
        places = range(start + 1, min(start + ROW, count) + 1)
        cells = (
            f"[{shown[place]}]" if place in shown else FACE_DOWN if place in on_table else GONE for place in places
        )
        rows.append(f"{start:3}  " + " ".join(cells))
    return "\n".join(row.rstrip() for row in rows)
