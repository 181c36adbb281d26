"""A run stored as rows and the same run stored compact give the same results, for every engine, on both databases."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from dealmill import Store
from dealmill.pipeline.arguments import MAX_INTEGER
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.diffs.diff import diff
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.run_planning import queue_rerun
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.sources.writing import append, cut_remaining_jobs
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from tests.contract.pairs import (
    BLOCK,
    a_pair,
    check_audits,
    check_differences,
    check_exports,
    check_pair,
    check_queries,
    check_single_results,
    claimed,
    crooked,
    everything,
    far_away,
    other_run,
    pair_of,
    plan,
    read_in,
    solved_pair,
    summary,
    what,
)
from tests.doing import Brittle, alter, deal, do_runs, each_engine_and_database, pending, queue_compact, queue_stored
from tests.survey.doing import MEMORY, PAIRING, a_survey


@each_engine_and_database
def test_compact_runs_give_the_results_of_rows(
    database: Database, game: Game, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three pairs of runs, the last by an engine that breaks down on some deals."""
    for scenario in (far_away(game, engine), crooked(game, engine)):
        chance, deals = Random(scenario.chance), scenario.deals
        pair = solved_pair(database, scenario, game.full_name(engine))
        results = check_pair(database, pair, deals, tmp_path, chance)

    name, limit = other_run(game, engine, scenario.max_nodes)
    bad = {results[-1].layout, chance.choice(results).layout}
    with monkeypatch.context() as broken:
        brittle = Brittle(name, sorted(bad))
        broken.setattr(solving, "load", lambda _name: brittle)
        rival_pair = solved_pair(database, replace(scenario, max_nodes=limit), name)
    rival_results = check_pair(database, rival_pair, deals, tmp_path, chance)
    assert {result.layout for result in rival_results if result.verdict is Verdict.FAILED} == bad
    assert [difference.one.position for difference in check_differences(database, pair, rival_pair)] == [
        result.position for result, rival in zip(results, rival_results, strict=True) if what(result) != what(rival)
    ]


@each_engine_and_database
def test_audits_of_all_verdicts_and_reruns_are_the_same(database: Database, game: Game, engine: Engine) -> None:
    deals = DealRange(game, 8, 501, 700)
    pair = a_pair(database, deals, game.full_name(engine), 9, chunk=70)
    check_audits(database, pair, None)
    again = [queue_rerun(database, run, any_version=False) for run in pair]
    do_runs(database)
    repeated = pair_of(database, again)
    assert [run.repeats for run in repeated] == [run.id for run in pair]
    assert check_differences(database, pair, repeated) == []
    assert fingerprint_of(database, repeated.compact.id, 200) == fingerprint_of(database, pair.rows.id, 200) is not None


def test_audits_of_several_blocks_with_failures_are_the_same(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    game, _ = find_engine(PAIRING)
    deals = DealRange(game, 9, 77, 2_199)
    layouts = deal(game, 9, 77, len(deals))
    with monkeypatch.context() as broken:
        brittle = Brittle(PAIRING, [layouts[0], layouts[999], layouts[1_000], layouts[-1]])
        broken.setattr(solving, "load", lambda _name: brittle)
        pair = a_pair(database, deals, PAIRING, 9, chunk=900)
    assert pair.rows.counts[Verdict.FAILED] == 4
    check_audits(database, pair, None)
    check_audits(database, pair, 31, seed=5)


def do_blocks(database: Database, blocks: Mapping[int, set[int]]) -> None:
    """Do the jobs that lie in these blocks (from 0) of each run, and claim the others."""
    for number in pending(database):
        job = claimed(database, number)
        if {(job.lease.first - 1) // BLOCK, (job.lease.stop - 2) // BLOCK} <= blocks[job.run.id]:
            assert SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))


@pytest.mark.parametrize("name", [MEMORY, PAIRING])
def test_unfinished_runs_of_both_storages_give_the_same_results(database: Database, name: str, tmp_path: Path) -> None:
    game, engine = find_engine(name)
    deals = DealRange(game, 4, 21, 2_457)
    source, chance = read_in(database, deals), Random(name)
    rival, limit = other_run(game, engine, 9)
    ours = plan(database, source, name, 9, 500, BLOCK)
    theirs = plan(database, source, rival, limit, 250, BLOCK)
    for number in (*ours, *theirs):
        assert everything(database, find_run(database, str(number))) == []
    do_blocks(database, {number: {1, 2} if number in ours else {0, 2} for number in (*ours, *theirs)})
    pair, rival_pair = pair_of(database, ours), pair_of(database, theirs)
    for each in (pair, rival_pair):
        assert summary(each.rows) == summary(each.compact)
        assert (each.compact.solved, each.compact.finished) == (1_437, False)
        assert [fingerprint_of(database, run.id, run.items) for run in each] == [None, None]
        check_audits(database, each, 15)
        assert check_differences(database, each, each) == []
    check_single_results(database, pair, check_queries(database, pair, chance), chance)
    check_exports(database, pair, tmp_path, ())
    one_alone = [difference.one.position for difference in check_differences(database, pair, rival_pair)]
    assert set(range(1, 2_001)) <= set(one_alone) <= set(range(1, 2_438))


@pytest.mark.parametrize("compact_first", [True, False])
def test_reading_deals_creates_jobs_for_rows_only(database: Database, compact_first: bool) -> None:
    game, _ = find_engine(MEMORY)
    deals = DealRange(game, 1, 11, 3_510)
    source = deals_source(database, deals)
    storages = (Storage.COMPACT, Storage.ROWS) if compact_first else (Storage.ROWS, Storage.COMPACT)
    numbers = {storage: queue_stored(database, source, MEMORY, None, storage) for storage in storages}
    rows, compact = (find_run(database, str(numbers[storage])) for storage in (Storage.ROWS, Storage.COMPACT))
    assert rows.id != compact.id
    assert (rows.items, rows.jobs, rows.complete) == (0, 0, False)
    assert (compact.items, compact.jobs, compact.complete) == (3_500, 1, True)
    read_in(database, deals)
    assert (find_run(database, str(rows.id)).jobs, find_run(database, str(compact.id)).jobs) == (1, 1)
    do_runs(database)
    pair = pair_of(database, (rows.id, compact.id))
    assert summary(pair.rows) == summary(pair.compact)
    for storage, number in numbers.items():
        assert queue_stored(database, read_in(database, deals), MEMORY, None, storage) == number
        assert queue_stored(database, source, MEMORY, 5, storage) not in numbers.values()
    assert [find_run(database, str(run.id)).jobs for run in pair] == [1, 1]


def test_a_compact_run_stores_no_deals_and_a_run_of_rows_can_follow(database: Database) -> None:
    """The source of a finished compact run has no items, and reading it later does not change the run."""
    game, _ = find_engine(PAIRING)
    opened, deals = Store(database), DealRange(game, 1, 11, 1_110)
    compact = opened.find_run(queue_compact(database, deals.name))
    do_runs(database)
    finished = compact.status()
    assert (finished.finished, opened.find_source(1).accepted, opened.find_source(1).complete) == (True, 0, False)
    rows = opened.queue(deals)
    assert (rows.id, opened.find_source(1).accepted) == (2, 1_100)
    do_runs(database)
    assert summary(compact.status()) == summary(finished)
    check_differences(database, *[pair_of(database, (rows.id, compact.id))] * 2)
    assert [opened.queue(deals).id, queue_compact(database, deals.name)] == [2, 1]


def test_an_unfinished_run_of_rows_is_compared_up_to_its_last_item(database: Database) -> None:
    game, _ = find_engine(PAIRING)
    deals = DealRange(game, 1, 11, 2_510)
    source = deals_source(database, deals)
    numbers = plan(database, source, PAIRING, None, None, BLOCK)
    cut_remaining_jobs(database, append(database, source, Entries.of(list(islice(deals, 1_500)))))
    do_runs(database)
    rows, compact = pair_of(database, numbers)
    assert (rows.items, rows.finished, compact.items) == (1_500, False, 2_500)
    assert list(diff(database, rows, compact)) == list(diff(database, compact, rows)) == []
    alter(database, "UPDATE verdicts SET evidence = 'changed' WHERE position = 1400")
    for left, right in ((rows, compact), (compact, rows)):
        assert [difference.one.position for difference in diff(database, left, right)] == [1_400]


def test_runs_without_an_end_are_refused_before_anything_is_planned(database: Database) -> None:
    game, _ = find_engine(MEMORY)
    opened = Store(database)
    for ask in (opened.queue, opened.run):
        for first in (1, 500):
            with pytest.raises(UsageError, match=f"seed=7:{first}- has no end: name the last deal, or survey it"):
                ask(DealRange(game, 7, first, MAX_INTEGER))
    assert opened.runs() == []
    survey = a_survey(database, MEMORY, BLOCK)
    with pytest.raises(UsageError, match="seed=7:1- has no end: name the last deal, or survey it"):
        opened.queue(survey.source, engine="memory/incremental")
    assert [run.id for run in opened.runs()] == [survey.id]


def test_compact_runs_are_compared_over_the_same_deals_only(database: Database) -> None:
    game, _ = find_engine(MEMORY)
    pair = a_pair(database, DealRange(game, 1, 11, 40), MEMORY)
    later = a_pair(database, DealRange(game, 1, 12, 41), MEMORY)
    assert len(list(diff(database, pair.rows, later.rows))) == 2
    for left, right in ((pair.rows, later.compact), (pair.compact, later.rows), (pair.compact, later.compact)):
        compact = left if left.storage is Storage.COMPACT else right
        told = (
            f"run {compact.id} is compact and can only be compared with a run over the same deals: "
            f"run {left.id} is over deal:memory:seed=1:11-40, run {right.id} over deal:memory:seed=1:12-41"
        )
        with pytest.raises(UsageError) as refused:
            diff(database, left, right)
        assert str(refused.value) == told
