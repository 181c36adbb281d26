"""Layouts of covering games: positions on one line, see `dealmill.pipeline.games.covering.rules`."""

from collections.abc import Iterable, Iterator
from functools import partial

from dealmill.cards import LONGEST_LINE, WIDE, capital_ranks, is_name_of, wide_characters, with_letters
from dealmill.game import BadLayout, EachLine, Layout, Line, Reject, read_file
from dealmill.pipeline.games.covering.referee import Referee
from dealmill.pipeline.games.covering.rules import Rules, turned_rows


def read(referee: Referee, lines: Iterable[Line]) -> Iterator[Layout | Reject]:
    """Read positions, one per line. Blank lines and comments are skipped."""
    return read_file(lines, partial(each_line, referee))


def each_line(referee: Referee, _first: str) -> EachLine:
    """Return the reader of a file with one position per line."""
    return EachLine(partial(canonical, referee))


def canonical(referee: Referee, text: str) -> str:
    """Return a position with single blanks and its parts in order, capital ranks, ``T`` for tens and letters for suits,
    small ones if a card lies face down, and the passes if the rules limit them.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a position.
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, expected at most {LONGEST_LINE}"])
    if wide := WIDE.search(text):
        raise BadLayout([wide_characters(wide[0])])
    name, *words = with_letters(text).split() or [""]
    rules = referee.rules
    rows = turned_rows(rules, capital_ranks(words[0]) if words else "")
    parts = [_part(word) for word in words[1:]]
    if rules.counts_passes and not any(part.startswith("passes:") for part in parts):
        parts.append(_implied_passes(rules, parts))
    position = " ".join([rules.name if is_name_of(rules.name, name) else name, rows, *sorted(filter(None, parts))])
    if reasons := list(referee.reasons(position)):
        raise BadLayout(reasons)
    return position


def _part(word: str) -> str:
    name, colon, cards = word.partition(":")
    return name + colon + capital_ranks(cards).upper()


def _implied_passes(rules: Rules, parts: list[str]) -> str:
    """Return the part with the further passes through the stock, if none of its cards was turned: all are left then.

    Raises
    ------
    BadLayout
        If nobody knows how many are left.
    """
    if any(part.startswith("waste:") for part in parts):
        numbers = " or ".join(f"passes:{number}" for number in range(rules.passes))
        raise BadLayout(
            [f"cards of the stock were turned, so the passes that are left must be known: add {numbers} to the line"]
        )
    return f"passes:{rules.passes - 1}"


def nameless(layout: str) -> str:
    """Return the text without suits, and of the mirror image of a pyramid or of peaks the least one."""
    name, rows, *parts = layout.split(" ")
    ranks = [part.partition(":")[0] + ":" + _ranks(part.partition(":")[2]) for part in parts]
    split = [_ranks(row) for row in rows.split("/")]
    mirrored = [row[::-1] for row in split]
    return " ".join([name, "/".join(min(split, mirrored)), *ranks])


def _ranks(cards: str) -> str:
    """Return the ranks of cards; gaps, strokes and numbers stay."""
    return cards if cards.isdecimal() else "/".join(column[::2] for column in cards.split("/"))
