"""What can be done with layouts without a store."""

from collections.abc import Callable, Iterable, Mapping
from os import PathLike, fsdecode
from typing import TYPE_CHECKING, TextIO, overload

from dealmill.pipeline.arguments import MOST, MOST_DEAL, node_limit, whole
from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import engine_of, find_game
from dealmill.pipeline.games.contract import Layout
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.files import open_binary
from dealmill.pipeline.referee import Judgement, judge
from dealmill.pipeline.result import Result

if TYPE_CHECKING:
    from dealmill.pipeline.answer import Answered


def deals(
    game: str,
    *,
    seed: int = 1,
    first: int = 1,
    count: int | None = None,
    parameters: Mapping[str, int] | None = None,
) -> DealRange:
    """Return the numbered deals `first` … `first + count - 1` of a game, or all from `first` on if `count` is None.

    Deal number k of a seed is the same on every machine and is reached without dealing those before it. Iterating
    yields `Layout` objects, dealt in blocks: `text` is the canonical text of a deal, `line` its number. `parameters`
    shape the deals, for instance ``{"ranks": 13, "stacks": 13}`` of card pairing; ``dealmill games --json`` lists them.

    Raises
    ------
    NotFoundError
        If there is no such game.
    UsageError
        If there are no such deals.
    """
    first = whole("the number of the first deal", first, 1, MOST_DEAL)
    last = MOST
    if count is not None:
        last = whole("the number of the last deal", first + whole("count", count, 1) - 1, 1, MOST_DEAL)
    found = DealRange(find_game(game), seed, first, last, parameters or {})
    found.check_parameters()
    return found


@overload
def solve(  # type: ignore[overload-overlap]
    game: str, layouts: str | Layout | Result, *, engine: str | None = None, max_nodes: int | None = None
) -> Result: ...
@overload
def solve(
    game: str, layouts: Iterable[str | Layout | Result], *, engine: str | None = None, max_nodes: int | None = None
) -> list[Result]: ...
def solve(
    game: str,
    layouts: str | Layout | Result | Iterable[str | Layout | Result],
    *,
    engine: str | None = None,
    max_nodes: int | None = None,
) -> Result | list[Result]:
    """Solve one layout, or several, in this process; nothing is stored.

    Parameters
    ----------
    game
        ``memory``; the full name of an engine such as ``memory/incremental`` will do, too.
    engine
        An engine of the game; None means its default one.
    layouts
        A layout as a line of a file has it, for instance its canonical text, a `Layout`, or the one of a
        `Result`. Or an iterable of them, such as `deals` or a `Query`.
    max_nodes
        Leave a layout undecided that would take more nodes than that, 1 to 2⁶² − 1.

    Returns
    -------
    Result or list of Result
        One result for one layout, a list in the same order for several.

    Raises
    ------
    NotFoundError, UsageError
        If there is no such game or engine, the engine is one of another game, or an argument is out of range.
    BadLayout
        If a text is not a layout of the game; it lists every reason.
    """
    from dealmill.pipeline.solve import solve_layouts

    owner, used = engine_of(game, engine)
    limit = node_limit(max_nodes)
    if isinstance(layouts, str | bytes | Layout | Result):
        [result] = solve_layouts(owner, used, [_text(layouts)], limit)
        return result
    if isinstance(layouts, DealRange) and layouts.endless:
        raise UsageError(f"{layouts.name} has no end: say how many with count")
    return solve_layouts(owner, used, list(map(_text, layouts)), limit)


def _text(layout: object) -> str:
    if isinstance(layout, Layout):
        return layout.text
    if isinstance(layout, Result):
        return layout.layout
    if isinstance(layout, str):
        return layout
    raise UsageError(f"a layout is a text, a Layout or a Result, not {layout!r}")


def check(
    game: str,
    layout: str,
    verdict: Verdict | str,
    evidence: str | None,
    *,
    value: int | None = None,
    engine: str | None = None,
) -> Judgement:
    """Have the referee of a game check a verdict by its evidence.

    This loads the rules of the game, which are plain Python, and nothing else: no engine, no store, no compiler.

    Parameters
    ----------
    game
        ``memory``; the full name of an engine such as ``memory/two-pass`` will do, too.
    layout
        The canonical text of the layout.
    verdict
        ``"winnable"``, ``"unwinnable"``, ``"scored"``, ``"undecided"`` or ``"failed"``.
    evidence
        The trace or the certificate; None where the layout is undecided.
    value
        The value of a scored layout.
    engine
        Whose verdict it is, if not that of the default engine of the game.

    Raises
    ------
    NotFoundError, UsageError
        If there is no such game, engine or verdict, or the engine is one of another game.
    """
    owner, used = engine_of(game, engine)
    return judge(owner.full_name(used), layout, Verdict.of(verdict), value, evidence)


def answer(
    game: str,
    file: str | PathLike[str],
    output: TextIO,
    *,
    engine: str | None = None,
    complain: Callable[[str], object] = lambda _: None,
) -> "Answered":
    """Write the answers to a file of layouts in the output format of the game's problem statement; store nothing.

    Parameters
    ----------
    file
        Text in the input format of the statement or with a canonical layout a line, plain or gzipped; ``-`` is
        standard input.
    output
        Receives the answers in the order of the layouts, ``?`` for one that has none.
    engine
        An engine of the game; None means its default one.
    complain
        Called with a message for every layout that has no answer.

    Raises
    ------
    NotFoundError, UsageError
        If there is no such game or engine, or the engine is one of another game.
    InputError
        If the file cannot be read.
    """
    from dealmill.pipeline.answer import answer as answer_entries
    from dealmill.pipeline.ingest.compiled import checked_by
    from dealmill.pipeline.ingest.scanning import scan

    owner, used = engine_of(game, engine)
    name = fsdecode(file)
    with open_binary(name) as binary:
        return answer_entries(owner, used, scan(binary, name, owner, lambda _: checked_by(owner)), output, complain)
