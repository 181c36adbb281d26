"""The input format of the problem statement: the number of cases, then each case on several lines.

A case is the number of tiles on the field, a line ``x y COLOURS`` for each, and a line with the tiles in hand. After a
malformed case, reading continues after its hand or at the next line that is a number, whichever comes first.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dealmill.game import BadLayout, Layout, Line, Reject, rejected
from dealmill.pipeline.games.tantrix.position import canonical_text
from dealmill.pipeline.games.tantrix.tiles import MAX_ON_FIELD, SIDES

COUNT = re.compile(r"[+-]?[0-9]{1,9}")
ROW = re.compile(r"[+-]?[0-9]+\s+[+-]?[0-9]+\s+\S+")
LONGEST_LINE = 200


@dataclass(slots=True)
class Case:
    """The lines of one case as found. Lines of tiles are kept only until there are too many."""

    first_line: int
    last_line: int
    count: str = ""
    rows: list[str] = field(default_factory=list)
    row_count: int = 0
    hand: str = ""

    def add(self, number: int, text: str) -> None:
        """Add a line: as the hand if it looks like one or one is due, otherwise as a tile on the field."""
        self.last_line = number
        if self._is_hand(text):
            self.hand = text
        else:
            self.row_count += 1
            if len(self.rows) <= MAX_ON_FIELD:
                self.rows.append(text)

    def _is_hand(self, text: str) -> bool:
        words = text.split()
        looks_like_one = len(words) > 1 and all(len(word) == SIDES and word.isalpha() for word in words)
        is_due = self.count != "" and self.row_count >= int(self.count) and not ROW.fullmatch(text)
        return looks_like_one or is_due

    def faults(self) -> Iterator[str]:
        """Yield the faults in the form of the lines."""
        if not self.count:
            yield "the case does not start with its number of tiles"
        elif int(self.count) != self.row_count:
            yield f"the number of tiles on the field is {self.row_count}, but the case announces {self.count}"
        if not self.hand:
            yield "the line with the hand is missing"
        for row in self.rows:
            if len(row.split()) != 3:
                yield f"{row!r} is not of the form x y COLOURS"

    def canonical(self) -> str:
        """Return the canonical text of the position.

        Raises
        ------
        BadLayout
            With all reasons, if the position is not valid.
        """
        rows = [row.split() for row in self.rows]
        placed = [(row[0], row[1], row[2].upper()) for row in rows if len(row) == 3]
        return canonical_text(placed, self.hand.upper().split(), self.faults())


def read_cases(first: Line, lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read the cases after the `first` line, which announces their number; `lines` has no blank lines or comments."""
    announced = int(first[1].strip())
    last_line, count = first[0], 0
    for count, case in enumerate(_split(lines), start=1):
        last_line = case.last_line
        reasons: list[str] = []
        try:
            text = case.canonical()
        except BadLayout as error:
            reasons += error.reasons
        if count > announced:
            reasons.append(f"this is layout {count}, but the first line announces {announced}")
        if reasons:
            as_found = "\n".join(filter(None, [case.count, *case.rows, case.hand]))
            yield rejected(case.first_line, as_found, reasons)
        else:
            yield Layout(case.first_line, text)
    if count < announced:
        yield rejected(last_line, "", [f"the first line announces {announced} layouts, but the file has {count}"])


def _split(lines: Iterable[Line]) -> Iterator[Case]:
    case = None
    for number, raw in lines:
        line = raw.strip()
        # The ellipsis keeps a truncated line from being read as a valid one.
        text = line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
        if COUNT.fullmatch(text):
            if case:
                yield case
            case = Case(number, number, text)
            continue
        case = case or Case(number, number)
        case.add(number, text)
        if case.hand:
            yield case
            case = None
    if case:
        yield case
