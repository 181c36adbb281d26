"""What all readers of layouts share: files with a layout on each line, one text tried as a layout, and how a bad one is
kept."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from dealmill.pipeline.errors import BadLayout
from dealmill.pipeline.games.contract import Game, Layout, Reject

KEPT = 200
"""Characters of a bad layout that are kept, and of each reason."""
MOST_REASONS = 50
NO_END = 2**62
COMMENT = "#"

Line = tuple[int, str]


def is_skipped(line: str) -> bool:
    """Whether a reader skips a line: it is blank, or a comment, whose first character but for spaces is ``#``."""
    text = line.lstrip()
    return not text or text[0] == COMMENT


class EachLine:
    """Reads a file with a layout on each line, but for skipped ones, line by line. Lines that are known to be canonical
    may be passed over, as long as there is room for them."""

    def __init__(
        self, canonical: Callable[[str], str], *, announced: int | None = None, end: str | None = None
    ) -> None:
        """`canonical` tidies a line or raises `BadLayout`. If a number of layouts is `announced`, the first line does
        that; behind a line that is `end` there is to be nothing."""
        self._canonical = canonical
        self._announced = announced
        self._end = end
        self._begun = announced is None
        self._ended = False
        self._count = self._last = 0

    @property
    def room(self) -> int:
        """How many of the next lines are layouts as they stand, if they are canonical."""
        if self._ended or not self._begun:
            return 0
        return NO_END if self._announced is None else max(self._announced - self._count, 0)

    def pass_over(self, count: int, last: int) -> None:
        """Take so many canonical lines as read, the last of which has the number `last`."""
        if count:
            self._count += count
            self._last = last

    def entry(self, number: int, line: str) -> Layout | Reject | None:
        """What a line is; None if it is no entry."""
        if is_skipped(line):
            return None
        text = line.strip()
        self._last = number
        if not self._begun:
            self._begun = True
            return None
        if text == self._end and not self._ended:
            self._ended = True
            return None
        try:
            return Layout(number, self._layout(text))
        except BadLayout as error:
            return rejected(number, text, error.reasons)

    def _layout(self, text: str) -> str:
        if self._ended:
            raise BadLayout([f"it stands behind the {self._end} that ends the input"])
        self._count += 1
        if self._announced is not None and self._count > self._announced:
            raise BadLayout([f"layout {self._count} of the {self._announced} that the first line announces"])
        return self._canonical(text)

    def missing(self) -> Iterator[Reject]:
        """What is to be said at the end of the file."""
        if self._announced is not None and self._count < self._announced:
            told = f"the first line announces {self._announced} layouts, the file ends after {self._count}"
            yield rejected(self._last, "", [told])

    def read(self, lines: Iterable[Line]) -> Iterator[Layout | Reject]:
        """All entries of a file."""
        for number, line in lines:
            if entry := self.entry(number, line):
                yield entry
        yield from self.missing()


def read_file(
    lines: Iterable[Line],
    each_line: Callable[[str], EachLine | None],
    read_statement: Callable[[Line, Iterator[Line]], Iterator[Layout | Reject]] | None = None,
) -> Iterator[Layout | Reject]:
    """Read a file with a layout on each line, or one in the format of a statement. The first line that is not skipped
    decides: `each_line` returns None for that of a statement."""
    filled = ((number, line) for number, line in lines if not is_skipped(line))
    first = next(filled, None)
    if first is None:
        return
    each = each_line(first[1].strip())
    if each:
        yield from each.read(chain([first], filled))
    elif read_statement:
        yield from read_statement(first, filled)


def entries_of(game: Game, text: str) -> list[Layout | Reject]:
    """The first two entries that the reader finds in a text: enough to know whether it is one layout."""
    return list(islice(game.layout.read([(1, text)]), 2))


def is_canonical(game: Game, text: str) -> bool:
    """Whether a text is exactly the canonical text of a layout."""
    return entries_of(game, text) == [Layout(1, text)]


def read_one(game: Game, text: str) -> str:
    """The canonical text of one layout, written as a line of a file is.

    Raises
    ------
    BadLayout
    """
    match entries_of(game, text):
        case [Layout(text=canonical)]:
            return canonical
        case [Reject(reasons=reasons)]:
            raise BadLayout(reasons, f"{text[:KEPT]!r} is not a layout of {game.name}")
    raise BadLayout([f"{text[:KEPT]!r} is not one layout of {game.name}"])


def rejected(number: int, text: str, reasons: Iterable[str]) -> Reject:
    """A bad layout that starts in line `number`."""
    told = [reason[:KEPT] for reason in islice(reasons, MOST_REASONS + 1)]
    if len(told) > MOST_REASONS:
        told[-1] = "and more"
    return Reject(number, text[:KEPT], tuple(told))
