"""The rules of covering games, as a record, and the form of positions and evidence.

The arrangement lies in rows, from the top: each card is covered by two of the next row, and is free once both are gone.
Beside it, there may be columns, of which only the last card is free. All other cards are the stock. In games with a
hole, a free card goes into the hole if its rank is next to that of the card there, and each card of the stock can be
turned into it. In games of pairs, two free cards leave together if their ranks add up to 13, and a king leaves alone;
the stock is turned card by card onto a waste, of which the last card is free, and so may be that of the stock.

A position is one line of text: the name of the game, its rows, and whatever else holds cards::

    tripeaks ----6h/----5hah8d/… hole:3S stock:9CKD…
    giza 6D/5HAH/… columns:9S5HAH/-/…
    pyramid 6D/5HAH/… passes:2 stock:3S9C… waste:QD

Rows are joined by ``/``, and ``--`` is a gap. A small letter for the suit is a card that lies face down. Of a column
and of the waste, the last card is free; the stock begins with the card that is turned next. If the rules limit the
passes through the stock to several, ``passes:2`` says how many further ones are left. Parts without cards are left out.

A move is two cards, ``QSAH``, those of the arrangement first; a king, ``KD``; or a card and ``h`` for the hole, which
is free, or the next one of the stock: ``7Hh``. In games of pairs, a card of the stock can be taken whenever turning,
from now on, would uncover it.

A loss is proved by the number of positions that can be reached, none of which is won: ``* 7276`` in a game with a hole.
In games of pairs, it is proved in an easier game, by the pairs of ranks that matter, each named by its lower rank:
``*A5 12``. All other cards are *idle*: they leave as soon as they are free or turning uncovers them. Each card of the
stock can be taken at any time, so their order is no part of a position. With ``stock *A5 36486``, it is: the stock is
turned as the rules say. See docs/proofs/covering.md for the reason why a game that can be won can still be won then.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "CHSD"
UNLIMITED = 0
GAP, EMPTY = "--", "-"
PARTS = {"columns": "6H4S/-", "hole": "6H", "passes": "2", "stock": "6H4S", "waste": "6H4S"}
"""The parts of a position after its rows, in this order, with examples."""


@dataclass(frozen=True)
class Rules:
    """The rules of one game. The keys of a rules file have the same names and meanings; see docs/covering.md."""

    name: str
    title: str
    family: str
    goal: str
    peaks: int
    rows: int
    columns: int
    column_size: int
    face_down: str
    moves: str
    """``pairs`` or ``hole``, the table that the file has."""
    overlap: bool = False
    wrap: bool = True
    passes: int = 1
    playable: bool = True

    @cached_property
    def row_sizes(self) -> tuple[int, ...]:
        """The cards of each row, from the top."""
        last = self.peaks * (self.rows - 1) + 1
        return (*(self.peaks * row for row in range(1, self.rows)), last)

    @cached_property
    def next_ranks(self) -> dict[str, str]:
        """The ranks onto which a card of each rank may go in the hole."""
        apart = (1, len(RANKS) - 1) if self.wrap else (1,)
        return {
            rank: "".join(top for height, top in enumerate(RANKS) if abs(number - height) in apart)
            for number, rank in enumerate(RANKS)
        }

    @cached_property
    def covers(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of the places that cover each place: the rows from the top, then the columns one by one."""
        covers, first = list[tuple[int, ...]](), 0
        for row, size in enumerate(self.row_sizes[:-1], start=1):
            shared = row == self.rows - 1
            for number in range(size):
                peak, within = divmod(number, row)
                below = first + size + peak * (row if shared else row + 1) + within
                covers.append((below, below + 1))
            first += size
        covers += [()] * self.row_sizes[-1]
        for _ in range(self.columns):
            later = range(len(covers) + 1, len(covers) + self.column_size)
            covers += [*((number,) for number in later), ()]
        return tuple(covers)

    @property
    def stock(self) -> int:
        """The cards of the stock."""
        return len(RANKS) * len(SUITS) - len(self.covers) - (self.moves == "hole")

    @property
    def counts_passes(self) -> bool:
        """Whether a position says how many further passes through the stock are left."""
        return self.passes > 1


class Position(NamedTuple):
    """A position of a game. Cards are texts such as ``6H``."""

    places: tuple[str, ...]
    """The card at each place of the arrangement, in the order of `Rules.covers`; an empty text for a gap."""
    stock: tuple[str, ...]
    """The waste, its free card last, and then the stock, the card that is turned next first."""
    turned: int = 0
    """The cards of the waste."""
    passes: int = 0
    """The further passes through the stock, if they are limited."""
    hole: str = ""


def chains_of(rules: Rules, has_card: Sequence[bool] | None = None) -> list[tuple[int, ...]]:
    """Return the places that have cards, or all, in chains: each place is covered by the next one of its chain."""
    taken, chains = set[int](), list[tuple[int, ...]]()
    present = [number for number in range(len(rules.covers)) if has_card is None or has_card[number]]
    for number in present:
        chain = list[int]()
        following: tuple[int, ...] = (number,)
        while left := [each for each in following if each in present and each not in taken]:
            chain.append(left[0])
            taken.add(left[0])
            following = rules.covers[left[0]]
        if chain:
            chains.append(tuple(chain))
    return chains


def written(rules: Rules, position: Position) -> str:
    """Return the canonical text of a position, which `Referee.position` reads."""
    places = iter(card or GAP for card in position.places)
    rows = "/".join("".join(next(places) for _ in range(size)) for size in rules.row_sizes)
    columns = [[next(places).strip(GAP) for _ in range(rules.column_size)] for _ in range(rules.columns)]
    parts = {
        "columns": "/".join("".join(column) or EMPTY for column in columns),
        "hole": position.hole,
        "passes": str(position.passes) if rules.counts_passes else "",
        "stock": "".join(position.stock[position.turned :]),
        "waste": "".join(position.stock[: position.turned]),
    }
    words = [f"{name}:{parts[name]}" for name in PARTS if parts[name]]
    return " ".join([rules.name, turned_rows(rules, rows), *words])


def lies_face_down(rules: Rules, places: Sequence[str], number: int) -> bool:
    """Return whether the card at a place lies face down: by some rules, those of the peaks do that are covered."""
    if rules.face_down == "none" or not places[number] or number >= sum(rules.row_sizes):
        return False
    return any(places[cover] for cover in rules.covers[number])


def turned_rows(rules: Rules, rows: str) -> str:
    """Return rows with small letters for the suits of cards that lie face down, if the rows have the right sizes."""
    split = [[row[at : at + 2].upper() for at in range(0, len(row), 2)] for row in rows.split("/")]
    if tuple(map(len, split)) != rules.row_sizes:
        return rows
    cards = [card for row in split for card in row]
    places = [card.strip(GAP) for card in cards]
    written = iter(
        card[:1] + card[1:].lower() if lies_face_down(rules, places, number) else card
        for number, card in enumerate(cards)
    )
    return "/".join("".join(next(written) for _ in row) for row in split)
