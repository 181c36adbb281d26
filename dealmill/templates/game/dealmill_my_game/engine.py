"""The solver: a breadth-first search. A node is a square from which the token jumps."""

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, to_solved, to_strings
from dealmill.verdicts import Verdict


def winnable(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Solve layouts. One that would take more than `max_nodes` nodes is undecided."""
    batch = Batch([], [], [], [])
    for row in to_strings(layouts):
        verdict, nodes, evidence = _solve(row, max_nodes)
        batch.verdicts.append(verdict)
        batch.values.append(None)
        batch.nodes.append(nodes)
        batch.evidence.append(evidence)
    return to_solved(batch)


def _solve(row: str, max_nodes: int) -> tuple[Verdict, int, str | None]:
    """Return the verdict, the number of nodes and the evidence."""
    last = len(row) - 1
    came_from = {0: 0}
    waiting = [0]
    for nodes, square in enumerate(waiting):
        if square == last:
            return Verdict.WINNABLE, nodes, _path(came_from, square)
        if nodes == max_nodes:
            return Verdict.UNDECIDED, nodes, None
        for to in (square - int(row[square]), square + int(row[square])):
            if 0 <= to <= last and to not in came_from:
                came_from[to] = square
                waiting.append(to)
    return Verdict.UNWINNABLE, len(waiting), _text(sorted(waiting))


def _path(came_from: dict[int, int], square: int) -> str:
    squares = [square]
    while square:
        square = came_from[square]
        squares.append(square)
    return _text(squares[::-1])


def _text(squares: list[int]) -> str:
    return " ".join(str(square + 1) for square in squares)
