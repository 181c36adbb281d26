"""Whether a layout can still be won after some moves, and which of them lost it."""

from collections.abc import Sequence
from dataclasses import dataclass

from dealmill.pipeline.errors import InvalidEvidence, UsageError
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.solving.solve import solve_layouts


@dataclass(frozen=True, slots=True)
class After:
    """The position after some moves, as a layout with its verdict.

    If it is lost, but the layout could be won before, it could still be won after the first `won` moves, and is lost
    after the first `lost` ones. Otherwise, both are None. `next_move` is the first move of the win from there; None if
    there is none, or the game is won already.
    """

    result: Result
    moves: tuple[str, ...]
    won: int | None = None
    lost: int | None = None
    next_move: str | None = None

    @property
    def losing_move(self) -> int | None:
        """The number of the move that lost the game, from 1; None if none did, or the search between `won` and `lost`
        was not decided within the node limit."""
        return self.lost if self.won is not None and self.lost == self.won + 1 else None


def after(game: Game, engine: Engine, layout: str, moves: Sequence[str], max_nodes: int | None) -> After:
    """Play moves from a layout, solve the position and, if it is lost, find the losing move by bisection.

    Once lost, a game stays lost; before a position that can be won, it could be won.

    Raises
    ------
    UsageError
        If positions of the game are not layouts.
    InvalidEvidence
        If a word is not a move, or the rules do not allow it; the message lists the moves that they allow there.
    """
    play = game.play
    if play is None:
        raise UsageError(
            f"positions of {game.name} are not layouts: only patiences and covering games can be played on"
        )
    try:
        table = play(layout, moves)
    except InvalidEvidence as error:
        legal = " ".join(choice.word for choice in play(layout, moves[: error.step - 1]).choices)
        raise type(error)(error.step, f"{error.reason}; legal moves there: {legal or 'none'}") from None

    def solved(number: int) -> Result:
        [result] = solve_layouts(game, engine, [play(layout, moves[:number]).layout], max_nodes)
        return result

    result = solved(len(moves))
    if result.verdict is Verdict.WINNABLE and result.evidence and not table.won:
        return After(result, tuple(moves), next_move=result.evidence.split()[0])
    if result.verdict is not Verdict.UNWINNABLE or not moves or solved(0).verdict is not Verdict.WINNABLE:
        return After(result, tuple(moves))
    won, lost = 0, len(moves)
    while lost - won > 1:
        middle = (won + lost) // 2
        match solved(middle).verdict:
            case Verdict.WINNABLE:
                won = middle
            case Verdict.UNWINNABLE:
                lost = middle
            case _:
                break
    return After(result, tuple(moves), won, lost)
