"""Choice of packs.

Layouts are graded by the chance that a careful player wins, whose bounds are fixed for each game (`Engine.grades`). Any
other measure, such as the number of nodes, divides the sorted numbers of all candidates into grades of equal size, and
layouts with the same number are in the same grade. From each grade, layouts are drawn by a seed, one from each of equal
stretches of the run (see `dealmill.pipeline.games.sampling.sampled`). A layout that differs from an earlier one only in
names, such as those of its ranks, is replaced by the next that does not. So the same run gives the same pack on every
machine.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date as Date  # noqa: N812 -- as in `pack.py`, where `date` is a field
from importlib.metadata import version
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TypedDict

import numpy as np

from dealmill.pipeline.arguments import check_integer
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_engine, game_by
from dealmill.pipeline.games.batch import Numbers
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.sampling import sampled
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.outputs.checker.build import PACK_READERS
from dealmill.pipeline.outputs.checker.writing import write_with_checker
from dealmill.pipeline.outputs.pack import (
    FORMAT,
    WEEK,
    Calendar,
    Deals,
    Entry,
    Found,
    Grade,
    Origin,
    Pack,
    Rules,
    measure_of,
)
from dealmill.pipeline.outputs.pack_check import read_pack
from dealmill.pipeline.printable import counted
from dealmill.pipeline.progress.events import Choosing, Progress, silent
from dealmill.pipeline.results.measures import CHANCE, Measure, Order, grading_measures
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.queries.results import Query, find_result
from dealmill.pipeline.store.runs.engines import runs_of_engine
from dealmill.pipeline.store.runs.status import RunStatus, check_finished
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.system.atomic import atomic_file, check_target

SOLVED = (Verdict.WINNABLE, Verdict.SCORED)
"""The verdicts of layouts with solutions."""
DAYS_OF_WEEK = 7
MAX_LAYOUTS = 1_000_000
"""The most layouts of a pack, which are held in memory."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a pack is to have: layouts with one of the `verdicts`, `each` in each of the `grades` by a measure. If the
    bounds of the grades are `fixed`, these are the first ones, from the highest chance on.

    Layouts that the run or the grading run proves lost are left out, unless `verdicts` has `UNWINNABLE`, and so are
    those of the packs `without`. With a `calendar`, there is a layout for each day, and `each` means nothing.
    """

    by: str = "nodes"
    verdicts: Sequence[Verdict] = SOLVED
    grades: int = 5
    each: int = 200
    seed: int = 1
    descending: bool = False
    calendar: Calendar | None = None
    without: Sequence[Pack] = ()

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises
        ------
        UsageError
            If one is out of range.
        """
        check_integer("grades", self.grades, 1, MAX_LAYOUTS)
        check_integer("each", self.each, 1, MAX_LAYOUTS // self.grades)
        check_integer("seed", self.seed)
        if self.fixed and self.descending:
            raise UsageError(f"grades by {CHANCE} are fixed, and grade 1 has the highest chances")
        if self.calendar:
            self._check_calendar(self.calendar)

    def _check_calendar(self, calendar: Calendar) -> None:
        if calendar.first > calendar.last:
            raise UsageError(f"the calendar ends on {calendar.last}, before it begins on {calendar.first}")
        check_integer("the number of days", (calendar.last - calendar.first).days + 1, 1, MAX_LAYOUTS)
        if calendar.by_weekday is None:
            if self.grades != 1:
                raise UsageError("a calendar without grades by weekday has one grade")
            return
        if len(calendar.by_weekday) != DAYS_OF_WEEK:
            raise UsageError(f"by weekday, there must be {DAYS_OF_WEEK} grades, from Monday to Sunday")
        for grade in calendar.by_weekday:
            check_integer("a grade by weekday", grade, 1, self.grades)

    @property
    def fixed(self) -> bool:
        """Whether the bounds of the grades are those of the engine."""
        return self.by == CHANCE

    @property
    def sizes(self) -> list[int]:
        """The number of layouts of each grade, from grade 1."""
        if self.calendar is None:
            return [self.each] * self.grades
        counts = Counter(self.calendar.grades.values())
        return [counts[grade] for grade in range(1, self.grades + 1)]

    def days_of(self, grade: int) -> list[Date | None]:
        """Return the days whose layouts have a grade; no days without a calendar."""
        if self.calendar is None:
            return [None] * self.each
        return [day for day, wish in self.calendar.grades.items() if wish == grade]


class PackArguments(TypedDict, total=False):
    """What a pack has, as keyword arguments: those of `choice_of` beside the measure."""

    verdict: Verdict | str | Iterable[Verdict | str]
    grades: int
    each: int
    seed: int
    descending: bool
    calendar: tuple[Date, Date] | None
    by_weekday: Sequence[int] | None
    without: str | PathLike[str] | Iterable[str | PathLike[str]]


def choice_of(
    by: str,
    *,
    verdict: Verdict | str | Iterable[Verdict | str] = (),
    grades: int = 5,
    each: int = 200,
    seed: int = 1,
    descending: bool = False,
    calendar: tuple[Date, Date] | None = None,
    by_weekday: Sequence[int] | None = None,
    without: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
) -> Choice:
    """Return the choice with the arguments of a caller; see `dealmill.Run.pack`.

    Raises
    ------
    UsageError
        If an argument is out of range, or they contradict each other.
    InputError
        If a pack to leave out cannot be read.
    """
    weekdays = WEEK if calendar and by_weekday is None and by == CHANCE else by_weekday
    days = Calendar.of(calendar, weekdays)
    paths = [without] if isinstance(without, str | PathLike) else without
    return Choice(
        by=by,
        verdicts=Filter.of(verdict).verdict or SOLVED,
        grades=1 if days and days.by_weekday is None else grades,
        each=each,
        seed=seed,
        descending=descending,
        calendar=days,
        without=[read_pack(Path(path)) for path in paths],
    )


def default_measure(run: RunStatus, grading: RunStatus | None = None) -> str:
    """Return by what the layouts of a run are graded: by the chance that a careful player wins if the game has one, or
    if the run `grading` is of one, else by nodes."""
    game, engine = find_engine((grading or run).referee_engine)
    grader = engine if grading else game.grader(engine)
    return CHANCE if grader and CHANCE in grading_measures(grader) else Order.NODES.word


def grading_run(database: Database, run: RunStatus) -> RunStatus | None:
    """Return the newest finished run of the careful player over the source of a run; None if the run is one itself.

    Raises
    ------
    UsageError
        If there is none.
    """
    game, engine = find_engine(run.referee_engine)
    grader = game.grader(engine)
    if grader is None or grader is engine:
        return None
    name = game.full_name(grader)
    for graded in reversed(runs_of_engine(database, name, grader.version)):
        if graded.source == run.source and graded.finished and not graded.retracted:
            return graded
    raise UsageError(
        f"the careful player has not played the layouts of run {run.id}, whose chances grade them: have them played "
        f"with: dealmill run {shlex.quote(run.source_name)} --engine {name}; or grade by something else with --by nodes"
    )


def write_pack(
    database: Database,
    run: RunStatus,
    path: Path,
    choice: Choice,
    grading: RunStatus | None = None,
    *,
    force: bool = False,
    with_checker: bool = False,
    progress: Progress = silent,
) -> Pack:
    """Choose a pack, write it to a ``.json`` or ``.csv`` file, with a checker beside it if wanted, and return it.

    Raises
    ------
    UsageError
        If the path has another suffix, or as `choose`.
    OutputError
        If a file cannot be written, or exists and `force` is false.
    """
    text = _text_for(path)
    pack = choose(database, run, choice, grading, progress)

    def write() -> int:
        with atomic_file(path, force, database.owns) as file:
            file.write(text(pack).encode())
        return len(pack.layouts)

    if with_checker:
        write_with_checker(database, run, path, choice.verdicts, write, force=force, readers=PACK_READERS)
    else:
        write()
    return pack


def check_path(database: Database, path: Path, *, force: bool) -> None:
    """Check that a pack can be written to a path, before its deals are solved.

    Raises
    ------
    UsageError, OutputError
        If not; see `write_pack`.
    """
    _text_for(path)
    check_target(path, force, database.owns)


def _text_for(path: Path) -> Callable[[Pack], str]:
    text = {".json": Pack.json_text, ".csv": Pack.csv_text}.get(path.suffix.lower())
    if text is None:
        raise UsageError(f"{path} must end in .json or .csv, which determines the format")
    return text


def choose(
    database: Database, run: RunStatus, choice: Choice, grading: RunStatus | None = None, progress: Progress = silent
) -> Pack:
    """Choose layouts of a run, and grade them by a measure of it, or of the run `grading` over the same source.

    Raises
    ------
    UsageError
        If they have different sources, or a grade has too few different layouts.
    StoreError
        If a run is not finished.
    DamagedError
        If a result cannot be read.
    """
    _check_runs(run, grading)
    game = game_by(run.game, run.rules)
    earlier = _layouts_of(choice.without, run, game)
    positions, numbers = _candidates(database, run, choice, grading, earlier, progress)
    grader = find_engine((grading or run).referee_engine)[1]
    if choice.fixed:
        grade_of = _fixed_grades(numbers, grader)
        _check_sizes(_counts(grade_of, choice), choice)
    else:
        grade_of = _grades(numbers, choice, run.items)
    entries, grades = list[Entry](), list[Grade]()
    for grade in range(1, choice.grades + 1):
        members = np.flatnonzero(grade_of == grade)
        if choice.fixed:
            low, high = grader.range_of_grade(grade)
            high = int(numbers.max()) if high is None else high
        else:
            low, high = int(numbers[members].min()), int(numbers[members].max())
        grades.append(Grade(grade=grade, low=low, high=high, layouts=len(members)))
        drawn = _drawn(database, run, positions[members], choice, grade, game, earlier)
        for day, (index, result) in zip(choice.days_of(grade), drawn, strict=True):
            graded_result = Found.of(find_result(database, grading, result.position)) if grading else None
            entries.append(Entry.of(result, grade, int(numbers[members[index]]), graded_result, day))
    return Pack(
        format=FORMAT,
        dealmill=version("dealmill"),
        game=run.game,
        source=run.source_name,
        generator=run.generator,
        deals=None if run.deals is None else Deals(**run.deals),
        run=_origin(database, run),
        graded_by=_origin(database, grading) if grading else None,
        by=choice.by,
        descending=choice.descending or choice.fixed,
        seed=choice.seed,
        grades=grades,
        layouts=sorted(entries, key=lambda entry: (entry.date or Date.min, entry.position)),
        rules=run.rules and Rules(**run.rules._asdict()),
        calendar=choice.calendar,
    )


def counts_by_grade(
    database: Database, run: RunStatus, choice: Choice, grading: RunStatus, progress: Progress = silent
) -> list[int]:
    """Return how many layouts can be chosen of each fixed grade, without those of the packs that the choice leaves out.

    Raises
    ------
    UsageError, StoreError, DamagedError
        As `choose` does.
    """
    earlier = _layouts_of(choice.without, run, game_by(run.game, run.rules))
    _, numbers = _candidates(database, run, choice, grading, earlier, progress)
    return _counts(_fixed_grades(numbers, find_engine(grading.referee_engine)[1]), choice)


def _candidates(
    database: Database,
    run: RunStatus,
    choice: Choice,
    grading: RunStatus | None,
    earlier: Set[str],
    progress: Progress,
) -> tuple[Numbers, Numbers]:
    """Return the positions of the layouts that can be chosen, and the numbers that grade them. If grades are fixed, the
    `earlier` layouts are left out."""
    measure = measure_of((grading or run).referee_engine, choice.by)
    own = Order.POSITION.measure if grading else measure
    left_out = earlier if choice.fixed else frozenset()
    positions, numbers = _measured(database, run, own, choice, choice.verdicts, left_out, progress)
    if grading:
        graded, numbers = _measured(database, grading, measure, choice, (), frozenset(), progress)
        positions, _, indexes = np.intersect1d(positions, graded, assume_unique=True, return_indices=True)
        numbers = numbers[indexes]
    return positions, numbers


def _layouts_of(packs: Sequence[Pack], run: RunStatus, game: Game) -> set[str]:
    """Return the layouts of earlier packs, without names.

    Raises
    ------
    UsageError
        If a pack is of another game.
    """
    for pack in packs:
        if pack.game != run.game:
            raise UsageError(f"a pack to leave out is of {pack.game}, but run {run.id} is of {run.game}")
    return {game.nameless(entry.layout) for pack in packs for entry in pack.layouts}


def _check_runs(run: RunStatus, grading: RunStatus | None) -> None:
    for each in filter(None, (run, grading)):
        check_finished(each)
    if grading and grading.source != run.source:
        raise UsageError(f"run {grading.id} cannot grade run {run.id}: they have different sources")


def _origin(database: Database, run: RunStatus) -> Origin:
    fingerprint = fingerprint_of(database, run.id, run.items)
    if fingerprint is None:
        raise UsageError(f"run {run.id} has layouts to try again; first run: dealmill retry {run.id}")
    return Origin(
        engine=run.engine,
        version=run.version,
        checked_as=run.checked_as,
        max_nodes=run.max_nodes,
        fingerprint=fingerprint,
    )


def _measured(
    database: Database,
    run: RunStatus,
    measure: Measure,
    choice: Choice,
    verdicts: Sequence[Verdict],
    left_out: Set[str],
    progress: Progress,
) -> tuple[Numbers, Numbers]:
    """Return the positions of the results with one of the verdicts and a number of the measure, and these numbers.

    Claims without evidence are left out, layouts that are `left_out`, and lost ones if the choice leaves them out.
    """
    with_lost = Verdict.UNWINNABLE in choice.verdicts
    game, engine = find_engine(run.referee_engine)
    parts = [np.zeros((2, 0), dtype=np.int64)]
    for page in Query(database, [run], Filter(verdict=tuple(verdicts))).pages():
        columns = page.columns
        numbers = map(measure.of, columns[measure.field])
        known = [
            (position, number)
            for position, number, verdict, value, evidence, layout in zip(
                columns["position"],
                numbers,
                columns["verdict"],
                columns["value"],
                columns["evidence"],
                columns["layout"],
                strict=True,
            )
            if number is not None
            and (evidence is not None or verdict == Verdict.UNDECIDED)
            and (with_lost or not engine.proves_lost(verdict, value))
            and not (left_out and game.nameless(layout) in left_out)
        ]
        parts.append(np.array(known, dtype=np.int64).reshape(-1, 2).T)
        progress(Choosing(page.end or run.items, run.items))
    positions, measured = np.concatenate(parts, axis=1)
    return positions, measured


def _fixed_grades(numbers: Numbers, engine: Engine) -> Numbers:
    """Return the grade of each number by the bounds of an engine, which descend."""
    return np.searchsorted([-least for least in engine.grades], -numbers) + 1


def _counts(grade_of: Numbers, choice: Choice) -> list[int]:
    """Return how many layouts each grade of a choice has."""
    return [int((grade_of == grade).sum()) for grade in range(1, choice.grades + 1)]


def _check_sizes(counts: Sequence[int], choice: Choice) -> None:
    """Check that each fixed grade has layouts enough.

    Raises
    ------
    UsageError
        If one has not.
    """
    for grade, (count, size) in enumerate(zip(counts, choice.sizes, strict=True), start=1):
        if count < size:
            raise UsageError(
                f"grade {grade} has only {counted(count, 'layout')} of {size:,}: choose fewer, solve more, or name the "
                "game in place of the run, of which as many deals are solved and played as the pack needs"
            )


def _grades(numbers: Numbers, choice: Choice, items: int) -> Numbers:
    """Return the grade of each number, from 1, of the layouts of a run of so many items that can be chosen."""
    ordered = np.sort(-numbers if choice.descending else numbers)
    total = sum(choice.sizes)
    if len(ordered) < total:
        raise UsageError(
            f"for {_size_in_words(choice)}, {counted(total, 'layout')} must have such a verdict, evidence and a number "
            f"for {choice.by}, but only {len(ordered):,} of the run do; {_more(total, len(ordered), items)}, or choose "
            "fewer"
        )
    ends = ordered[np.arange(1, choice.grades) * len(ordered) // choice.grades - 1]  # the last number of each grade
    grade_of = np.searchsorted(ends, -numbers if choice.descending else numbers) + 1
    counts = np.bincount(grade_of, minlength=choice.grades + 1)[1:]
    shares = np.diff(np.arange(choice.grades + 1) * len(ordered) // choice.grades)  # if no two numbers were equal
    sizes = np.maximum(choice.sizes, 1)  # a grade without a day still has a lowest and a highest number
    few = int(np.argmin(shares - sizes))
    if shares[few] < sizes[few]:
        needed = int(sizes[few]) * choice.grades
        raise UsageError(
            f"grade {few + 1} needs {counted(int(sizes[few]), 'layout')}, but each of the {choice.grades} grades has "
            f"the same share of the {len(ordered):,} that can be chosen, {shares[few]:,}; "
            f"{_more(needed, len(ordered), items)}, until {needed:,} can be chosen, or choose fewer of this grade"
        )
    few = int(np.argmin(counts - sizes))
    if counts[few] < sizes[few]:
        raise UsageError(
            f"grade {few + 1} has only {counted(int(counts[few]), 'layout')} of {sizes[few]:,}, because many have the "
            f"same number for {choice.by}; choose fewer grades or layouts, or grade by something else"
        )
    return grade_of


def _more(needed: int, available: int, items: int) -> str:
    """Return how many more layouts must be solved, until `needed` can be chosen, if `available` of `items` can."""
    return f"solve about {-(-needed * items // available) - items:,} more" if available else "solve more"


def _size_in_words(choice: Choice) -> str:
    return "the days of the calendar" if choice.calendar else f"{counted(choice.grades, 'grade')} of {choice.each:,}"


def _drawn(
    database: Database, run: RunStatus, positions: Numbers, choice: Choice, grade: int, game: Game, seen: set[str]
) -> Iterator[tuple[int, Result]]:
    """Yield the results drawn from a grade with their places in its positions. `seen` has the layouts of earlier ones,
    without names."""
    indexes = set[int]()
    size = choice.sizes[grade - 1]
    for number in range(1, size + 1):
        start = sampled(number, size, len(positions), choice.seed) - 1
        for index in chain(range(start, len(positions)), range(start)):
            if index in indexes:
                continue
            indexes.add(index)
            result = find_result(database, run, int(positions[index]))
            if (nameless := game.nameless(result.layout)) not in seen:
                seen.add(nameless)
                yield index, result
                break
        else:
            raise UsageError(
                f"grade {grade} needs {counted(size, 'layout')}, but only {number - 1:,} of the run differ in more "
                f"than names{' and are not in the packs to leave out' if choice.without else ''}; solve more, or "
                "choose fewer"
            )
