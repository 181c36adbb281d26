"""Patiences as text and as pictures: the layout, and the table after each move of a win, why it is lost, or which plays
of the careful player are won."""

import re
from collections.abc import Iterator, Sequence, Set
from itertools import zip_longest
from textwrap import fill
from typing import NamedTuple

from dealmill.cards import Marks, caption_of_plays, rows_of_plays, scene_of_step
from dealmill.game import Scene, rank_name
from dealmill.pipeline.games.patience.display.drawing import table
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.visits import FEW_POSITIONS
from dealmill.pipeline.games.patience.moves import DEALT, EMPTY, FOUNDATION, STOCK, Play
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.referees import read_plays
from dealmill.verdicts import Verdict

LINE = 90
IDLE, HIDDEN = " .", "##"
LAYOUT = "The layout."
"""The caption of the first step."""
OF_COPIES = re.compile(f"({STOCK}?)([0-9]+)(?:-([0-9]+)|{FOUNDATION})", re.ASCII)
"""Where a card that exists more than once comes from, and goes to."""
NAMES = {"C": "clubs", "H": "hearts", "S": "spades", "D": "diamonds"}


class Step(NamedTuple):
    """The table after a move, or before the first one; or which plays of the careful player are won."""

    position: Position
    marks: Marks
    caption: str
    proves: str = ""
    wins: Sequence[bool] = ()


def frames(referee: Referee, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
    """Yield the layout, then the table after each move of a win, why it is lost, or which plays are won.

    Raises
    ------
    InvalidEvidence
        If a move cannot be read or breaks a rule, or the evidence proves nothing.
    """
    for step in _steps(referee, layout, verdict, evidence):
        drawn = rows_of_plays(step.wins) if step.wins else board(referee, step.position, step.marks.idle)
        legend = f"\n\n{fill(_legend(referee.rules), LINE)}" if step.caption == LAYOUT else ""
        yield f"{drawn}\n\n{fill(step.caption, LINE)}{legend}"


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
        yield _scene(referee, step)


def _scene(referee: Referee, step: Step) -> Scene:
    return scene_of_step(
        step,
        lambda closed: board(referee, step.position, closed=closed),
        lambda alt: table(referee.rules, step.position, step.marks, step.caption, alt, step.proves),
    )


def _steps(referee: Referee, layout: str, verdict: Verdict | None, evidence: str | None) -> Iterator[Step]:
    position = referee.position(layout)
    yield Step(position, Marks(), LAYOUT)
    if evidence is None or verdict not in (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.SCORED):
        return
    if verdict is Verdict.SCORED:
        [share] = referee.explained(layout, verdict, evidence)
        yield Step(position, Marks(), caption_of_plays(share), wins=read_plays(evidence))
        return
    if verdict is Verdict.UNWINNABLE:
        if read_loss(referee.rules, evidence).positions in FEW_POSITIONS:
            referee("winnable", layout, verdict, None, evidence)
        yield from _loss(referee, position, evidence)
        return
    referee("winnable", layout, verdict, None, evidence)
    step = Step(position, Marks(), "")
    for number, (play, before) in enumerate(referee.replayed(position, evidence), start=1):
        won = " All cards are up: won." if referee.won(play.after) else ""
        marks = Marks(moved_names(referee.rules, play))
        step = Step(play.after, marks, f"Move {number}, {play.word}: {told(play, before)}.{won}")
        yield step
    if not step.caption:
        yield Step(position, Marks(), "All cards are up: won without a move.")


def _legend(rules: Rules) -> str:
    """Return how the board of a layout is read."""
    words = ["Suits are C clubs, H hearts, S spades, D diamonds; T is 10."]
    if rules.face_down != "none":
        words.append("A small letter, as in 9d: the card lies face down.")
    words.append("Columns are numbered, and the lowest card of each is free.")
    if rules.stock:
        words.append("The first card of the stock is turned first.")
    return " ".join(words)


def _loss(referee: Referee, position: Position, evidence: str) -> Iterator[Step]:
    """Yield why a position is lost, and then the positions that can be reached, if there are few."""
    loss = read_loss(referee.rules, evidence)
    idle = loss.idle_cards(referee.rules, position)
    is_word = loss.reason[1].islower()  # not the name of a card
    sentence = f"Unwinnable: {loss.reason[0].lower() if is_word else loss.reason[0]}{loss.reason[1:]}"
    matter = f" The cards that matter: {' '.join(loss.cards)}." if idle else ""
    yield Step(position, Marks(idle=idle), f"{sentence}{matter}", loss.reason)
    if loss.positions not in FEW_POSITIONS:
        return
    positions = [position]
    for number, visit in enumerate(loss.visits(referee, position), start=1):
        before, moved = positions[visit.origin], visit.play.cards if visit.play else ()
        by = f", from position {visit.origin} by {visit.play.word}: {told(visit.play, before)}" if visit.play else ""
        gone = sorted(visit.position.absent - before.absent - idle)
        too = f" Out of the way, since absent cards would take them: {' '.join(gone)}." if gone else ""
        caption = f"Position {number} of {loss.positions}{by}.{too} {visit.moves}"
        positions.append(visit.position)
        grey = frozenset(referee.rules.deck()) - visit.stuck if visit.stuck else idle
        yield Step(visit.position, Marks(moved, grey), caption, loss.reason)


def told(play: Play, before: Position) -> str:
    """Return a move in words."""
    card, target = play.word[:2], play.word[2:]
    if card in before.absent:
        return f"{_name(card)}, which is out of the way, into the hole"
    others = len(play.cards) - 1
    if target == DEALT:
        return f"{len(play.cards)} card{'s' * (others > 0)} of the stock to the columns"
    with_others = f" and the {others} card{'s' * (others > 1)} on it" if others else ""
    if places := OF_COPIES.fullmatch(target):
        where = f"to column {places[3]}" if places[3] else "to a foundation"
        return f"{_name(card)}{with_others} from {'the stock' if places[1] else f'column {places[2]}'} {where}"
    where = {
        "f": "to its foundation",
        "c": "to a cell",
        "e": "to an empty column",
        "h": "into the hole",
        "": "out of the way, since an absent card would take it",
    }.get(target) or (f"to column {target[1:]}" if target[0] == EMPTY else f"onto the {_name(target)}")
    return f"{_name(card)}{with_others}{_source(card, before)} {where}"


def moved_names(rules: Rules, play: Play) -> list[str]:
    """Return the names of the cards of a move in the picture after it."""
    if rules.copies == 1:
        return list(play.cards)
    if play.word[2:] == DEALT:
        return [f"{card}{number}" for number, card in enumerate(play.cards, start=1)]
    if play.word.endswith(FOUNDATION) and not rules.complete:
        return list(play.cards)
    return [f"{card}{column}" for card in play.cards if (column := play.word.partition("-")[2])]


def _source(card: str, before: Position) -> str:
    for words, cards in (("a cell", before.cells), ("the reserve", before.reserve), ("the stock", before.stock)):
        if card in cards:
            return f" from {words}"
    on_column = any(card in column for column in before.columns)
    return "" if on_column else " from its foundation"


def _name(card: str) -> str:
    return f"{rank_name(card[0])} of {NAMES[card[1]]}"


def board(referee: Referee, position: Position, idle: Set[str] = frozenset(), *, closed: bool = False) -> str:
    """Return the table as text; cards that lie face down have a small letter, and dots stand for idle cards. If it is
    `closed`, cards that lie face down and those of the stock are hidden."""
    rules, lines = referee.rules, list[str]()
    if rules.hole != "none":
        lines.append(f"hole  {position.hole}")
    else:
        tops = [top or f"-{suit}" for suit, top in zip(rules.piles, referee.tops(position), strict=True)]
        lines.append(f"foundations  {' '.join(tops)}")
    if rules.cells:
        lines.append(f"cells  {' '.join([*position.cells, *['--'] * (rules.cells - len(position.cells))])}")
    if rules.reserve:
        lines.append(f"reserve  {' '.join(position.reserve) or '--'}")
    if rules.stock:
        waste, stock = position.stock[: position.turned], position.stock[position.turned :]
        for name, cards in (("waste", waste), ("stock", stock)):
            if cards or name == "stock":
                hidden = closed and name == "stock"
                shown = [HIDDEN if hidden else IDLE if card in idle else card for card in cards]
                lines.append(fill(f"{name}  {' '.join(shown) or '--'}", LINE, subsequent_indent="       "))
        if position.passes:
            lines.append(f"further passes  {position.passes}")
    numbers = [f"{number:>2}" for number in range(1, len(position.columns) + 1)]
    columns = [
        [HIDDEN if closed and card[1].islower() else IDLE if card.upper() in idle else card for card in column]
        for column in position.columns
    ]
    rows = [list(row) for row in zip_longest(*columns, fillvalue="  ")] or [["--"] * len(numbers)]
    return "\n".join([*lines, "", *("  ".join(row).rstrip() for row in [numbers, *rows])])
