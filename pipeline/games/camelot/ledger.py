"""The ledger of a lost game: which of the first cards of the deck must stay on the board, whatever is removed."""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.game import CHOSEN, GHOST, INKED, OTHER, Scene, box, card, element, path, rank_name, scene, text
from dealmill.pipeline.games.camelot.rules import PLACES, SLOTS

REMOVED = {"A9": "A with 9", "28": "2 with 8", "37": "3 with 7", "46": "4 with 6", "5": "5 with 5", "0": "10 alone"}
"""The values that leave together; a five leaves with another five, a ten alone."""

CELL, GAP = 30, 6
PITCH = CELL + GAP
LABELS, MARGIN = 116, 16
IN_ROW = 8
LINE = 42
WIDTH = LABELS + IN_ROW * PITCH + MARGIN


@dataclass(frozen=True, slots=True)
class Ledger:
    """The first `cards` cards of a deck: the court cards, and for each key of `REMOVED` those that leave and stay.

    `leaving` has one text per removal, such as ``A9``. `single` has the cards without a partner.
    """

    cards: int
    court: str
    leaving: tuple[list[str], ...]
    single: tuple[str, ...]

    @property
    def staying(self) -> str:
        """All cards that stay."""
        return self.court + "".join(self.single)


def ledger(prefix: str) -> Ledger:
    """Return the ledger of these cards, after as many removals as possible."""
    court = "".join(rank for rank in prefix if rank in PLACES)
    leaving, single = zip(*(_paired(prefix, values) for values in REMOVED), strict=True)
    return Ledger(len(prefix), court, leaving, single)


def _paired(prefix: str, values: str) -> tuple[list[str], str]:
    """Return the removals of cards of these values, and the cards left over."""
    counts = [prefix.count(value) for value in values]
    if values == "0":
        return ["0"] * counts[0], ""
    if values == "5":
        return ["55"] * (counts[0] // 2), "5" * (counts[0] % 2)
    pairs = min(counts)
    return [values] * pairs, values[0] * (counts[0] - pairs) + values[1] * (counts[1] - pairs)


def drawn(proof: Ledger, following: str, caption: str, proves: str) -> Scene:
    """Return the ledger, the slots filled by the cards that stay, and the card after them, which has no slot."""
    y = MARGIN
    parts = [_label(y, "J Q K stay"), *_staying(y, proof.court)]
    y += _height(proof.court)
    for label, leaving, single in zip(REMOVED.values(), proof.leaving, proof.single, strict=True):
        parts += [_label(y, label), *_removed(y, leaving), *_staying(y, single, after=len("".join(leaving)))]
        y += LINE
    parts.append(element("path", d=path([(MARGIN, y), (WIDTH - MARGIN, y)]), **GHOST))
    y += LINE - CELL
    parts += [_label(y, f"{len(SLOTS)} slots"), *_staying(y, proof.staying)]
    y += _height(proof.staying)
    parts += [
        _label(y, f"Card {proof.cards + 1}"),
        card(LABELS, y, CELL, CELL, rank_name(following)),
        box(LABELS, y, CELL, CELL, OTHER | {"stroke_width": 4}),
        text(LABELS + PITCH + 4, y + CELL / 2, "has no slot", 18, INKED, anchor="start"),
    ]
    alt = f"{_listed('Leave', ''.join(map(''.join, proof.leaving)))} {_listed('Stay', proof.staying)}"
    return scene(WIDTH, y + CELL + MARGIN, parts, caption, alt, proves=proves)


def _label(y: float, words: str) -> str:
    return text(MARGIN, y + CELL / 2, words, 18, INKED, anchor="start")


def _staying(y: float, ranks: str, after: int = 0) -> Iterator[str]:
    """Yield cards with rings, in lines, after the places of some others."""
    for number, rank in enumerate(ranks, start=after):
        line, column = divmod(number, IN_ROW)
        corner = LABELS + column * PITCH, y + line * PITCH
        yield card(*corner, CELL, CELL, rank_name(rank))
        yield box(*corner, CELL, CELL, CHOSEN | {"stroke_width": 4})


def _height(ranks: str) -> int:
    """Return the height of these cards in lines."""
    return LINE + PITCH * (max(len(ranks) - 1, 0) // IN_ROW)


def _removed(y: float, leaving: list[str]) -> Iterator[str]:
    column = 0
    for ranks in leaving:
        x = LABELS + column * PITCH
        for offset, rank in enumerate(ranks):
            yield card(x + offset * PITCH, y, CELL, CELL, rank_name(rank), GHOST)
        if len(ranks) == 2:
            yield element("path", d=path([(x + CELL, y + CELL / 2), (x + PITCH, y + CELL / 2)]), **GHOST)
        column += len(ranks)


def _listed(what: str, ranks: str) -> str:
    return f"{what}: {' '.join(map(rank_name, ranks)) or 'none'}."
