"""A run stored as rows and the same run stored packed give the same results, for every engine, on both databases."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from sqlalchemy import text

from dealmill import Store
from dealmill.pipeline import solve as solving
from dealmill.pipeline.arguments import MOST, MOST_PACKED
from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import DifferenceError, InputError, NotFoundError, UsageError
from dealmill.pipeline.games import find_engine, games
from dealmill.pipeline.games.contract import Engine, Game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.named import deals_reading, deals_source
from dealmill.pipeline.progress import silent
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.results.diff import compare
from dealmill.pipeline.results.export import FORMS, export
from dealmill.pipeline.results.query import find_result, results
from dealmill.pipeline.runs.planning import installed_engines, queue_run
from dealmill.pipeline.runs.rerun import queue_rerun
from dealmill.pipeline.runs.retract import requeue, retract
from dealmill.pipeline.store.audits import Fault, faults_of, objections_of
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage, metadata
from dealmill.pipeline.store.queue import leases
from dealmill.pipeline.store.queue.solving import SOLVING
from dealmill.pipeline.store.record import jobs
from dealmill.pipeline.store.record.blocks import fingerprint_of
from dealmill.pipeline.store.record.contract import ALL, Said, Wanted
from dealmill.pipeline.store.record.differences import Difference
from dealmill.pipeline.store.record.jobs import Job
from dealmill.pipeline.store.record.packed import bitmap
from dealmill.pipeline.store.runs.plan import plan_run
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.store.sources import Source, append, leave
from tests.doing import LEASE, a_run, an_audit, deal, do_runs
from tests.servers import dealmill
from tests.survey.doing import MEMORY, PAIRING, Brittle, a_survey, alter

ENGINES = [(game, engine) for game in games().values() for engine in game.engines]
each_engine = pytest.mark.parametrize(
    ("game", "engine"), ENGINES, ids=[game.full_name(engine) for game, engine in ENGINES]
)
BLOCK = 1_000
EXAMPLES = 1
"""Random scenarios for each engine and database, in addition to a fixed one."""


class Pair(NamedTuple):
    """Two runs with the same source, engine and limit, one stored as rows and one packed."""

    rows: RunStatus
    packed: RunStatus


@dataclass(frozen=True)
class Scenario:
    """Deals, and how the jobs of two runs over them were done.

    `rows_chunk` is None if the run is planned before its deals are read. `lost` jobs are claimed with a lease that has
    expired. `chance` seeds the order of the jobs and the choice of queries.
    """

    deals: DealRange
    max_nodes: int | None
    rows_chunk: int | None
    packed_chunk: int
    lost: int
    chance: int


COUNTS = st.sampled_from((1, 999, 1_000, 1_001, 2_000, 3_000)) | st.integers(1, 3_500)
FIRSTS = st.sampled_from((1, 2, 1_001, 2**63 - 5_000)) | st.integers(2, 10**6)
LIMITS = st.sampled_from((None, 1, 5, 8, 12))
"""Node limits, low enough that some engines leave some deals undecided."""


@st.composite
def deal_ranges(draw: st.DrawFn, game: Game) -> DealRange:
    """Ranges of deals of a game, some with a parameter below its default."""
    seed, first, count = draw(st.integers(0, 2**64 - 1)), draw(FIRSTS), draw(COUNTS)
    deals = DealRange(game, seed, first, first + count - 1)
    if not game.deals.parameters or draw(st.booleans()):
        return deals
    name, known = draw(st.sampled_from(sorted(game.deals.parameters.items())))
    smaller = replace(deals, parameters={name: draw(st.integers(known.default // 2, known.default))})
    try:
        smaller.check_parameters()
    except UsageError:
        return deals
    return smaller


@st.composite
def scenarios(draw: st.DrawFn, game: Game) -> Scenario:
    deals = draw(deal_ranges(game))
    count = len(deals)
    return Scenario(
        deals,
        max_nodes=draw(LIMITS),
        rows_chunk=draw(st.none() | st.integers(max(count // 8, 1), count + 1)),
        packed_chunk=BLOCK * draw(st.integers(1, 4)),
        lost=draw(st.integers(0, 3)),
        chance=draw(st.integers(0, 2**32)),
    )


def crooked(game: Game, engine: Engine) -> Scenario:
    """The fixed scenario: deals that do not begin at 1, a short last block, blocks shared by jobs, lost jobs."""
    deals, number = DealRange(game, 3, 1_011, 3_447), ENGINES.index((game, engine))
    return Scenario(deals, 9, rows_chunk=700, packed_chunk=2 * BLOCK, lost=2, chance=number)


def empty(store: Database) -> None:
    """Delete all rows, so that each example has an empty store."""
    with store.writing() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())


def read_in(store: Database, deals: DealRange) -> Source:
    """The source of deals, read to its end."""
    reading = deals_reading(store, deals)
    reading.finish(silent)
    return reading.source


def pending(store: Database) -> list[int]:
    return leases.pending(store, SOLVING, installed_engines(), 10_000)


def claimed(store: Database, number: int, seconds: float = LEASE) -> Job:
    job = jobs.claim(store, number, "test", seconds)
    assert job is not None
    return job


def plan(
    store: Database, source: Source, engine: str, max_nodes: int | None, rows_chunk: int | None, packed_chunk: int
) -> tuple[int, int]:
    """The numbers of two new runs, the first of rows."""
    _, found = find_engine(engine)
    rows, packed = (
        plan_run(store, source, engine, found.version, max_nodes, storage=storage, chunk=chunk)
        for storage, chunk in ((Storage.ROWS, rows_chunk), (Storage.PACKED, packed_chunk))
    )
    return rows, packed


def pair_of(store: Database, numbers: Sequence[int]) -> Pair:
    rows, packed = (find_run(store, str(number)) for number in numbers)
    assert (rows.storage, packed.storage) == (Storage.ROWS, Storage.PACKED)
    return Pair(rows, packed)


def a_pair(
    store: Database, deals: DealRange, engine: str, max_nodes: int | None = None, *, chunk: int | None = None
) -> Pair:
    """Two finished runs."""
    numbers = plan(store, read_in(store, deals), engine, max_nodes, chunk, 2 * BLOCK)
    do_runs(store)
    return pair_of(store, numbers)


def solved_pair(store: Database, scenario: Scenario, engine: str) -> Pair:
    """Two finished runs of a scenario."""
    chance, source = Random(scenario.chance), deals_source(store, scenario.deals)
    if scenario.rows_chunk is not None:
        read_in(store, scenario.deals)
    numbers = plan(store, source, engine, scenario.max_nodes, scenario.rows_chunk, scenario.packed_chunk)
    read_in(store, scenario.deals)
    waiting = pending(store)
    lost = [claimed(store, number, -1.0) for number in chance.sample(waiting, min(scenario.lost, len(waiting)))]
    late = [(job, jobs.solve(store, job)) for job in lost]
    leases.free_expired(store, SOLVING)
    waiting = pending(store)
    chance.shuffle(waiting)
    for number in waiting:
        job = claimed(store, number)
        assert jobs.finish(store, job, jobs.solve(store, job))
    assert not any(jobs.finish(store, job, solution) for job, solution in late)
    return pair_of(store, numbers)


def everything(store: Database, run: RunStatus, wanted: Wanted = Wanted()) -> list[Result]:  # noqa: B008 -- frozen
    """The results of a run, without its number."""
    return [replace(found, run=None) for found in results(store, [run], wanted, (0, 0), None)]


def pages(store: Database, run: RunStatus, wanted: Wanted, after: int, size: int) -> Iterator[list[Result]]:
    """The pages of a query, at most `size` results each."""
    while page := list(results(store, [run], wanted, (run.id, after), size)):
        yield [replace(found, run=None) for found in page]
        after = page[-1].position


def within(number: int, ends: tuple[int, int]) -> bool:
    return ends[0] <= number <= ends[1]


def chosen(found: Sequence[Result], wanted: Wanted) -> list[Result]:
    """Filter results in Python, as the expected result of a query."""
    return [
        one
        for one in found
        if (not wanted.verdicts or one.verdict in wanted.verdicts)
        and (wanted.values == ALL if one.value is None else within(one.value, wanted.values))
        and within(one.nodes, wanted.nodes)
    ]


def filters(found: Sequence[Result], chance: Random) -> list[Wanted]:
    """Six filters by verdicts, ranges or both; some match nothing."""
    values = sorted({one.value for one in found if one.value is not None}) or [0]
    low, high = sorted(chance.choices(values, k=2))
    few, many = sorted(chance.choices([one.nodes for one in found] or [0], k=2))
    wishes = [
        *(Wanted((verdict,)) for verdict in Verdict),
        Wanted((Verdict.UNWINNABLE, Verdict.UNDECIDED)),
        Wanted((Verdict.SCORED, Verdict.FAILED, Verdict.WINNABLE), nodes=(few, ALL[1])),
        Wanted(values=(low, high)),
        Wanted(values=(ALL[0], high - 1)),
        Wanted(values=(values[-1] + 1, ALL[1])),
        Wanted(nodes=(few, many)),
        Wanted(nodes=(many + 1, ALL[1])),
        Wanted((chance.choice(list(Verdict)),), (low, ALL[1]), (ALL[0], many)),
        Wanted((), (low, high), (few, many)),
    ]
    return chance.sample(wishes, 6)


def check_queries(store: Database, pair: Pair, chance: Random) -> list[Result]:
    """Check that queries of both runs return the same; return all results."""
    found = everything(store, pair.rows)
    assert everything(store, pair.packed) == found
    wishes = filters(found, chance)
    for wanted in wishes:
        for run in pair:
            assert everything(store, run, wanted) == chosen(found, wanted), (run.storage, wanted)
    for wanted in (Wanted(), wishes[0]):
        size, after = chance.randint(len(found) // 6 + 1, len(found) + 2), chance.choice((0, chance.randint(0, 3_500)))
        behind = chosen([one for one in found if one.position > after], wanted)
        expected = [behind[start : start + size] for start in range(0, len(behind), size)]
        for run in pair:
            assert list(pages(store, run, wanted, after, size)) == expected, (run.storage, wanted, after, size)
    return found


def check_single_results(store: Database, pair: Pair, found: Sequence[Result], chance: Random) -> None:
    positions = {1, 2, BLOCK, BLOCK + 1, pair.rows.items, pair.rows.items + 1, chance.randint(1, pair.rows.items)}
    there = {one.position: one for one in found}
    for run in pair:
        for position in positions:
            if position in there:
                assert replace(find_result(store, run, position), run=None) == there[position]
            else:
                with pytest.raises(NotFoundError, match=f"run {run.id} has no verdict on item {position}"):
                    find_result(store, run, position)


def check_exports(store: Database, pair: Pair, folder: Path, verdicts: Sequence[Verdict]) -> None:
    """Check that exported files have the same contents, except for the number of the run in a Parquet file."""
    for suffix in FORMS:
        files = [folder / f"{run.storage.name}{suffix}" for run in pair]
        counts = [export(store, run, file, verdicts, force=True) for run, file in zip(pair, files, strict=True)]
        assert counts[0] == counts[1]
        if suffix != ".parquet":
            assert files[0].read_bytes() == files[1].read_bytes(), suffix
            continue
        tables = [parquet.read_table(file) for file in files]
        assert tables[0].equals(tables[1])
        about = [dict(table.schema.metadata) for table in tables]
        assert [each.pop(b"run").decode() for each in about] == [str(run.id) for run in pair]
        assert about[0] == about[1]


def check_audits(store: Database, pair: Pair, sample: int | None, seed: int = 1) -> None:
    """Check that audits of both runs are clean and have the same counts, and that queries by outcome agree."""
    said = []
    for run in pair:
        audit = an_audit(store, run, sample, seed)
        assert (audit.clean, faults_of(store, audit.id)) == (True, [])
        said.append((audit.population, audit.size, audit.valid, audit.invalid, audit.no_evidence, audit.faults))
    assert said[0] == said[1]
    for outcome in (Outcome.NO_EVIDENCE, Outcome.INVALID):
        rows, packed = (everything(store, run, Wanted(audit=outcome)) for run in pair)
        assert rows == packed
        assert len(rows) >= (said[0][4] if outcome is Outcome.NO_EVIDENCE else 0)


def check_differences(store: Database, ours: Pair, theirs: Pair) -> list[Difference]:
    """Check that two runs have the same differences however each of them is stored; return the differences."""
    found = [list(compare(store, one, other)) for one in ours for other in theirs]
    assert found[0] == found[1] == found[2] == found[3]
    mirrored = [Difference(it.layout, it.other, it.one) for it in compare(store, theirs.packed, ours.rows)]
    assert mirrored == found[0]
    return found[0]


def what(result: Result) -> tuple[Verdict, int | None, str | None]:
    return result.verdict, result.value, result.evidence


def summary(run: RunStatus) -> tuple[object, ...]:
    counted = (run.items, run.complete, run.finished, run.solved, run.counts, run.value_sum, run.nodes, run.mean)
    return (run.source, run.engine, run.version, run.max_nodes, *counted)


def check_pair(store: Database, pair: Pair, deals: DealRange, folder: Path, chance: Random) -> list[Result]:
    """Check everything that can be asked of two finished runs over these deals; return all results."""
    assert summary(pair.rows) == summary(pair.packed)
    assert pair.packed.finished and pair.packed.items == len(deals)
    fingerprints = [fingerprint_of(store, run.id, run.items) for run in pair]
    assert fingerprints[0] == fingerprints[1] is not None
    found = check_queries(store, pair, chance)
    assert [one.line for one in found] == list(range(deals.first, deals.last + 1))
    assert [one.layout for one in found] == deal(deals.game, deals.seed, deals.first, len(deals), **deals.parameters)
    check_single_results(store, pair, found, chance)
    check_exports(store, pair, folder, chance.sample(list(Verdict), chance.choice((0, 0, 2))))
    check_audits(store, pair, min(len(deals), 12), seed=chance.randint(1, 9))
    assert check_differences(store, pair, pair) == []
    return found


def other_run(game: Game, engine: Engine, max_nodes: int | None) -> tuple[str, int | None]:
    """Another engine of the game with the same limit if there is one, else the same engine with another limit."""
    others = [other for other in game.engines if other is not engine]
    return (game.full_name(others[0]), max_nodes) if others else (game.full_name(engine), 10 if max_nodes else 7)


@each_engine
def test_rows_and_packs_say_the_same(
    store: Database, game: Game, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two pairs of runs, the second by an engine that breaks down on some deals."""

    @example(crooked(game, engine))
    @settings(max_examples=EXAMPLES, phases=(Phase.explicit, Phase.generate), print_blob=False)
    @given(scenarios(game))
    def agree(scenario: Scenario) -> None:
        empty(store)
        chance, deals = Random(scenario.chance), scenario.deals
        pair = solved_pair(store, scenario, game.full_name(engine))
        found = check_pair(store, pair, deals, tmp_path, chance)

        name, limit = other_run(game, engine, scenario.max_nodes)
        bad = {found[-1].layout, chance.choice(found).layout}
        with monkeypatch.context() as broken:
            brittle = Brittle(name, sorted(bad))
            broken.setattr(solving, "load", lambda _name: brittle)
            other = solved_pair(store, replace(scenario, max_nodes=limit), name)
        others = check_pair(store, other, deals, tmp_path, chance)
        assert {one.layout for one in others if one.verdict is Verdict.FAILED} == bad
        assert [difference.one.position for difference in check_differences(store, pair, other)] == [
            one.position for one, another in zip(found, others, strict=True) if what(one) != what(another)
        ]

    agree()


@each_engine
def test_audits_of_all_verdicts_and_reruns_are_the_same(store: Database, game: Game, engine: Engine) -> None:
    deals = DealRange(game, 8, 501, 700)
    pair = a_pair(store, deals, game.full_name(engine), 9, chunk=70)
    check_audits(store, pair, None)
    again = [queue_rerun(store, run, any_version=False) for run in pair]
    do_runs(store)
    repeated = pair_of(store, again)
    assert [run.repeats for run in repeated] == [run.id for run in pair]
    assert check_differences(store, pair, repeated) == []
    assert fingerprint_of(store, repeated.packed.id, 200) == fingerprint_of(store, pair.rows.id, 200) is not None


def test_audits_of_several_blocks_with_failures_are_the_same(store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    game, _ = find_engine(PAIRING)
    deals = DealRange(game, 9, 77, 2_199)
    layouts = deal(game, 9, 77, len(deals))
    with monkeypatch.context() as broken:
        brittle = Brittle(PAIRING, [layouts[0], layouts[999], layouts[1_000], layouts[-1]])
        broken.setattr(solving, "load", lambda _name: brittle)
        pair = a_pair(store, deals, PAIRING, 9, chunk=900)
    assert pair.rows.counts[Verdict.FAILED] == 4
    check_audits(store, pair, None)
    check_audits(store, pair, 31, seed=5)


def do_blocks(store: Database, blocks: Mapping[int, set[int]]) -> None:
    """Do the jobs that lie in these blocks (from 0) of each run, and claim the others."""
    for number in pending(store):
        job = claimed(store, number)
        if {(job.lease.first - 1) // BLOCK, (job.lease.stop - 2) // BLOCK} <= blocks[job.run.id]:
            assert jobs.finish(store, job, jobs.solve(store, job))


@each_engine
def test_runs_under_way_say_the_same(store: Database, game: Game, engine: Engine, tmp_path: Path) -> None:
    deals = DealRange(game, 4, 21, 2_457)
    source, chance = read_in(store, deals), Random(game.full_name(engine))
    name, limit = other_run(game, engine, 9)
    ours = plan(store, source, game.full_name(engine), 9, 500, BLOCK)
    theirs = plan(store, source, name, limit, 250, BLOCK)
    for number in (*ours, *theirs):
        assert everything(store, find_run(store, str(number))) == []
    do_blocks(store, {number: {1, 2} if number in ours else {0, 2} for number in (*ours, *theirs)})
    pair, other = pair_of(store, ours), pair_of(store, theirs)
    for each in (pair, other):
        assert summary(each.rows) == summary(each.packed)
        assert (each.packed.solved, each.packed.finished) == (1_437, False)
        assert [fingerprint_of(store, run.id, run.items) for run in each] == [None, None]
        check_audits(store, each, 15)
        assert check_differences(store, each, each) == []
    check_single_results(store, pair, check_queries(store, pair, chance), chance)
    check_exports(store, pair, tmp_path, ())
    one_alone = [found.one.position for found in check_differences(store, pair, other)]
    assert set(range(1, 2_001)) <= set(one_alone) <= set(range(1, 2_438))


@pytest.mark.parametrize("packed_first", [True, False])
def test_reading_deals_cuts_jobs_for_the_rows_only(store: Database, packed_first: bool) -> None:
    game, _ = find_engine(MEMORY)
    deals = DealRange(game, 1, 11, 3_510)
    source = deals_source(store, deals)
    storages = (Storage.PACKED, Storage.ROWS) if packed_first else (Storage.ROWS, Storage.PACKED)
    numbers = {storage: queue_run(store, source, MEMORY, None, storage) for storage in storages}
    rows, packed = (find_run(store, str(numbers[storage])) for storage in (Storage.ROWS, Storage.PACKED))
    assert rows.id != packed.id
    assert (rows.items, rows.jobs, rows.complete) == (0, 0, False)
    assert (packed.items, packed.jobs, packed.complete) == (3_500, 1, True)
    read_in(store, deals)
    assert (find_run(store, str(rows.id)).jobs, find_run(store, str(packed.id)).jobs) == (1, 1)
    do_runs(store)
    pair = pair_of(store, (rows.id, packed.id))
    assert summary(pair.rows) == summary(pair.packed)
    for storage, number in numbers.items():
        assert queue_run(store, read_in(store, deals), MEMORY, None, storage) == number
        assert queue_run(store, source, MEMORY, 5, storage) not in numbers.values()
    assert [find_run(store, str(run.id)).jobs for run in pair] == [1, 1]


def test_a_packed_run_leaves_its_deals_to_be_read(store: Database) -> None:
    """The source of a finished packed run has no items, and reading it later does not change the run."""
    game, _ = find_engine(PAIRING)
    opened, deals = Store(store), DealRange(game, 1, 11, 1_110)
    packed = opened.queue(deals, packed=True)
    do_runs(store)
    finished = packed.status()
    assert (finished.finished, opened.find_source(1).accepted, opened.find_source(1).complete) == (True, 0, False)
    rows = opened.queue(deals)
    assert (rows.id, opened.find_source(1).accepted) == (2, 1_100)
    do_runs(store)
    assert summary(packed.status()) == summary(finished)
    check_differences(store, *[pair_of(store, (rows.id, packed.id))] * 2)
    assert [opened.queue(deals).id, opened.queue(1, packed=True).id, opened.queue(deals, packed=True).id] == [2, 1, 1]


def test_retracted_runs_are_planned_again_in_their_storage(store: Database) -> None:
    game, _ = find_engine(MEMORY)
    pair = a_pair(store, DealRange(game, 1, 11, 1_510), MEMORY, 77)
    alter(store, "UPDATE engines SET version = '0'")
    again = [requeue(store, gone) for gone in retract(store, MEMORY, "0", "miscounts")]
    assert [(run.id, run.version, run.max_nodes, run.items, run.source) for run in again] == [
        (pair.packed.id + place, "1", 77, 1_500, pair.rows.source) for place in (1, 2)
    ]
    do_runs(store)
    replaced = pair_of(store, [run.id for run in again])
    assert check_differences(store, replaced, replaced) == []
    assert fingerprint_of(store, replaced.packed.id, 1_500) == fingerprint_of(store, pair.rows.id, 1_500)


def test_a_rows_run_of_deals_that_are_being_read_is_compared_as_far_as_it_is(store: Database) -> None:
    game, _ = find_engine(PAIRING)
    deals = DealRange(game, 1, 11, 2_510)
    source = deals_source(store, deals)
    numbers = plan(store, source, PAIRING, None, None, BLOCK)
    leave(store, append(store, source, list(islice(deals, 1_500))))
    do_runs(store)
    rows, packed = pair_of(store, numbers)
    assert (rows.items, rows.finished, packed.items) == (1_500, False, 2_500)
    assert list(compare(store, rows, packed)) == list(compare(store, packed, rows)) == []
    alter(store, "UPDATE verdicts SET evidence = 'changed' WHERE position = 1400")
    for one, other in ((rows, packed), (packed, rows)):
        assert [difference.one.position for difference in compare(store, one, other)] == [1_400]


def test_the_command_says_what_to_do_with_deals_without_end(tmp_path: Path) -> None:
    ran = dealmill("run", "--packed", "deal:memory:seed=1:1-", cwd=tmp_path)
    told = "dealmill: deal:memory:seed=1:1- has no end: name the last deal, or survey it with: dealmill survey\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", told)


def test_what_cannot_be_stored_packed_is_refused_before_anything_is_planned(store: Database) -> None:
    game, _ = find_engine(MEMORY)
    opened = Store(store)
    for first in (1, 500):
        with pytest.raises(InputError, match=f"seed=7:{first}- has no end: name the last deal, or survey it"):
            opened.queue(DealRange(game, 7, first, MOST), packed=True)
        with pytest.raises(InputError, match=f"seed=7:{first}- has no end: name the last deal, or survey it"):
            opened.run(DealRange(game, 7, first, MOST), packed=True)
    with pytest.raises(UsageError, match="the number of deals in deal:memory:seed=7:1-100000000001 is a whole number"):
        opened.run(DealRange(game, 7, 1, MOST_PACKED + 1), packed=True)
    assert opened.runs() == []
    a_run(store, MEMORY, ["AABB"])
    with pytest.raises(UsageError, match=r"a\.txt cannot be stored packed: only numbered deals can be dealt again"):
        opened.queue("a.txt", packed=True)
    survey = a_survey(store, MEMORY, BLOCK)
    for packed in (True, False):
        with pytest.raises(UsageError, match="seed=7:1- has no end: dealmill survey works on it"):
            opened.queue(survey.source, engine="memory/incremental", packed=packed)
    assert [run.id for run in opened.runs()] == [1, survey.id]


def test_packed_runs_are_compared_over_the_same_deals_only(store: Database) -> None:
    game, _ = find_engine(MEMORY)
    pair = a_pair(store, DealRange(game, 1, 11, 40), MEMORY)
    other = a_pair(store, DealRange(game, 1, 12, 41), MEMORY)
    assert len(list(compare(store, pair.rows, other.rows))) == 2
    for one, another in ((pair.rows, other.packed), (pair.packed, other.rows), (pair.packed, other.packed)):
        packed = one if one.storage is Storage.PACKED else another
        told = (
            f"run {packed.id} is stored packed, and is compared with a run over the same deals only: "
            f"run {one.id} is over deal:memory:seed=1:11-40, run {another.id} over deal:memory:seed=1:12-41"
        )
        with pytest.raises(UsageError) as refused:
            compare(store, one, another)
        assert str(refused.value) == told


@pytest.fixture
def damaged(store: Database) -> Pair:
    """Finished runs over 1,100 deals for a test to damage; the packed run is one pack of two blocks."""
    game, _ = find_engine(PAIRING)
    return a_pair(store, DealRange(game, 6, 2_001, 3_100), PAIRING, 12)


def turned(verdict: Verdict) -> Verdict:
    return Verdict.UNWINNABLE if verdict is Verdict.WINNABLE else Verdict.WINNABLE


def flip(store: Database, run: RunStatus, position: int) -> Verdict:
    """Change a decided verdict of a packed run; return the original."""
    was = find_result(store, run, position).verdict
    with store.writing() as connection:
        packed = connection.execute(text("SELECT verdicts FROM packs")).scalar_one()
        codes = bitmap.unpack(packed, run.items)
        assert codes is not None and codes[position - 1] == was
        codes[position - 1] = turned(was)
        connection.execute(text("UPDATE packs SET verdicts = :packed"), {"packed": bitmap.pack(codes)})
    return was


def decided(store: Database, run: RunStatus, after: int) -> Result:
    """The next winnable or unwinnable result."""
    wanted = Wanted((Verdict.WINNABLE, Verdict.UNWINNABLE))
    return next(results(store, [run], wanted, (run.id, after), 1))


@each_engine
def test_a_changed_row_differs_from_what_is_packed(store: Database, game: Game, engine: Engine) -> None:
    pair = a_pair(store, DealRange(game, 6, 2_001, 3_100), game.full_name(engine))
    changed = {
        3: "verdict = 5",
        500: "evidence = 'another'",
        1_000: "evidence = NULL",
        1_001: "value = 77777",
        1_050: "verdict = 4, value = NULL, evidence = NULL",
    }
    for position, change in changed.items():
        alter(store, f"UPDATE verdicts SET {change} WHERE run_id = 1 AND position = {position}")
    alter(store, "DELETE FROM verdicts WHERE run_id = 1 AND position = 1100")
    found = list(compare(store, pair.rows, pair.packed))
    assert [difference.one.position for difference in found] == [*changed, 1_100]
    assert [difference.layout for difference in found] == [
        find_result(store, pair.packed, position).layout for position in (*changed, 1_100)
    ]
    assert found[-1].one == Said(1_100, None, None, None) and found[-1].other.verdict is not None
    assert [(it.other, it.one) for it in compare(store, pair.packed, pair.rows)] == [(it.one, it.other) for it in found]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("UPDATE blocks SET digest = :junk WHERE run_id = 2 AND number = 1", "these are not the layouts, verdicts and"),
        ("DELETE FROM blocks WHERE run_id = 2 AND number = 1", "there is no digest of these verdicts on record"),
    ],
)
def test_a_changed_digest_of_a_packed_run_is_a_difference_without_a_layout(
    store: Database, damaged: Pair, change: str, reason: str
) -> None:
    alter(store, change, **({"junk": b"x" * 32} if ":junk" in change else {}))
    for one, other in (damaged, damaged[::-1]):
        [difference] = compare(store, one, other)
        assert difference.layout == "the layout or the evidence of one of deal:card-pairing:seed=6:3001-3100"
        assert difference.one == difference.other == Said(1_001, None, None, None)
    for sample in (None, 60):
        audit = an_audit(store, damaged.packed, sample)
        assert [(it.first, it.last, it.reason.startswith(reason)) for it in faults_of(store, audit.id)] == [
            (1_001, 1_100, True)
        ]
    with pytest.raises(DifferenceError, match="items 1,001 to 1,100 of run 2 do not come out as they are on record"):
        everything(store, damaged.packed)
    assert len(next(pages(store, damaged.packed, Wanted(), 0, BLOCK))) == BLOCK
    assert an_audit(store, damaged.rows).clean


def test_a_changed_digest_of_a_rows_run_is_found_by_an_audit(store: Database, damaged: Pair) -> None:
    """A diff does not report it: it computes the digests of rows from the rows."""
    alter(store, "UPDATE blocks SET digest = :junk WHERE run_id = 1 AND number = 1", junk=b"x" * 32)
    assert check_differences(store, damaged, damaged) == []
    assert fingerprint_of(store, 1, 1_100) != fingerprint_of(store, 2, 1_100)
    audit = an_audit(store, damaged.rows)
    assert [(fault.first, fault.last) for fault in faults_of(store, audit.id)] == [(1_001, 1_100)]
    assert (audit.invalid, an_audit(store, damaged.packed).clean) == (0, True)


def test_a_flipped_bit_of_a_pack_is_found(store: Database, damaged: Pair) -> None:
    position = decided(store, damaged.rows, 1_040).position
    with store.reading() as connection:
        packs = connection.execute(text("SELECT first, verdicts FROM packs WHERE run_id = 2")).all()
    was = flip(store, damaged.packed, position)
    [difference] = compare(store, *damaged)
    assert difference.layout == find_result(store, damaged.rows, position).layout
    assert difference.one == Said(position, was, None, None)
    assert difference.other == Said(position, turned(was), None, None)
    audit = an_audit(store, damaged.packed)
    assert (audit.invalid, audit.valid + audit.no_evidence) == (1, 1_099)
    assert [objected for objected, _ in objections_of(store, audit)] == [position]
    reason = f"what comes out again is {was.word}, and on record {turned(was).word}"
    assert Fault(position, position, reason) in faults_of(store, audit.id)
    with pytest.raises(DifferenceError, match="items 1,001 to 1,100 of run 2 do not come out as they are on record"):
        find_result(store, damaged.packed, position)
    assert find_result(store, damaged.rows, position).verdict is was

    for first, kept in packs:
        alter(store, "UPDATE packs SET verdicts = :kept WHERE run_id = 2 AND first = :first", kept=kept, first=first)
    assert list(compare(store, *damaged)) == []
    assert an_audit(store, damaged.packed).clean
    assert list(results(store, [damaged.packed], Wanted(audit=Outcome.INVALID), (0, 0), None)) == []


BEHIND = {
    "INSERT INTO blocks SELECT run_id, 77, digest FROM blocks WHERE run_id = :run AND number = 0": 77_001,
    "INSERT INTO verdicts (run_id, position, verdict, nodes, evidence) VALUES (:run, 5000, 5, 0, 'an error')": 5_000,
    "INSERT INTO packs SELECT run_id, 5001, 6001, least, greatest, verdicts, moments FROM packs"
    " WHERE run_id = :run AND first = 1": 5_001,
}


@pytest.mark.parametrize(
    ("run", "change"), [(2, change) for change in BEHIND] + [(1, change) for change in [*BEHIND][:2]]
)
def test_what_stands_behind_the_end_of_a_run_is_found_by_an_audit(
    store: Database, damaged: Pair, run: int, change: str
) -> None:
    alter(store, change, run=run)
    found = faults_of(store, an_audit(store, damaged[run - 1]).id)
    place = BEHIND[change]
    assert [(fault.first, fault.last, "belong to no item" in fault.reason) for fault in found] == [(place, place, True)]


def test_a_changed_layout_is_a_difference(store: Database, damaged: Pair) -> None:
    text = find_result(store, damaged.rows, 7).layout
    alter(store, "UPDATE items SET layout = :text WHERE position = 1005", text=text)
    [difference] = compare(store, *damaged)
    assert difference.layout == "the layout or the evidence of one of deal:card-pairing:seed=6:3001-3100"


@pytest.mark.parametrize(
    ("change", "faults"),
    [
        ("UPDATE verdicts SET evidence = 'another' WHERE position = 1005", {(1_001, 1_100)}),
        ("UPDATE verdicts SET verdict = 5 WHERE position = 1005", {(1, 1_100), (1_001, 1_100)}),
        ("DELETE FROM verdicts WHERE position = 1005", {(1, 1_100), (1_001, 1_100), (1_005, 1_005)}),
    ],
)
def test_a_changed_row_is_found_by_an_audit_of_the_rows_alone(
    store: Database, damaged: Pair, change: str, faults: set[tuple[int, int]]
) -> None:
    alter(store, change)
    audit = an_audit(store, damaged.rows)
    assert {(fault.first, fault.last) for fault in faults_of(store, audit.id)} == faults
    assert an_audit(store, damaged.packed, 60).clean
    assert [difference.one.position for difference in compare(store, *damaged)] == [1_005]


def test_a_missing_pack_is_found_by_an_audit(store: Database, damaged: Pair) -> None:
    alter(store, "DELETE FROM packs")
    audit = an_audit(store, damaged.packed)
    assert (audit.valid, audit.invalid, audit.no_evidence) == (0, 0, 0)
    assert Fault(1, 1_100, "there is no verdict, though the job is done") in faults_of(store, audit.id)
    with pytest.raises(DifferenceError, match="items 1 to 1,100 of run 2 do not come out as they are on record"):
        everything(store, damaged.packed)
    alter(store, "DELETE FROM blocks WHERE run_id = 2")
    found = list(compare(store, *damaged))
    assert [difference.one.position for difference in found] == list(range(1, 1_101))
    assert {difference.other.verdict for difference in found} == {None}
