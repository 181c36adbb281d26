"""Camelot as text and as pictures: the board in each phase of a win, the cards that must stay of a loss."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import fill

from dealmill.game import Scene, rank_name
from dealmill.pipeline.games.camelot.drawing import board, deck
from dealmill.pipeline.games.camelot.ledger import Ledger, drawn, ledger
from dealmill.pipeline.games.camelot.rules import SLOTS, Table, phases, prove_loss
from dealmill.verdicts import Verdict

WIDTH, ROW = 4, 13
"""Slots in a row of the board, and cards in a row of the deck."""
LINE = 76
DECK = "The deck, in the order of dealing."


@dataclass(frozen=True, slots=True)
class Phase:
    """A dealing phase, with the slots dealt to, or a removal phase, with the slots of each removal.

    `before` and `after` are the cards on the board; `dealt` counts the cards dealt by the end of the phase.
    """

    before: dict[str, str]
    after: dict[str, str]
    slots: str
    removals: list[str]
    dealt: int
    caption: str


def frames(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the deck, then the board after each phase of a winning play, or the reason why no play wins.

    Raises
    ------
    InvalidEvidence
        If the trace cannot be read or breaks the rules, or the certificate proves nothing.
    """
    yield f"{_deck(layout)}\n\n{DECK}"
    if verdict is Verdict.WINNABLE and evidence is not None:
        for phase in _phases(layout, evidence):
            yield f"{_board(phase)}\n\n{fill(phase.caption, LINE, subsequent_indent='   ')}"
    elif verdict is Verdict.UNWINNABLE and evidence is not None:
        cards = prove_loss(layout, evidence)
        yield f"{_deck(layout[:cards])}\n\n{fill(_reason(layout, ledger(layout[:cards])), LINE)}"


def scenes(layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[Scene]:
    """Yield the deck, then each phase of a winning play, or the cards that must stay in a lost one.

    A dealing phase numbers the cards that are dealt, by their positions in the deck; a removal phase joins the cards
    that leave together.

    Raises
    ------
    InvalidEvidence
        If the trace cannot be read or breaks the rules, or the certificate proves nothing.
    """
    yield deck(layout, DECK)
    if verdict is Verdict.WINNABLE and evidence is not None:
        for phase in _phases(layout, evidence):
            shown = phase.before if phase.removals else phase.after
            yield board(layout, shown, phase.slots, phase.removals, phase.dealt, phase.caption)
    elif verdict is Verdict.UNWINNABLE and evidence is not None:
        proof = ledger(layout[: prove_loss(layout, evidence)])
        yield drawn(proof, layout[proof.cards], _reason(layout, proof), _proves(proof))


def _phases(layout: str, trace: str) -> Iterator[Phase]:
    table = Table(list(layout))
    for number, (first, slots, removals) in enumerate(phases(trace), start=1):
        empty = table.board.copy()
        cards = map(rank_name, table.deal(slots, first))
        placed = ", ".join(f"{card} to {slot}" for card, slot in zip(cards, slots, strict=True))
        full, dealt = table.board.copy(), len(layout) - len(table.deck)
        yield Phase(empty, full, slots, [], dealt, f"Dealing {number}: {placed}.")
        removed = [
            f"{' and '.join(map(rank_name, table.remove(pair, step)))} from {' and '.join(pair)}"
            for step, pair in enumerate(removals, start=first + 1)
        ]
        ending = " The deck is empty and only court cards are left: won." if table.won else ""
        caption = f"Removal {number}: {', '.join(removed)}.{ending}"
        yield Phase(full, table.board.copy(), "", removals, dealt, caption)


def _deck(cards: str) -> str:
    names = list(map(rank_name, cards))
    width = max(map(len, names))
    rows = (names[start : start + ROW] for start in range(0, len(names), ROW))
    return "\n".join(" ".join(name.rjust(width) for name in row) for row in rows)


def _board(phase: Phase) -> str:
    """Return the grid after a phase, with the cards just dealt in brackets."""
    lines = []
    for start in range(0, len(SLOTS), WIDTH):
        row = SLOTS[start : start + WIDTH]
        cells = [rank_name(phase.after.get(slot, "·")) for slot in row]
        shown = [f"[{cell}]" if slot in phase.slots else f"{cell} " for slot, cell in zip(row, cells, strict=True)]
        lines.append(f"  {''.join(cell.rjust(4) for cell in shown)}      {row}")
    return "\n".join(lines)


def _proves(proof: Ledger) -> str:
    return (
        f"Of the first {proof.cards} cards, {len(proof.staying)} must stay, whatever is removed. They fill the board, "
        f"so card {proof.cards + 1} has no slot. Rings mark the cards that stay; dashed ones leave in pairs that add "
        "up to 10, and tens alone."
    )


def _reason(layout: str, proof: Ledger) -> str:
    single = " ".join(map(rank_name, "".join(proof.single)))
    return (
        f"Of the first {proof.cards} cards, {len(proof.court)} are court cards, which never leave, and {single} have "
        f"no partner. These {len(proof.staying)} cards fill all {len(SLOTS)} slots, however the deck is played. A card "
        f"leaves from a slot, and there is none for card {proof.cards + 1} ({rank_name(layout[proof.cards])}), so no "
        "play wins."
    )
