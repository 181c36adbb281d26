"""Covering games as text and as pictures: the layout, and the table after each move of a win, why it is lost, or which
plays of the careful player are won."""

from collections.abc import Iterator, Sequence, Set
from textwrap import fill
from typing import NamedTuple

from dealmill.cards import Marks, caption_of_plays, rows_of_plays, scene_of_step
from dealmill.game import Scene, rank_name
from dealmill.pipeline.games.covering.drawing import slots_of, table, up_to
from dealmill.pipeline.games.covering.referee import FEW_POSITIONS, HOLE, Play, Referee, read_loss
from dealmill.pipeline.games.covering.rules import Position, Rules, lies_face_down
from dealmill.referees import read_plays
from dealmill.verdicts import Verdict

LINE = 90
IDLE, HIDDEN = " .", "##"
LAYOUT = "The layout."
"""The caption of the first step."""
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
        won = f" {_goal(referee)}: won." if referee.won(play.after) else ""
        step = Step(play.after, Marks(play.cards), f"Move {number}, {play.word}: {told(play, before)}.{won}")
        yield step
    if not step.caption:
        yield Step(position, Marks(), f"{_goal(referee)}: won without a move.")


def _goal(referee: Referee) -> str:
    return "The arrangement is gone" if referee.rules.goal == "arrangement" else "All cards are gone"


def _loss(referee: Referee, position: Position, evidence: str) -> Iterator[Step]:
    """Yield why a position is lost, and then the positions that can be reached, if there are few."""
    loss = read_loss(referee.rules, evidence)
    easier, _ = referee.easier(position, loss)
    cards = [*filter(None, position.places), *position.stock]
    idle = frozenset(card for card in cards if card[0] in easier.idle)
    yield Step(position, Marks(idle=idle), f"Unwinnable: {loss.reason[0].lower()}{loss.reason[1:]}", loss.reason)
    if loss.positions not in FEW_POSITIONS:
        return
    positions = [position]
    for number, visit in enumerate(referee.visits(position, loss), start=1):
        before, moved = positions[visit.origin], visit.play.cards if visit.play else ()
        by = f", from position {visit.origin} by {visit.play.word}: {told(visit.play, before)}" if visit.play else ""
        caption = f"Position {number} of {loss.positions}{by}. {visit.moves}"
        positions.append(visit.position)
        yield Step(visit.position, Marks(moved, idle), caption, loss.reason)


def told(play: Play, before: Position) -> str:
    """Return a move in words."""
    names = [f"{_name(card)}{' from the stock' if card in before.stock else ''}" for card in play.cards]
    return (
        f"{names[0]} into the hole"
        if play.word.endswith(HOLE)
        else f"{' and '.join(names)} leave{'s' * (len(names) == 1)}"
    )


def _name(card: str) -> str:
    return f"{rank_name(card[0])} of {NAMES[card[1]]}"


def _legend(rules: Rules) -> str:
    """Return how the board of a layout is read."""
    words = ["Suits are C clubs, H hearts, S spades, D diamonds; T is 10."]
    if rules.face_down == "covered":
        words.append("A small letter, as in 9d: the card is covered, and lies face down.")
    else:
        words.append("A card is covered by those below it that touch it.")
    if rules.stock:
        words.append("The first card of the stock is turned first.")
    return " ".join(words)


def board(referee: Referee, position: Position, idle: Set[str] = frozenset(), *, closed: bool = False) -> str:
    """Return the table as text; cards that lie face down have a small letter, and dots stand for idle cards. If it is
    `closed`, cards that lie face down and those of the stock are hidden."""
    rules = referee.rules
    lines = [f"hole  {position.hole}"] if rules.moves == "hole" else []
    if rules.stock:
        up = up_to(rules, position)
        waste, stock = position.stock[: position.turned], position.stock[position.turned :]
        for name, cards in (("waste", waste), ("stock", stock)):
            if cards or name == "stock":
                seen = up - position.turned if closed and name == "stock" else len(cards)
                words = [IDLE if card in idle else card for card in cards[:seen]]
                shown = " ".join([*words, *[HIDDEN] * (len(cards) - seen)]) or "--"
                lines.append(fill(f"{name}  {shown}", LINE, subsequent_indent="       "))
        if position.passes:
            lines.append(f"further passes  {position.passes}")
    rows = [[" "] * 4 * rules.row_sizes[-1] for _ in range(rules.rows)]
    for number, (slot, row) in slots_of(rules, rules.row_sizes[-1]).items():
        rows[row][round(4 * slot) : round(4 * slot) + 2] = _shown(referee, position, number, idle, closed)
    lines += ["", *("".join(row).rstrip() for row in rows)]
    if rules.columns:
        first, size = sum(rules.row_sizes), rules.column_size
        lines += [""]
        for depth in range(size):
            numbers = range(first + depth, len(rules.covers), size)
            lines.append("  ".join(_shown(referee, position, number, idle, closed) for number in numbers).rstrip())
    return "\n".join(lines)


def _shown(referee: Referee, position: Position, number: int, idle: Set[str], closed: bool) -> str:
    card, is_face_down = position.places[number], lies_face_down(referee.rules, position.places, number)
    if is_face_down and closed:
        return HIDDEN
    if card in idle:
        return IDLE
    return card[0] + card[1].lower() if is_face_down else card or "  "
