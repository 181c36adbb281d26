"""The solver of Peg row: a depth-first search over positions as bits. A node is a position."""

from collections.abc import Iterator

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, to_solved, to_strings
from dealmill.verdicts import Verdict


def winnable(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Solve rows; one with more than `max_nodes` positions to visit is undecided."""
    batch = Batch([], [], [], [])
    for row in to_strings(layouts):
        verdict, nodes, evidence = _solve(row, max_nodes)
        batch.verdicts.append(verdict)
        batch.values.append(None)
        batch.nodes.append(nodes)
        batch.evidence.append(evidence)
    return to_solved(batch)


def _solve(row: str, max_nodes: int) -> tuple[Verdict, int, str | None]:
    first = sum(1 << hole for hole, symbol in enumerate(row) if symbol == "o")
    origins: dict[int, tuple[int, str]] = {first: (0, "")}
    waiting = [first]
    while waiting:
        position = waiting.pop()
        for after, jump in _jumps(position, len(row)):
            if after not in origins:
                if len(origins) == max_nodes:
                    return Verdict.UNDECIDED, max_nodes, None
                origins[after] = position, jump
                if after.bit_count() == 1:
                    return Verdict.WINNABLE, len(origins), " ".join(_path(origins, after))
                waiting.append(after)
    return Verdict.UNWINNABLE, len(origins), str(len(origins))


def _jumps(position: int, holes: int) -> Iterator[tuple[int, str]]:
    """Yield the positions after each possible jump, with the jump."""
    for low in range(holes - 2):
        match position >> low & 7:
            case 3:
                yield position ^ 7 << low, f"{low + 1}-{low + 3}"
            case 6:
                yield position ^ 7 << low, f"{low + 3}-{low + 1}"


def _path(origins: dict[int, tuple[int, str]], position: int) -> list[str]:
    jumps: list[str] = []
    while origins[position][1]:
        position, jump = origins[position]
        jumps.append(jump)
    return jumps[::-1]
