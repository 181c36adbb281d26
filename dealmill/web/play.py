"""Playing on from any position of a patience, by links: the address has the layout and all moves; nothing is stored.

The position is solved within a small node limit, so that each move tells whether the game is still won.
"""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.functions import Choice, Link
from dealmill.pipeline.games.installed import LONGEST_VARIANT
from dealmill.pipeline.printable import counted
from dealmill.web.check import (
    LAYOUT_LIMIT,
    MOVES_LIMIT,
    NODE_LIMIT,
    TIME_LIMIT,
    Drawer,
    PasteSolver,
    Task,
    named_layout,
)
from dealmill.web.filters import url
from dealmill.web.site import Digits, page

DEFAULT_NODES = 20_000
"""The node limit of each position if none is given."""
MORE_NODES = 1_000_000
"""The node limit to which a link leads from a position that was not decided."""

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Game:
    """What the address says: the layout in which a game began, or the name of the numbered deal, its moves, the piece
    that was tapped, and the node limit of the solver."""

    game: str
    layout: str
    moves: tuple[str, ...]
    piece: str
    nodes: int

    def address(self, moves: tuple[str, ...] | None = None, **further: str | int) -> str:
        """Return the address after some moves, of this position by default."""
        nodes = {} if self.nodes == DEFAULT_NODES else {"nodes": self.nodes}
        words = " ".join(self.moves if moves is None else moves)
        given = {"game": self.game, "layout": self.layout, **({"moves": words} if words else {})}
        return url("/play", {**given, **nodes, **further}) + "#play"

    def after(self, word: str) -> str:
        """Return the address after one more move."""
        return self.address((*self.moves, word))


@dataclass(frozen=True, slots=True)
class Board:
    """A position: its layout, whether it is won, its legal moves, the layout before the last move, and its picture."""

    layout: str
    won: bool
    choices: list[Choice]
    before: str | None
    picture: str


@router.get("/play")
def play(
    request: Request,
    game: Annotated[str, Query(max_length=LONGEST_VARIANT)],
    layout: Annotated[str, Query(max_length=LAYOUT_LIMIT)],
    moves: Annotated[str, Query(max_length=MOVES_LIMIT)] = "",
    piece: Annotated[str, Query(max_length=4)] = "",
    hint: bool = False,
    nodes: Annotated[int, Query(ge=1, le=NODE_LIMIT), Digits] = DEFAULT_NODES,
) -> Response:
    """Show a position, with a link for each move."""
    asked = Game(game, " ".join(layout.split()), tuple(moves.split()), piece, nodes)
    drawer: Drawer = request.app.state.drawer
    board = drawer.call(TIME_LIMIT, draw, asked, ())
    result, undecided = _solved(request.app.state.paste_solver, asked, board)
    is_lost = result is not None and result.verdict is dealmill.Verdict.UNWINNABLE
    lost_now = is_lost and board.before is not None and _was_won(request.app.state.paste_solver, asked, board.before)
    winning = result.evidence.split(" ")[0] if result and not is_lost and result.evidence and not board.won else None
    if hint and winning:
        [choice] = [choice for choice in board.choices if choice.word == winning]
        board = drawer.call(TIME_LIMIT, draw, asked, (choice.piece,))
    return page(
        request,
        "play.html",
        title=find_game(game).full_title,
        asked=asked,
        board=board,
        result=result,
        undecided=undecided,
        lost_now=lost_now,
        winning=next((choice for choice in board.choices if choice.word == winning), None),
        hint=hint,
        more_nodes=MORE_NODES,
        proof=url("/check", {"game": game, "layout": board.layout, "nodes": max(_limit(asked), MORE_NODES)}),
    )


def draw(asked: Game, marked: tuple[str, ...]) -> Board:
    """Return the board after the moves, with a link on each piece that can move and, if a piece was tapped, on each
    place to which it can go.

    Raises
    ------
    UsageError
        If the layout is not one of the game, positions of the game are not layouts, a move is not legal, or the piece
        that was tapped cannot move.
    """
    owner = dealmill.games(asked.game)[asked.game]
    if owner.play is None:
        raise dealmill.UsageError(f"{owner.title} cannot be played here: its positions are not layouts")
    layout = named_layout(asked.game, asked.layout)
    try:
        table = owner.play(layout, asked.moves)
        before = owner.play(layout, asked.moves[:-1]).layout if asked.moves else None
    except dealmill.InvalidEvidence as error:
        where = error if error.step else error.reason  # step 0 is the layout
        raise dealmill.UsageError(f"this game cannot be played on: {where}") from None
    choices = list(table.choices)
    pieces = sorted({choice.piece for choice in choices})
    if asked.piece and asked.piece not in pieces:
        raise dealmill.UsageError(f"{asked.piece!r} cannot move here; what can: {', '.join(pieces) or 'nothing'}")
    moved = marked or ((asked.piece,) if asked.piece else ())
    svg = table.scene(_links(asked, choices), moved).svg
    picture = svg.replace('role="img"', 'role="group"', 1)  # an image has no links
    return Board(table.layout, table.won, choices, before, picture)


def _links(asked: Game, choices: list[Choice]) -> dict[str, Link]:
    """Return the links of pieces and places."""
    links: dict[str, Link] = {}
    for choice in choices:
        if not choice.targets:
            links[choice.piece] = Link(asked.after(choice.word), choice.caption)
        elif choice.piece != asked.piece:
            links.setdefault(choice.piece, Link(asked.address(piece=choice.piece), f"Take {choice.piece}"))
    for choice in choices:
        if choice.piece == asked.piece:
            links |= {target: Link(asked.after(choice.word), choice.caption, True) for target in choice.targets}
    if asked.piece:
        links[asked.piece] = Link(asked.address(), f"Put {asked.piece} back")
    return links


def _limit(asked: Game) -> int:
    """Return the node limit of searches: none but the highest for a sweep, which takes milliseconds however many
    positions it visits."""
    engine = dealmill.games(asked.game)[asked.game].engines[0]
    return NODE_LIMIT if engine.needs_no_limit else asked.nodes


def _solved(solver: PasteSolver, asked: Game, board: Board) -> tuple[dealmill.Result | None, str | None]:
    """Return the result for a position, or why there is none."""
    if board.won:
        return None, None
    try:
        result, _ = solver.solve(Task(asked.game, board.layout, None, _limit(asked)))
    except dealmill.DealmillError as error:
        return None, str(error)
    if result.verdict is dealmill.Verdict.UNDECIDED:
        return None, f"not decided within {counted(asked.nodes, 'node')}"
    return result, None


def _was_won(solver: PasteSolver, asked: Game, layout: str) -> bool:
    """Return whether the position before the last move could be won, as far as that is decided."""
    try:
        return solver.solve(Task(asked.game, layout, None, _limit(asked)))[0].verdict is dealmill.Verdict.WINNABLE
    except dealmill.DealmillError:
        return False
