"""Layouts of card pairing: the stacks separated by spaces, the top card of each stack last, as in
``98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ 86AQ 8TQQ``.

The ranks are ``A23456789TJQK``, and ``BCD`` for decks of more than thirteen ranks. Every rank in a layout occurs four
times, since there are four suits. The format of the problem statement starts with the number of layouts on a line of
its own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dealmill.game import BadLayout, EachLine, Layout, Reject, read_file

RANKS = "A23456789TJQKBCD"
RANK_SET = frozenset(RANKS)
SUITS = 4
MOST_CARDS = len(RANKS) * SUITS
STACK_NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
LONGEST_LINE = 1_000


def read(lines: Iterable[tuple[int, str]]) -> Iterator[Layout | Reject]:
    """Read one layout per line; the first line may be their number. Blank lines and comments are skipped."""
    return read_file(lines, each_line)


def each_line(first: str) -> EachLine:
    """Return the reader of a file whose first line is `first`."""
    announced = int(first[:18]) if first.isascii() and first.isdigit() else None
    return EachLine(canonical, announced=announced)


def canonical(text: str) -> str:
    """Return a layout in capital letters, with single spaces between stacks.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a layout.
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, expected at most {LONGEST_LINE}"])
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
    """The properties that most lines of a file share: the ranks, the height of the stacks, and the spaces between."""

    ranks: str
    height: int
    blanks: str

    def fits(self, text: str) -> bool:
        """Return whether a text of the layout's length has its shape. The text is then canonical, since the ranks and
        spaces make up its whole length."""
        return set(map(text.count, self.ranks)) == {SUITS} and text[self.height :: self.height + 1] == self.blanks


_last_of_length: dict[int, _Shape] = {}
"""The shape of the last canonical layout of each length. Comparing a line with it takes half as long as a check."""


def _reasons(stacks: list[str]) -> Iterator[str]:
    if not 1 < len(stacks) <= len(STACK_NAMES):
        yield f"the number of stacks is {len(stacks)}, expected 2 to {len(STACK_NAMES)}"
    if len(set(map(len, stacks))) > 1:
        yield f"stacks of unequal height: {', '.join(str(len(stack)) for stack in stacks[: len(STACK_NAMES)])} cards"
    for name, stack in enumerate(stacks):
        for symbol in sorted(set(stack) - set(RANKS)):
            yield f"unknown symbol {symbol!r} in stack {name}"
    times = Counter("".join(stacks))
    for rank in RANKS:
        if times[rank] not in (0, SUITS):
            yield f"rank {rank} occurs {times[rank]} times, expected {SUITS}"
