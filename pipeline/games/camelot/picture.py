"""Camelot as text: the 4 × 4 grid after each phase."""

from collections.abc import Iterator
from textwrap import fill

from dealmill.pipeline.games.camelot.rules import PLACES, SLOTS, Table, must_stay, phases, prove_loss
from dealmill.pipeline.games.scene import Scene, plain
from dealmill.pipeline.games.verdict import Verdict

WIDTH = 4


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the deck, then the board after each phase of a winning play, or the reason why no play wins.

    Raises
    ------
    InvalidEvidence
        If the trace cannot be read or breaks the rules, or the certificate proves nothing.
    """
    rows = [" ".join(layout[start : start + 13]) for start in range(0, len(layout), 13)]
    yield "\n".join(rows) + "\n\nThe deck, in the order of dealing."
    if evidence is None:
        return
    if verdict is Verdict.UNWINNABLE:
        yield _explained(layout, prove_loss(layout, evidence))
    elif verdict is Verdict.WINNABLE:
        yield from _played(layout, evidence)


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the pictures of the layout and of each step.

    Raises
    ------
    InvalidEvidence
        If the evidence cannot be read or proves nothing.
    """
    return plain(frames(layout, verdict, evidence))


def _played(layout: str, trace: str) -> Iterator[str]:
    table = Table(list(layout))
    for number, (first, dealt, removals) in enumerate(phases(trace), start=1):
        cards = table.deal(dealt, first)
        placed = ", ".join(f"{card} to {slot}" for card, slot in zip(cards, dealt, strict=True))
        yield f"{_board(table, dealt)}\n\n{_wrapped(f'Dealing {number}: {placed}.')}"
        removed = [
            f"{' and '.join(table.remove(slots, step))} from {' and '.join(slots)}"
            for step, slots in enumerate(removals, start=first + 1)
        ]
        ending = " The deck is empty and only court cards are left: won." if table.won else ""
        caption = f"Removal {number}: {', '.join(removed)}.{ending}"
        yield f"{_board(table, '')}\n\n{_wrapped(caption)}"


def _explained(layout: str, cards: int) -> str:
    prefix = layout[:cards]
    court = sum(prefix.count(face) for face in PLACES)
    single = []
    for low, high in ("A9", "28", "37", "46"):
        surplus = prefix.count(low) - prefix.count(high)
        if surplus:
            single.append(f"{abs(surplus)}×{low if surplus > 0 else high}")
    if prefix.count("5") % 2:
        single.append("1×5")
    reason = (
        f"Of the first {cards} cards, {court} are court cards, which never leave, and {', '.join(single) or 'none'} of "
        f"the others have no partner. These {must_stay(prefix)[-1]} cards fill all {len(SLOTS)} slots, however they "
        f"are played. There is no slot for card {cards + 1} ({layout[cards]}), so no play wins."
    )
    return f"{fill(' '.join(prefix), 52)}\n\n{fill(reason, 76)}"


def _board(table: Table, fresh: str) -> str:
    """Return the grid, with the cards just dealt in brackets."""
    lines = []
    for start in range(0, len(SLOTS), WIDTH):
        row = SLOTS[start : start + WIDTH]
        cells = [table.board.get(slot, "·") for slot in row]
        shown = [f"[{cell}]" if slot in fresh else f" {cell} " for slot, cell in zip(row, cells, strict=True)]
        lines.append(f"   {' '.join(shown)}      {row}")
    return "\n".join(lines)


def _wrapped(text: str) -> str:
    return fill(text, 76, subsequent_indent="   ")
