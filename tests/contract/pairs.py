"""Runs over the same deals in both storages, and what must be the same of them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from pyarrow import parquet

from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.evidence.referee import Judgement, Outcome
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.sources import deals_reading, deals_source
from dealmill.pipeline.outputs.export import FORMS, export
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.results.measures import Order
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.audits.audit import recorded_faults
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.diffs.diff import diff
from dealmill.pipeline.store.diffs.difference import Difference
from dealmill.pipeline.store.filters import Filter, Ordering
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.queries.results import Query, find_result
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.job_kind import Job
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import Source
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from tests.doing import ENGINES, LEASE, an_audit, deal, do_job, do_runs, pending

BLOCK = 1_000


class Pair(NamedTuple):
    """Two runs with the same source, engine and limit, one stored as rows and one compact."""

    rows: RunStatus
    compact: RunStatus


@dataclass(frozen=True)
class Scenario:
    """Deals, and how the jobs of two runs over them were done.

    `rows_chunk` is None if the run is planned before its deals are read. `lost` jobs are claimed with a lease that has
    expired. `chance` seeds the order of the jobs and the choice of queries.
    """

    deals: DealRange
    max_nodes: int | None
    rows_chunk: int | None
    compact_chunk: int
    lost: int
    chance: int


def crooked(game: Game, engine: Engine) -> Scenario:
    """Deals that do not begin at 1, a short last block, blocks shared by jobs, lost jobs."""
    deals, number = DealRange(game, 3, 1_011, 3_447), ENGINES.index((game, engine))
    return Scenario(deals, 9, rows_chunk=700, compact_chunk=2 * BLOCK, lost=2, chance=number)


def far_away(game: Game, engine: Engine) -> Scenario:
    """A block and one of the last deals, whose run of rows is planned before they are read."""
    deals, number = DealRange(game, 2**64 - 1, 2**63 - 5_000, 2**63 - 4_000), ENGINES.index((game, engine))
    return Scenario(deals, None, rows_chunk=None, compact_chunk=BLOCK, lost=1, chance=100 + number)


def read_in(database: Database, deals: DealRange) -> Source:
    """The source of deals, read to its end."""
    reading = deals_reading(database, deals)
    reading.finish(silent)
    return reading.source


def claimed(database: Database, number: int, seconds: float = LEASE) -> Job:
    job = SOLVING_JOBS.claim(database, number, "test", seconds)
    assert job is not None
    return job


def plan(
    database: Database, source: Source, engine: str, max_nodes: int | None, rows_chunk: int | None, compact_chunk: int
) -> tuple[int, int]:
    """The numbers of two new runs, the first of rows."""
    _, definition = find_engine(engine)
    rows, compact = (
        insert_run(database, source, engine, definition.version, max_nodes, storage=storage, chunk=chunk)
        for storage, chunk in ((Storage.ROWS, rows_chunk), (Storage.COMPACT, compact_chunk))
    )
    return rows, compact


def pair_of(database: Database, numbers: Sequence[int]) -> Pair:
    rows, compact = (find_run(database, str(number)) for number in numbers)
    assert (rows.storage, compact.storage) == (Storage.ROWS, Storage.COMPACT)
    return Pair(rows, compact)


def a_pair(
    database: Database, deals: DealRange, engine: str, max_nodes: int | None = None, *, chunk: int | None = None
) -> Pair:
    """Two finished runs."""
    numbers = plan(database, read_in(database, deals), engine, max_nodes, chunk, 2 * BLOCK)
    do_runs(database)
    return pair_of(database, numbers)


def solved_pair(database: Database, scenario: Scenario, engine: str) -> Pair:
    """Two finished runs of a scenario."""
    chance, source = Random(scenario.chance), deals_source(database, scenario.deals)
    if scenario.rows_chunk is not None:
        read_in(database, scenario.deals)
    numbers = plan(database, source, engine, scenario.max_nodes, scenario.rows_chunk, scenario.compact_chunk)
    read_in(database, scenario.deals)
    waiting = pending(database)
    lost = [claimed(database, number, -1.0) for number in chance.sample(waiting, min(scenario.lost, len(waiting)))]
    late = [(job, SOLVING_JOBS.do(database, job)) for job in lost]
    leases.free_expired(database, SOLVING)
    waiting = pending(database)
    chance.shuffle(waiting)
    for number in waiting:
        do_job(database, number)
    assert not any(SOLVING_JOBS.finish(database, job, solution) for job, solution in late)
    return pair_of(database, numbers)


class PlainResult(NamedTuple):
    """A result without the number of its run. Thousands are made for each query."""

    engine: str
    layout: str
    verdict: Verdict
    value: int | None
    nodes: int
    evidence: str | None
    position: int
    line: int
    judgement: Judgement | None


contents = attrgetter(*PlainResult._fields)


def plain(results: Iterable[Result]) -> list[PlainResult]:
    return [PlainResult._make(contents(result)) for result in results]


def everything(database: Database, run: RunStatus, filter_: Filter = Filter()) -> list[PlainResult]:  # noqa: B008 -- frozen
    """The results of a run."""
    return plain(Query(database, [run], filter_, (0, 0), None))


def pages(database: Database, run: RunStatus, filter_: Filter, after: int, size: int) -> Iterator[list[PlainResult]]:
    """The pages of a query, at most `size` results each."""
    while page := plain(Query(database, [run], filter_, (run.id, after), size)):
        yield page
        after = page[-1].position


def pages_before(
    database: Database, run: RunStatus, filter_: Filter, before: int, size: int
) -> Iterator[list[PlainResult]]:
    """The pages of a query read backwards, at most `size` results each."""
    backwards = Ordering(descending=True)
    while page := plain(Query(database, [run], filter_, (0, 0), size, before=(run.id, before), ordering=backwards)):
        yield page
        before = page[-1].position


def pages_of(results: Sequence[PlainResult], size: int) -> list[Sequence[PlainResult]]:
    return [results[start : start + size] for start in range(0, len(results), size)]


NUMBERS: dict[str, Callable[[PlainResult], int | None]] = {
    "nodes": lambda one: one.nodes,
    "value": lambda one: one.value,
    "layout-length": lambda one: len(one.layout),
    "evidence-length": lambda one: None if one.evidence is None else len(one.evidence),
}


def within(number: int, ends: tuple[int, int]) -> bool:
    return ends[0] <= number <= ends[1]


def chosen(results: Sequence[PlainResult], filter_: Filter) -> list[PlainResult]:
    """Filter results in Python, as the expected result of a query."""
    return [
        result
        for result in results
        if (not filter_.verdict or result.verdict in filter_.verdict)
        and all(
            (number := NUMBERS[order.word](result)) is not None and within(number, ends)
            for order, ends in filter_.ranges.items()
        )
    ]


def in_order(results: Sequence[PlainResult], name: str, *, descending: bool) -> list[PlainResult]:
    """Sort results in Python, as the expected result of an ordered query: those without a number last."""
    number = NUMBERS[name]
    numbered = sorted(
        (result for result in results if number(result) is not None),
        key=lambda result: number(result) or 0,
        reverse=descending,
    )
    return numbered + [result for result in results if number(result) is None]


def filters(results: Sequence[PlainResult], chance: Random) -> list[Filter]:
    """Four filters by verdicts, ranges or both; some match nothing."""
    values = sorted({result.value for result in results if result.value is not None}) or [0]
    low, high = sorted(chance.choices(values, k=2))
    few, many = sorted(chance.choices([result.nodes for result in results] or [0], k=2))
    short, long = sorted(chance.choices([len(result.layout) for result in results] or [0], k=2))
    brief, wordy = sorted(chance.choices([len(result.evidence or "") for result in results] or [0], k=2))
    wishes = [
        *(Filter((verdict,)) for verdict in Verdict),
        Filter((Verdict.UNWINNABLE, Verdict.UNDECIDED)),
        Filter.of((Verdict.SCORED, Verdict.FAILED, Verdict.WINNABLE), nodes=(few, None)),
        Filter.of(value=(low, high)),
        Filter.of(value=(None, high - 1)),
        Filter.of(value=(values[-1] + 1, None)),
        Filter.of(nodes=(few, many)),
        Filter.of(nodes=(many + 1, None)),
        Filter.of(chance.choice(list(Verdict)), value=(low, None), nodes=(None, many)),
        Filter.of(value=(low, high), nodes=(few, many)),
        Filter.of(layout_length=(short, long)),
        Filter.of(layout_length=(long + 1, None)),
        Filter.of(evidence_length=(None, wordy)),
    ]
    return [*chance.sample(wishes, 3), Filter.of(evidence_length=(brief, wordy), layout_length=(short, None))]


def check_queries(database: Database, pair: Pair, chance: Random) -> list[PlainResult]:
    """Check that queries of both runs return the same; return all results."""
    results = everything(database, pair.rows)
    assert everything(database, pair.compact) == results
    wishes = filters(results, chance)
    for filter_ in wishes:
        for run in pair:
            assert everything(database, run, filter_) == chosen(results, filter_), (run.storage, filter_)
    for filter_ in (Filter(), wishes[0]):
        size, after = (
            chance.randint(len(results) // 6 + 1, len(results) + 2),
            chance.choice((0, chance.randint(0, 3_500))),
        )
        behind = chosen([result for result in results if result.position > after], filter_)
        for run in pair:
            assert list(pages(database, run, filter_, after, size)) == pages_of(behind, size), (
                run.storage,
                filter_,
                after,
            )
            assert list(pages_before(database, run, filter_, after, size)) == pages_of(
                [result for result in reversed(chosen(results, filter_)) if result.position < after], size
            ), (run.storage, filter_, after, size)
    check_orders(database, pair, results, wishes, chance)
    return results


def check_orders(
    database: Database, pair: Pair, results: Sequence[PlainResult], wishes: Sequence[Filter], chance: Random
) -> None:
    """Check that ordered queries of both runs return what sorting all results returns."""
    for order in Order:
        filter_, descending, limit = chance.choice((Filter(), *wishes)), chance.random() < 0.5, chance.randint(0, 50)
        expected = chosen(results, filter_)
        if order is Order.POSITION:
            expected = expected[::-1] if descending else expected
        else:
            expected = in_order(expected, order.word, descending=descending)
        for run in pair:
            ordered = Query(database, [run], filter_, (0, 0), limit, ordering=Ordering(order, descending))
            assert plain(ordered) == expected[:limit], (run.storage, filter_, order)


def check_single_results(database: Database, pair: Pair, results: Sequence[PlainResult], chance: Random) -> None:
    positions = {1, 2, BLOCK, BLOCK + 1, pair.rows.items, pair.rows.items + 1, chance.randint(1, pair.rows.items)}
    by_position = {result.position: result for result in results}
    for run in pair:
        for position in positions:
            if position in by_position:
                assert plain([find_result(database, run, position)]) == [by_position[position]]
            else:
                with pytest.raises(NotFoundError, match=f"run {run.id} has no verdict on item {position}"):
                    find_result(database, run, position)


def check_exports(database: Database, pair: Pair, folder: Path, verdicts: Sequence[Verdict]) -> None:
    """Check that exported files have the same contents, except for the number of the run in a Parquet file."""
    for suffix in FORMS:
        files = [folder / f"{run.storage.name}{suffix}" for run in pair]
        counts = [export(database, run, file, verdicts, force=True) for run, file in zip(pair, files, strict=True)]
        assert counts[0] == counts[1]
        if suffix != ".parquet":
            assert files[0].read_bytes() == files[1].read_bytes(), suffix
            continue
        tables = [parquet.read_table(file) for file in files]
        assert tables[0].equals(tables[1])
        about = [dict(table.schema.metadata) for table in tables]
        assert [each.pop(b"run").decode() for each in about] == [str(run.id) for run in pair]
        assert about[0] == about[1]


def check_audits(database: Database, pair: Pair, sample: int | None, seed: int = 1) -> None:
    """Check that audits of both runs are clean and have the same counts, and that queries by outcome agree."""
    said = []
    for run in pair:
        audit = an_audit(database, run, sample, seed)
        assert (audit.clean, recorded_faults(database, audit.id)) == (True, [])
        said.append((audit.population, audit.size, audit.valid, audit.invalid, audit.no_evidence, audit.faults))
    assert said[0] == said[1]
    for outcome in (Outcome.NO_EVIDENCE, Outcome.INVALID):
        rows, compact = (everything(database, run, Filter(audit=outcome)) for run in pair)
        assert rows == compact
        assert len(rows) >= (said[0][4] if outcome is Outcome.NO_EVIDENCE else 0)


def check_differences(database: Database, ours: Pair, theirs: Pair) -> list[Difference]:
    """Check that two runs have the same differences however each of them is stored; return the differences."""
    differences = [list(diff(database, left, right)) for left in ours for right in theirs]
    assert differences[0] == differences[1] == differences[2] == differences[3]
    mirrored = [
        Difference(it.layout, it.other, it.one, it.same_question, it.line)
        for it in diff(database, theirs.compact, ours.rows)
    ]
    assert mirrored == differences[0]
    return differences[0]


def what(result: PlainResult) -> tuple[Verdict, int | None, str | None]:
    return result.verdict, result.value, result.evidence


def summary(run: RunStatus) -> tuple[object, ...]:
    counted = (run.items, run.complete, run.finished, run.solved, run.counts, run.value_sum, run.nodes, run.mean)
    return (run.source, run.engine, run.version, run.max_nodes, *counted)


def check_pair(database: Database, pair: Pair, deals: DealRange, folder: Path, chance: Random) -> list[PlainResult]:
    """Check everything that can be asked of two finished runs over these deals; return all results."""
    assert summary(pair.rows) == summary(pair.compact)
    assert pair.compact.finished and pair.compact.items == len(deals)
    fingerprints = [fingerprint_of(database, run.id, run.items) for run in pair]
    assert fingerprints[0] == fingerprints[1] is not None
    results = check_queries(database, pair, chance)
    assert [result.line for result in results] == list(range(deals.first, deals.last + 1))
    assert [result.layout for result in results] == deal(
        deals.game, deals.seed, deals.first, len(deals), **deals.parameters
    )
    check_single_results(database, pair, results, chance)
    check_exports(database, pair, folder, chance.sample(list(Verdict), chance.choice((0, 0, 2))))
    check_audits(database, pair, min(len(deals), 12), seed=chance.randint(1, 9))
    assert check_differences(database, pair, pair) == []
    return results


def other_run(game: Game, engine: Engine, max_nodes: int | None) -> tuple[str, int | None]:
    """Another engine of the game with the same limit if there is one, else the same engine with another limit."""
    rivals = [rival for rival in game.engines if rival is not engine]
    return (game.full_name(rivals[0]), max_nodes) if rivals else (game.full_name(engine), 10 if max_nodes else 7)
