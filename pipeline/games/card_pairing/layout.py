"""Layouts of card pairing: the stacks separated by spaces, the top card of each stack last.

In the compact form, each card is one of the letters ``A23456789TJQKBCD``, as in ``98AK 7T8T Q6KA 9J79 T67J 67JA 9KKJ
86AQ 8TQQ``. In the list form, the cards of a stack are symbols separated by commas, as in ``12,7,Q,103 103,7 Q,12 -``;
a text with a comma is in list form. An empty stack is ``-``, and each rank occurs an even number of times.

A canonical text has capital letters and single spaces. It is in list form only if a symbol is not one of the letters.
If no stack of it has two cards, a comma follows the first stack that is not empty: ``12, 12``.

The format of the problem statement starts with the number of layouts on a line of its own.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from string import ascii_lowercase, ascii_uppercase

from dealmill.game import BadLayout, EachLine, Layout, Reject, read_file

MAX_CARDS = MAX_STACKS = 1_024
LONGEST_SYMBOL = 8
COMMA, EMPTY = ",", "-"

RANKS = "A23456789TJQKBCD"
RANK_SET = frozenset(RANKS)
STACK_NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
SUITS = 4
CLASSIC_CARDS = len(RANKS) * SUITS
"""The most cards of a classic layout: up to 36 stacks of equal height, with four cards of each of the 16 ranks."""

LONGEST_LINE = 20_000
"""The longest canonical text has 11,261 characters; the rest is for spaces."""
CAPITALS = str.maketrans(ascii_lowercase, ascii_uppercase)
"""For lines with other characters than ASCII, some of which have ASCII capitals."""

Stacks = Sequence[Sequence[str]]
"""The symbols of each stack, from bottom to top."""


def read(lines: Iterable[tuple[int, str]]) -> Iterator[Layout | Reject]:
    """Read one layout per line; the first line may be their number. Blank lines and comments are skipped."""
    return read_file(lines, each_line)


def each_line(first: str) -> EachLine:
    """Return the reader of a file whose first line is `first`."""
    announced = int(first[:18]) if first.isascii() and first.isdigit() else None
    return EachLine(canonical, announced=announced)


def canonical(text: str) -> str:
    """Return the canonical text of a layout.

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
    capitals = text.upper() if text.isascii() else text.translate(CAPITALS)
    words = capitals.split()
    if tidy := _classic(words):
        return tidy
    in_list_form = COMMA in text
    stacks = list(map(_listed if in_list_form else _compact, words))
    if reasons := list(_reasons(stacks, in_list_form)):
        raise BadLayout(reasons)
    return _written(stacks)


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
"""The shape of the last classic layout of each length. Comparing a line with it takes half as long as a check."""


def _classic(words: list[str]) -> str | None:
    """Return the canonical text if the stacks are those of a classic layout."""
    cards = "".join(words)
    ranks = set(cards)
    if (
        set(map(cards.count, ranks)) == {SUITS}
        and ranks <= RANK_SET
        and 1 < len(words) <= len(STACK_NAMES)
        and len(set(map(len, words))) == 1
    ):
        tidy = " ".join(words)
        _last_of_length[len(tidy)] = _Shape("".join(ranks), len(words[0]), " " * (len(words) - 1))
        return tidy
    return None


def _compact(word: str) -> Sequence[str]:
    return "" if word == EMPTY else word


def _listed(word: str) -> Sequence[str]:
    word = word.removesuffix(COMMA)
    return [] if word == EMPTY else word.split(COMMA)


def _written(stacks: Stacks) -> str:
    """Return the canonical text of stacks."""
    if all(map(RANK_SET.issuperset, stacks)):
        return " ".join("".join(stack) or EMPTY for stack in stacks)
    words = [COMMA.join(stack) or EMPTY for stack in stacks]
    if max(map(len, stacks)) == 1:
        first = next(number for number, stack in enumerate(stacks) if stack)
        words[first] += COMMA
    return " ".join(words)


def nameless(layout: str) -> str:
    """Return a text that is the same for all layouts that differ only in the names of ranks or the order of stacks.

    Ranks and stacks are told apart by colours: those of the stacks follow from the ranks in them, and those of the
    ranks from the places where they lie, until no more of them differ (colour refinement; Weisfeiler and Leman, 1968).
    If all ranks get different colours, as in nearly all random deals, the text describes the layout completely.
    Otherwise, a very regular layout may have the text of another one.
    """
    listed = COMMA in layout
    stacks = [
        [] if word == EMPTY else [card for card in word.split(COMMA) if card] if listed else [*word]
        for word in layout.split(" ")
    ]
    colour_of = {rank: 0 for stack in stacks for rank in stack}
    while True:
        colours = [[colour_of[rank] for rank in stack] for stack in stacks]
        places: dict[str, list[tuple[list[int], int]]] = {rank: [] for rank in colour_of}
        for stack, colour in zip(stacks, colours, strict=True):
            for height, rank in enumerate(stack):
                places[rank].append((colour, height))
        keys = {rank: (colour_of[rank], sorted(positions)) for rank, positions in places.items()}
        order: list[object] = []
        refined = dict[str, int]()
        for rank in sorted(keys, key=keys.__getitem__):
            if not order or order[-1] != keys[rank]:
                order.append(keys[rank])
            refined[rank] = len(order) - 1
        if len(order) == len({*colour_of.values()}):
            return " ".join(COMMA.join(map(str, colour)) for colour in sorted(colours))
        colour_of = refined


def stack_names(count: int) -> Sequence[str]:
    """Return the names of stacks: single characters for up to 36 stacks, else numbers."""
    return STACK_NAMES[:count] if count <= len(STACK_NAMES) else list(map(str, range(count)))


def _reasons(stacks: Stacks, in_list_form: bool) -> Iterator[str]:
    if not 1 < len(stacks) <= MAX_STACKS:
        yield f"the number of stacks is {len(stacks):,}, expected 2 to {MAX_STACKS:,}"
    times = Counter(chain.from_iterable(stacks))
    if stacks and not times:
        yield "all stacks are empty, expected at least one card"
    if times.total() > MAX_CARDS:
        yield f"the number of cards is {times.total():,}, expected at most {MAX_CARDS:,}"
    wrong = {symbol: reason for symbol in times if (reason := _wrong(symbol, in_list_form))}
    for name, stack in zip(stack_names(len(stacks)), stacks, strict=True):
        for symbol in sorted(wrong.keys() & stack):
            yield f"{wrong[symbol]} in stack {name}"
    for rank, count in times.items():
        if count % 2 and rank not in wrong:
            yield f"rank {rank} occurs {'once' if count == 1 else f'{count} times'}, expected an even number of times"


def _wrong(symbol: str, in_list_form: bool) -> str | None:
    """Return why a symbol is not one of a card."""
    if not in_list_form:
        return None if symbol in RANK_SET else f"unknown symbol {symbol!r}"
    if not symbol:
        return "empty symbol"
    if len(symbol) > LONGEST_SYMBOL:
        return f"symbol {symbol!r} of {len(symbol)} characters, expected at most {LONGEST_SYMBOL},"
    if not (symbol.isascii() and symbol.isalnum()):
        return f"symbol {symbol!r} with other characters than letters and digits"
    return None
