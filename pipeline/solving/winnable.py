"""Numbered deals that can be won, one after the other, by grade of difficulty.

The grade of a win is fixed by the bounds that an engine publishes (`Engine.grades`), and by the chance that a careful
player wins the deal or, in games without one, by the nodes of the search. So it does not depend on other deals, and the
same request gives the same deals on every machine.
"""

from collections.abc import Iterator
from dataclasses import replace

from dealmill.pipeline.arguments import check_integer
from dealmill.pipeline.errors import NotFoundError, UsageError
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.solving.solve import solve_layouts

MAX_NODES = 100_000
"""The node limit for each deal by default, if the engine has grades or a limit. A deal that needs more is passed
over."""
MAX_AT_ONCE = 256
"""Deals are solved one by one at first, then in batches that double up to so many."""
MAX_OTHERS = 10_000
"""The search ends with an error after so many deals in a row of which none is asked for, by default."""


def check_grade(game: Game, engine: Engine, grade: int | None) -> None:
    """Check that an engine tells whether deals can be won, and has a grade.

    Raises
    ------
    UsageError
        If not.
    """
    if Verdict.WINNABLE not in game.verdicts_of(engine):
        raise UsageError(f"{game.full_name(engine)} does not tell whether a deal can be won")
    if grade is None:
        return
    grader = game.grader(engine)
    if grader is None:
        raise UsageError(
            f"{game.full_name(engine)} has no fixed grades; leave out the grade, or grade deals among themselves with: "
            "dealmill pack"
        )
    check_integer("grade", grade, 1, len(grader.grades) + 1)


def default_limit(engine: Engine) -> int | None:
    """Return the node limit for each deal by default; None for engines that decide every deal without a limit, such as
    that of Golf, whose nodes are all positions that can be reached."""
    return None if engine.needs_no_limit and not engine.grades else MAX_NODES


def winnable_deals(
    deals: DealRange, engine: Engine, grade: int | None, max_nodes: int | None, most_others: int = MAX_OTHERS
) -> Iterator[Result]:
    """Yield the results of those deals of a range that can be won, or that are wins of one `grade`. Their lines are the
    numbers of the deals.

    Raises
    ------
    NotFoundError
        If none of `most_others` deals in a row is one, or the range has no more deals.
    """
    first, size, others, wins = 1, 1, 0, 0
    while first <= len(deals) and others < most_others:
        size = min(size, most_others - others)
        part = deals.part(first, min(first + size, len(deals) + 1))
        for line, result in enumerate(solve_layouts(deals.game, engine, _texts(part), max_nodes), start=part.first):
            others += 1
            if result.verdict is Verdict.WINNABLE and grade in (None, grade and _grade(deals.game, engine, result)):
                others, wins = 0, wins + 1
                yield replace(result, line=line, position=wins)
        first, size = first + size, min(2 * size, MAX_AT_ONCE)
    kind = "winnable deal" if grade is None else f"winnable deal of grade {grade}"
    within = "" if max_nodes is None else f" within {max_nodes:,} nodes each"
    raise NotFoundError(
        f"no further {kind} of {deals.game.name} up to deal {part.last:,}{within}; start at another deal"
        + ("" if max_nodes is None else ", or allow more nodes")
    )


def _grade(game: Game, engine: Engine, win: Result) -> int | None:
    """Return the grade of a win, for which the careful player plays it."""
    grader = game.grader(engine)
    if grader is None or grader is engine:
        return win.grade
    [played] = solve_layouts(game, grader, [win.layout])
    return played.grade


def _texts(deals: DealRange) -> list[str]:
    return [layout.text for layout in deals]
