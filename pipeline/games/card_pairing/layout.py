"""Layouts of card pairing: the stacks separated by blanks, the top card of each last, as in
``98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ``.

A rank is one of ``A23456789TJQK``, or of ``BCD`` for decks of more than thirteen; every rank that occurs does so four
times, since there are four suits. The statement's format begins with the number of layouts on a line of its own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.contract import Layout, Reject
from dealmill.pipeline.games.reading import EachLine, read_file

RANKS = "A23456789TJQKBCD"
RANK_SET = frozenset(RANKS)
SUITS = 4
MOST_CARDS = len(RANKS) * SUITS
STACK_NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
LONGEST_LINE = 1_000


def read(lines: Iterable[tuple[int, str]]) -> Iterator[Layout | Reject]:
    """Read one layout a line, behind the number of layouts if the first line is one; blank lines are passed over."""
    return read_file(lines, each_line)


def each_line(first: str) -> EachLine:
    """What reads a file that begins with this line."""
    announced = int(first[:18]) if first.isascii() and first.isdigit() else None
    return EachLine(canonical, announced=announced)


def canonical(text: str) -> str:
    """A layout in capital letters with single blanks.

    Raises
    ------
    BadLayout
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, more than any layout"])
    alike = _last_of_length.get(len(text))
    if alike and alike.fits(text):
        return text
    stacks = text.upper().split()
    cards = "".join(stacks)
    ranks = set(cards)
    if (
        set(map(cards.count, ranks)) == {SUITS}
        and ranks <= RANK_SET
        and 1 < len(stacks) <= len(STACK_NAMES)
        and len(set(map(len, stacks))) == 1
    ):
        tidy = " ".join(stacks)
        _last_of_length[len(tidy)] = _Shape("".join(ranks), len(stacks[0]), " " * (len(stacks) - 1))
        return tidy
    raise BadLayout(list(_reasons(stacks)))


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a canonical layout has in common with most lines of its file: the ranks in it, how high its stacks are, and
    the blanks between them."""

    ranks: str
    height: int
    blanks: str

    def fits(self, text: str) -> bool:
        """Whether a text as long as that layout has its shape, and so is canonical too: these are all its signs."""
        return set(map(text.count, self.ranks)) == {SUITS} and text[self.height :: self.height + 1] == self.blanks


_last_of_length: dict[int, _Shape] = {}
"""To look at a line as one more like those before it takes half as long as to look at it anew."""


def _reasons(stacks: list[str]) -> Iterator[str]:
    if not 1 < len(stacks) <= len(STACK_NAMES):
        yield f"{len(stacks)} stacks, not 2 to {len(STACK_NAMES)}"
    if len(set(map(len, stacks))) > 1:
        yield f"stacks of unequal height: {', '.join(str(len(stack)) for stack in stacks[: len(STACK_NAMES)])} cards"
    for name, stack in enumerate(stacks):
        for symbol in sorted(set(stack) - set(RANKS)):
            yield f"unknown symbol {symbol!r} in stack {name}"
    times = Counter("".join(stacks))
    for rank in RANKS:
        if times[rank] not in (0, SUITS):
            yield f"rank {rank} occurs {times[rank]} times, not {SUITS}"
