"""Patiences as text and as pictures: the layout, and the table after each move of a win."""

from collections.abc import Iterator, Set
from itertools import zip_longest
from textwrap import fill
from typing import NamedTuple

from dealmill.game import Scene, rank_name
from dealmill.pipeline.games.patience.drawing import Marks, table
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, Play, Position, Referee, read_loss
from dealmill.verdicts import Verdict

LINE = 90
ABSENT = " ."
NUMBERS = ["", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
NAMES = {"C": "clubs", "H": "hearts", "S": "spades", "D": "diamonds"}


class Step(NamedTuple):
    """The table after a move, or before the first one."""

    position: Position
    marks: Marks
    caption: str
    proves: str = ""


def frames(referee: Referee, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the layout, then the table after each move of a win, or why it is lost.

    Raises
    ------
    InvalidEvidence
        If a move cannot be read or breaks a rule, or the evidence proves nothing.
    """
    for step in _steps(referee, layout, verdict, evidence):
        yield f"{_board(referee, step.position, step.marks.absent)}\n\n{fill(step.caption, LINE)}"


def scenes(
    referee: Referee, layout: str, verdict: Verdict | None = None, evidence: str | None = None
) -> Iterator[Scene]:
    """Yield the same as pictures.

    Raises
    ------
    InvalidEvidence
        If a move cannot be read or breaks a rule, or the evidence proves nothing.
    """
    for step in _steps(referee, layout, verdict, evidence):
        alt = " ".join(_board(referee, step.position).split())
        yield table(referee.rules, step.position, step.marks, step.caption, f"{alt}. {step.caption}", step.proves)


def _steps(referee: Referee, layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[Step]:
    position = referee.position(layout)
    yield Step(position, Marks(), "The layout.")
    if evidence is None or verdict not in (Verdict.WINNABLE, Verdict.UNWINNABLE):
        return
    if verdict is Verdict.UNWINNABLE:
        yield _loss(referee, position, evidence)
        return
    referee("winnable", layout, verdict, None, evidence)
    step = Step(position, Marks(), "")
    for number, (play, before) in enumerate(referee.replayed(position, evidence), start=1):
        won = " All cards are up: won." if referee.won(play.after) else ""
        step = Step(play.after, Marks(play.cards), f"Move {number}, {play.word}: {_told(play, before)}.{won}")
        yield step
    if not step.caption:
        yield Step(position, Marks(), "All cards are up: won without a move.")


def _loss(referee: Referee, position: Position, evidence: str) -> Step:
    """Return why a position is lost."""
    live, count = read_loss(referee.rules, evidence)
    positions = "1 position" if count == 1 else f"{count:,} positions"
    if live is None:
        reason = f"{positions} can be reached, and none of them is won."
        return Step(position, Marks(), f"Lost: {reason}", f"{reason} The referee visits them all.")
    cards = sorted(live, key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0])))
    number = NUMBERS[len(cards)] if len(cards) < len(NUMBERS) else str(len(cards))
    caption = f"Unwinnable: even if all cards but these {number} were out of the way, they could not be played."
    if len(cards) == 1:
        caption = (
            f"Unwinnable: even if all cards but the {_name(cards[0])} were out of the way, it could not be played."
        )
    reason = f"{caption} In the easier game, {positions} can be reached, and none of them is won."
    absent = frozenset(referee.rules.deck()) - live
    return Step(position, Marks(absent=absent), f"{reason} The cards that matter: {' '.join(cards)}.", reason)


def _told(play: Play, before: Position) -> str:
    """Return a move in words."""
    card, target = play.word[:2], play.word[2:]
    others = len(play.cards) - 1
    with_others = f" and the {others} card{'s' * (others > 1)} on it" if others else ""
    where = {
        "f": "to its foundation",
        "c": "to a cell",
        "e": "to an empty column",
        "h": "into the hole",
    }.get(target) or f"onto the {_name(target)}"
    return f"{_name(card)}{with_others}{_source(card, before)} {where}"


def _source(card: str, before: Position) -> str:
    for words, cards in (("a cell", before.cells), ("the reserve", before.reserve), ("the stock", before.stock)):
        if card in cards:
            return f" from {words}"
    on_column = any(card in column for column in before.columns)
    return "" if on_column else " from its foundation"


def _name(card: str) -> str:
    return f"{rank_name(card[0])} of {NAMES[card[1]]}"


def _board(referee: Referee, position: Position, absent: Set[str] = frozenset()) -> str:
    """Return the table as text; cards that lie face down have a small letter, and dots stand for absent cards."""
    rules, lines = referee.rules, list[str]()
    if rules.hole != "none":
        lines.append(f"hole  {position.hole}")
    else:
        tops = [
            RANKS[(position.base + count - 1) % rules.ranks] + suit if count else f"-{suit}"
            for suit, count in zip(SUITS, position.foundations, strict=True)
        ]
        lines.append(f"foundations  {' '.join(tops)}")
    if rules.cells:
        lines.append(f"cells  {' '.join([*position.cells, *['--'] * (rules.cells - len(position.cells))])}")
    if rules.reserve:
        lines.append(f"reserve  {' '.join(position.reserve) or '--'}")
    if rules.stock:
        waste, stock = position.stock[: position.turned], position.stock[position.turned :]
        for name, cards in (("waste", waste), ("stock", stock)):
            if cards or name == "stock":
                shown = [ABSENT if card in absent else card for card in cards]
                lines.append(fill(f"{name}  {' '.join(shown) or '--'}", LINE, subsequent_indent="       "))
    numbers = [f"{number:>2}" for number in range(1, len(position.columns) + 1)]
    columns = [[ABSENT if card.upper() in absent else card for card in column] for column in position.columns]
    rows = [list(row) for row in zip_longest(*columns, fillvalue="  ")] or [["--"] * len(numbers)]
    return "\n".join([*lines, "", *("  ".join(row).rstrip() for row in [numbers, *rows])])
