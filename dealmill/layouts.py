"""Functions on layouts that need no store."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from os import PathLike, fsdecode
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, overload

from dealmill.pipeline.arguments import MAX_INTEGER, check_integer, node_limit
from dealmill.pipeline.errors import InvalidEvidence, UsageError
from dealmill.pipeline.evidence.referee import Judgement, Outcome, judge
from dealmill.pipeline.games import engine_of, find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import SAMPLE_SEED, DealRange
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.games.reading import read_moves, read_pasted
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.files import open_binary
from dealmill.pipeline.results.result import Result

if TYPE_CHECKING:
    from dealmill.pipeline.engine_bench import EngineBench
    from dealmill.pipeline.outputs.pack import Pack
    from dealmill.pipeline.outputs.pack_check import CheckedPack
    from dealmill.pipeline.solving.after import After
    from dealmill.pipeline.solving.answer import Answered


def deals(
    game: str,
    *,
    seed: int = 1,
    first: int = 1,
    count: int | None = None,
    parameters: Mapping[str, int] | None = None,
    numbers: Iterable[int] | None = None,
    sample: int | None = None,
    sample_seed: int = SAMPLE_SEED,
) -> DealRange:
    """Return the numbered deals `first` … `first + count - 1` of a game, or all from `first` on if `count` is None.

    With `numbers`, return only the deals with these numbers, in ascending order. With `sample`, return only so many,
    evenly spread and drawn by `sample_seed`.

    Deal number k of a seed is the same on every machine and is computed without the deals before it. Iterating yields
    `Layout` objects: `text` is the canonical text of the deal, `line` its number. `parameters` are those of the game's
    deals, for example ``{"ranks": 13, "stacks": 13}`` for card pairing; ``dealmill games --json`` lists them.

    Raises
    ------
    NotFoundError
        If there is no such game.
    UsageError
        If the seed, the range or a parameter is not valid.
    """
    owner = find_game(game)
    if numbers is not None and sample is not None:
        raise UsageError("numbers and sample exclude each other")
    if numbers is not None and (first != 1 or count is not None):
        raise UsageError("numbers says which deals, so leave out first and count")
    if numbers is not None and (isinstance(numbers, str | bytes) or not isinstance(numbers, Iterable)):
        raise UsageError(f"numbers must be several numbers of deals, such as [1, 15, 19], not {numbers!r}")
    greatest = owner.last_deal(seed)
    first = check_integer("the number of the first deal", first, 1, greatest)
    last = MAX_INTEGER
    if count is not None:
        last = check_integer("the number of the last deal", first + check_integer("count", count, 1) - 1, 1, greatest)
    dealt = DealRange(owner, seed, first, last, parameters or {})
    if numbers is not None:
        listed = [check_integer("the number of a deal", number, first, min(last, greatest)) for number in numbers]
        dealt = dealt.only((number, number) for number in listed)
    elif sample is not None:
        dealt = dealt.sample(sample, sample_seed)
    dealt.check_deals()
    return dealt


def winnable_deals(
    game: str,
    *,
    seed: int = 1,
    first: int = 1,
    count: int | None = None,
    grade: int | None = None,
    parameters: Mapping[str, int] | None = None,
    max_nodes: int | None = None,
) -> Iterator[Result]:
    """Return an iterator over numbered deals that can be won, from deal `first` on, each as soon as it is solved.

    Their `line` is the number of the deal, and their `evidence` the solution. The same arguments give the same deals on
    every machine.

    Parameters
    ----------
    game
        The name of a game such as ``klondike``, or the full name of an engine.
    count
        The number of deals; None for no end.
    grade
        Only deals of this grade of difficulty, 1 to 5 in most games: by the chance that a careful player wins, who
        plays each deal a thousand times; in games without one, by the nodes (`Result.grade`).
    max_nodes
        Pass over a deal whose search would take more than this many nodes; by default 100,000, or none for engines
        that decide every deal and have no grades, such as that of Golf.

    Raises
    ------
    NotFoundError
        If there is no such game; from the iterator, if 10,000 deals in a row have no such deal.
    UsageError
        If the engine does not tell whether deals can be won, or an argument is out of range.
    """
    from dealmill.pipeline.solving.winnable import check_grade, default_limit  # loads the compiler
    from dealmill.pipeline.solving.winnable import winnable_deals as wins

    owner, used = engine_of(game)
    check_grade(owner, used, grade)
    source = deals(owner.name, seed=seed, first=first, parameters=parameters)
    return islice(wins(source, used, grade, node_limit(max_nodes) or default_limit(used)), _count(count))


def _count(count: int | None) -> int | None:
    return None if count is None else check_integer("count", count, 1)


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
    """Solve one layout, or several, in this process. Nothing is stored.

    Parameters
    ----------
    game
        The name of a game such as ``memory``, or the full name of an engine such as ``memory/incremental``.
    engine
        An engine of the game; None means its default one.
    layouts
        A layout: a `Layout`, a `Result`, whose layout is solved, or a text, as a file with a single layout has it, such
        as a line or a board of a patience. Or an iterable of layouts, such as `deals` or a `Query`; texts are lines.
    max_nodes
        Leave a layout undecided if its search would take more than this many nodes, 1 to 2⁶² − 1; None means the limit
        of the engine, if it has one.

    Returns
    -------
    Result or list of Result
        One result for one layout; a list in the same order for an iterable.

    Raises
    ------
    NotFoundError, UsageError
        If there is no such game or engine, the engine belongs to another game, or an argument is out of range.
    BadLayout
        If a text is not a valid layout of the game; the error lists all reasons.
    """
    from dealmill.pipeline.solving.solve import solve_layouts

    owner, used = engine_of(game, engine)
    limit = node_limit(max_nodes)
    if isinstance(layouts, str | bytes | Layout | Result):
        [result] = solve_layouts(owner, used, [read_pasted(owner, _text(owner, layouts))], limit)
        return result
    if isinstance(layouts, DealRange) and layouts.game.name != owner.name:
        raise UsageError(f"{layouts.name} is not of {owner.name}: choose the game {layouts.game.name}")
    if isinstance(layouts, DealRange) and layouts.endless:
        raise UsageError(f"{layouts.name} has no end: pass count to limit it")
    return solve_layouts(owner, used, [_text(owner, layout) for layout in layouts], limit)


def _text(game: Game, layout: object) -> str:
    if isinstance(layout, Layout | Result):
        return game.spellings(layout.text if isinstance(layout, Layout) else layout.layout)[0]
    if isinstance(layout, str):
        return layout
    raise UsageError(f"a layout must be a str, a Layout or a Result, not {layout!r}")


def after(
    game: str,
    layout: str | Layout | Result,
    moves: str | Iterable[str],
    *,
    engine: str | None = None,
    max_nodes: int | None = None,
    notation: str | None = None,
) -> "After":
    """Play moves from a layout of a patience or covering game, and tell whether it can still be won.

    Parameters
    ----------
    moves
        The words of the moves, as in the evidence of a win: an iterable, or one text with blanks between them.
    max_nodes
        The node limit of each search; None means that of the engine.
    notation
        The program in whose notation the moves are, such as ``freecell-solver``, if it is not that of evidence.

    Returns
    -------
    After
        The position as a layout with its verdict and evidence and, if it is lost but could be won before, the move that
        lost it.

    Raises
    ------
    NotFoundError, UsageError
        If there is no such game, engine or notation, or positions of the game are not layouts.
    BadLayout
        If the text is not a valid layout of the game.
    InvalidEvidence
        If a word is not a move; an `IllegalMove` if the rules do not allow it.
    """
    from dealmill.pipeline.solving.after import after as play_on  # loads the compiler

    owner, used = engine_of(game, engine)
    text, start = moves if isinstance(moves, str) else " ".join(moves), read_pasted(owner, _text(owner, layout))
    if notation is not None:
        text = read_moves(owner, start, text, notation, whole=False)
    return play_on(owner, used, start, text.split(), node_limit(max_nodes))


def check(
    game: str,
    layout: str,
    verdict: Verdict | str,
    evidence: str | None,
    *,
    value: int | None = None,
    engine: str | None = None,
    notation: str | None = None,
) -> Judgement:
    """Check a verdict and its evidence with the referee of a game.

    This loads only the rules of the game, which are plain Python: no engine, no store, no compiler.

    Parameters
    ----------
    game
        The name of a game such as ``memory``, or the full name of an engine such as ``memory/two-pass``.
    layout
        The canonical text of the layout.
    verdict
        ``"winnable"``, ``"unwinnable"``, ``"scored"``, ``"undecided"`` or ``"failed"``.
    evidence
        The trace or certificate; None if the layout is undecided.
    value
        The value of a scored layout.
    engine
        The engine that gave the verdict; None means the default engine of the game.
    notation
        The program in whose notation the moves of a win are, such as ``freecell-solver``, if not in that of evidence.

    Raises
    ------
    NotFoundError, UsageError
        If there is no such game, engine, verdict or notation, or the engine belongs to another game.
    """
    owner, used = engine_of(game, engine)
    if notation is not None and evidence is not None and Verdict.of(verdict) is Verdict.WINNABLE:
        try:
            evidence = read_moves(owner, layout, evidence, notation, whole=True)
        except InvalidEvidence as error:
            return Judgement(Outcome.INVALID, error.step, error.reason)
    return judge(owner.full_name(used), layout, Verdict.of(verdict), value, evidence)


def convert(game: str, layout: str | Layout | Result, form: str) -> str:
    """Return a layout as another program writes it. Files of this form can be read, too.

    Parameters
    ----------
    form
        For patiences, ``"board"``, as Freecell Solver and PySolFC write it, or ``"solvitaire"``, which is JSON.

    Raises
    ------
    NotFoundError
        If there is no such game.
    BadLayout
        If the text is not a valid layout of the game.
    UsageError
        If the game has no such form, or the form cannot say all of the layout.
    """
    owner = find_game(game)
    writers = owner.writers
    if form not in writers:
        known = f"it has {', '.join(writers)}" if writers else "it has none"
        raise UsageError(f"{owner.name} has no form {form!r} of other programs; {known}")
    return writers[form](read_pasted(owner, _text(owner, layout)))


def answer(
    game: str,
    file: str | PathLike[str],
    output: TextIO,
    *,
    engine: str | None = None,
    complain: Callable[[str], object] = lambda _: None,
) -> "Answered":
    """Answer a file of layouts in the output format of the game's problem statement. Nothing is stored.

    Parameters
    ----------
    file
        A plain or gzipped text file, in the input format of the problem statement or with one canonical layout per
        line; ``-`` is standard input.
    output
        Receives the answers in the order of the layouts; ``?`` for a layout without an answer.
    engine
        An engine of the game; None means its default one.
    complain
        Called with a message for each layout without an answer.

    Raises
    ------
    NotFoundError, UsageError
        If there is no such game or engine, or the engine belongs to another game.
    InputError
        If the file cannot be read.
    """
    from dealmill.pipeline.ingest.scanning import scan
    from dealmill.pipeline.solving.answer import answer as answer_entries

    owner, used = engine_of(game, engine)
    name = fsdecode(file)
    with open_binary(name) as binary:
        return answer_entries(owner, used, scan(binary, name, owner, lambda: owner.mask), output, complain)


def read_pack(path: str | PathLike[str]) -> "Pack":
    """Read a pack from its ``.json`` file, without checking its solutions; see `check_pack`.

    Raises
    ------
    InputError
        If the file cannot be read, or is not a pack.
    """
    from dealmill.pipeline.outputs.pack_check import read_pack  # loads the compiler

    return read_pack(Path(path))


def check_pack(path: str | PathLike[str]) -> "CheckedPack":
    """Check a pack, see `Run.pack`, with nothing but its ``.json`` file.

    The referee judges every result, the engines solve every layout again if their versions are installed, and deals,
    grades and numbers are computed again.

    Raises
    ------
    InputError
        If the file cannot be read, or is not a pack.
    NotFoundError
        If its game or engine is not installed.
    """
    from dealmill.pipeline.outputs.pack_check import check_pack  # loads the compiler

    return check_pack(Path(path))


def bench_engine(
    engine: str, *, baseline: str | None = None, max_nodes: int | None = None, set_name: str = "hard"
) -> "EngineBench":
    """Solve a benchmark set of a game with an engine, referee all verdicts, and compare them. Nothing is stored.

    The set ``hard`` has 150 hard and odd layouts, ``GAME-hard.jsonl`` in the examples of its game. Card pairing also
    has ``classic``: 150 hard layouts of nine stacks of four cards.

    Parameters
    ----------
    engine
        The full name of an engine such as ``memory/incremental``, which may be a program.
    baseline
        Another engine of the game to compare with. None means the verdicts in the set, which are proved, if they answer
        the question that the engine answers.
    max_nodes
        The node limit for each layout; None means that of runs of the engine, or 10,000,000.
    set_name
        The name of the set.

    Raises
    ------
    NotFoundError, UsageError
        If there is no such engine, the baseline is one of another game, or the game has no such set.
    ProgramError
        If an engine is a program that cannot be started.
    """
    from dealmill.pipeline.engine_bench import bench_engine as bench

    owner, used = engine_of(engine)
    baseline_name = None if baseline is None else owner.full_name(engine_of(owner.name, baseline)[1])
    return bench(owner.full_name(used), baseline_name, node_limit(max_nodes), set_name)
