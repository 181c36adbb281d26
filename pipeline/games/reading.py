"""Shared code of all readers of layouts: files with one layout per line, single texts, pasted ones, and rejects."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from dealmill.pipeline.errors import BadLayout, UsageError
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Layout, Reject

MAX_RECORDED_CHARACTERS = 200
"""Characters that are recorded of a rejected text, and of each reason."""
MAX_REASONS = 50
BYTE_ORDER_MARK = "\ufeff"
NO_END = 2**62
COMMENT = "#"

Line = tuple[int, str]


def is_skipped(line: str) -> bool:
    """Return whether a line is blank or a comment, which starts with ``#``."""
    text = line.lstrip()
    return not text or text[0] == COMMENT


class EachLine:
    """Reader of a file with one layout per line, line by line; blank lines and comments are skipped.

    A caller that knows lines to be canonical can pass over them, up to `room` lines.
    """

    def __init__(
        self, canonical: Callable[[str], str], *, announced: int | None = None, end: str | None = None
    ) -> None:
        """`canonical` returns the canonical text of a line, or raises `BadLayout`.

        `announced` is the number of layouts that the first line announces, or None if it is a layout itself. Lines
        after a line equal to `end` are rejected.
        """
        self._canonical = canonical
        self._announced = announced
        self._end = end
        self._begun = announced is None
        self._ended = False
        self._count = self._last = 0

    @property
    def room(self) -> int:
        """The number of following lines that may be passed over if they are canonical."""
        if self._ended or not self._begun:
            return 0
        return NO_END if self._announced is None else max(self._announced - self._count, 0)

    def pass_over(self, count: int, last: int) -> None:
        """Count `count` canonical lines as read; `last` is the number of the last one."""
        if count:
            self._count += count
            self._last = last

    def entry(self, number: int, line: str) -> Layout | Reject | None:
        """Return the entry on a line, or None if there is none."""
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
        if "\r" in text:
            raise BadLayout(["there is a carriage return inside the line: end lines with LF or CRLF"])
        if self._ended:
            raise BadLayout([f"the line comes after the {self._end} that ends the input"])
        self._count += 1
        if self._announced is not None and self._count > self._announced:
            raise BadLayout([f"this is layout {self._count}, but the first line announces {self._announced}"])
        return self._canonical(text)

    def missing(self) -> Iterator[Reject]:
        """Yield a reject if the file ends before the announced number of layouts."""
        if self._announced is not None and self._count < self._announced:
            reason = f"the first line announces {self._announced} layouts, but the file has {self._count}"
            yield rejected(self._last, "", [reason])

    def read(self, lines: Iterable[Line]) -> Iterator[Layout | Reject]:
        """Yield all entries of a file."""
        for number, line in lines:
            if entry := self.entry(number, line):
                yield entry
        yield from self.missing()


def read_file(
    lines: Iterable[Line],
    each_line: Callable[[str], EachLine | None],
    read_statement: Callable[[Line, Iterator[Line]], Iterator[Layout | Reject]] | None = None,
) -> Iterator[Layout | Reject]:
    """Read a file with one layout per line, or in the format of a problem statement.

    `each_line` decides by the first line that is not skipped: it returns None for the problem statement's format.
    """
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
    """Return the first two entries in a text, which is enough to tell whether it is exactly one layout."""
    return list(islice(game.read([(1, text)]), 2))


def is_canonical(game: Game, text: str) -> bool:
    """Return whether a text is exactly the canonical text of a layout, today or in an earlier version of the game."""
    text = game.spellings(text)[0]
    return entries_of(game, text) == [Layout(1, text)]


def read_one(game: Game, text: str) -> str:
    """Return the canonical text of one layout, written as a line of a file is.

    Raises
    ------
    BadLayout
        If the text is not exactly one layout.
    """
    match entries_of(game, text):
        case [Layout(text=canonical)]:
            return canonical
        case [Reject(reasons=reasons)]:
            raise BadLayout(reasons, f"{text[:MAX_RECORDED_CHARACTERS]!r} is not a layout of {game.name}")
    raise BadLayout([f"{text[:MAX_RECORDED_CHARACTERS]!r} is not exactly one layout of {game.name}"])


def read_pasted(game: Game, text: str) -> str:
    """Return the canonical text of the layout in a text: one on a line, which may be wrapped, or a single one in
    another form that files of the game can have, such as a board of a patience.

    Raises
    ------
    BadLayout
        If the text is not exactly one layout. Of several lines, the message quotes only the one that is wrong.
    """
    lines = text.removeprefix(BYTE_ORDER_MARK).strip().splitlines()
    line = " ".join(" ".join(lines).split())
    try:
        return read_one(game, line)
    except BadLayout as error:
        if number := re.fullmatch(rf"(?:{re.escape(game.name)} )?([1-9]\d{{0,17}})", line, re.ASCII):
            hint = f"deal {number[1]} of seed 0 is named deal:{game.name}:seed=0:{number[1]}"
            raise BadLayout([hint, *error.reasons], f"{line!r} is not a layout of {game.name}") from error
        entries = list(islice(game.read(enumerate(lines, start=1)), 2))
        rejects = [entry for entry in entries if isinstance(entry, Reject)]
        first = next((line for line in lines if not is_skipped(line)), "").strip()
        if not entries or len(lines) == 1 or (len(entries) == len(rejects) and game.each_line(first)):
            raise  # a single line, which may be wrapped
        if rejects:
            reasons = [f"line {rejects[0].line}: {rejects[0].reasons[0]}", *rejects[0].reasons[1:]]
            raise BadLayout(reasons, f"this is not a layout of {game.name}") from error
        if len(entries) > 1:
            raise BadLayout([f"these are several layouts of {game.name}, expected one"]) from error
        return entries[0].text


def read_moves(game: Game, layout: str, text: str, notation: str, *, whole: bool) -> str:
    """Return a solution in the notation of another program as moves of the game; see `Game.notations`.

    Raises
    ------
    UsageError
        If the game has no such notation.
    InvalidEvidence
        If the moves cannot be read, are not legal or, if `whole` is set, do not win.
    """
    check_notation(game, notation)
    return game.notations[notation](layout, text, whole=whole)


def check_notation(game: Game, notation: str) -> None:
    """Check that a game has a notation.

    Raises
    ------
    UsageError
        If not.
    """
    if notation not in game.notations:
        known = f"choose one of: {', '.join(game.notations)}" if game.notations else "it has none"
        raise UsageError(f"{game.name} has no notation {notation!r} of other programs; {known}")


def rejected(number: int, text: str, reasons: Iterable[str]) -> Reject:
    """Return a reject that starts in line `number`, with its text and reasons cut to their maximum lengths."""
    listed = [reason[:MAX_RECORDED_CHARACTERS] for reason in islice(reasons, MAX_REASONS + 1)]
    if len(listed) > MAX_REASONS:
        listed[-1] = "and more"
    return Reject(number, text[:MAX_RECORDED_CHARACTERS], tuple(listed))
