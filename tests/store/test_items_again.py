"""Items of packed runs whose blocks take long are solved again one by one, with the results of whole blocks."""

from random import Random

import pytest

from dealmill.pipeline.errors import DamagedError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage, packs
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.planning.run_planning import queue_run
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.store.storages import compact
from dealmill.pipeline.store.storages.bitmaps import encode, next_bitmap
from dealmill.pipeline.store.storages.compact import Compact
from dealmill.pipeline.store.storages.compact_solving import solve_range
from dealmill.pipeline.store.storages.storage import Page
from tests.doing import do_runs

ENGINE, DEALS = "card-pairing/winnable", 2_030
VERDICTS = ((), (Verdict.UNWINNABLE,), (Verdict.WINNABLE,), (Verdict.WINNABLE, Verdict.UNWINNABLE))


@pytest.fixture
def run(sqlite_store: Database) -> RunStatus:
    source = deals_source(sqlite_store, DealRange(find_engine(ENGINE)[0], 7, 1, DEALS, {}))
    run_id = queue_run(sqlite_store, source, ENGINE, None, Storage.PACKED)
    do_runs(sqlite_store)
    return find_run(sqlite_store, run_id)


@pytest.fixture
def solved(monkeypatch: pytest.MonkeyPatch) -> list[range]:
    """The items that were solved again, in order; each block is expected to take long."""
    calls = list[range]()

    def record(deals: DealRange, run: RunStatus, first: int, stop: int, errors: dict[int, str]) -> object:
        calls.append(range(first, stop))
        return solve_range(deals, run, first, stop, errors)

    monkeypatch.setattr(compact, "solve_range", record)
    monkeypatch.setattr(compact, "LONG_SECONDS", -1.0)
    return calls


@pytest.mark.slow
def test_pages_have_the_same_results(
    sqlite_store: Database, run: RunStatus, solved: list[range], monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(3)

    def page(seconds: float) -> Page:
        monkeypatch.setattr(compact, "LONG_SECONDS", seconds)
        return Compact().page(sqlite_store, run, filter_, after, limit, before=before, backwards=backwards)

    for _ in range(60):
        filter_, backwards = Filter(chance.choice(VERDICTS)), chance.random() < 0.5
        after, before = sorted(chance.sample(range(DEALS + 2), 2))
        limit = chance.choice((1, 2, 7, 400))
        slow, fast = page(-1.0), page(1e9)
        assert (slow.results, slow.end) == (fast.results, fast.end), (filter_, after, before, limit, backwards)
    assert {len(part) for part in solved} == {1, 1_000, 30}


def test_only_what_is_asked_for_is_solved(
    sqlite_store: Database, run: RunStatus, solved: list[range], caplog: pytest.LogCaptureFixture
) -> None:
    results = Compact().page(sqlite_store, run, Filter((Verdict.UNWINNABLE,)), 0, 3).results
    assert [result.position for result in results] == [part[0] for part in solved]
    assert [len(part) for part in solved] == [1, 1, 1]
    assert f"solving 3 of the items {results[0].position} to {results[2].position} of run 1 again" in caplog.text
    Compact().page(sqlite_store, run, Filter(), 6, 1)
    assert "solving item 7 of run 1 again" in caplog.text
    Compact().page(sqlite_store, run, Filter(), 0, 1_000)
    assert "solving items 1 to 1,000 of run 1 again" in caplog.text


def test_a_changed_verdict_is_named(sqlite_store: Database, run: RunStatus, solved: list[range]) -> None:
    bitmap = next_bitmap(sqlite_store, run.id, 0)
    assert bitmap is not None and bitmap.verdicts is not None
    changed = bitmap.verdicts.copy()
    changed[6] = int(Verdict.WINNABLE if changed[6] == Verdict.UNWINNABLE else Verdict.UNWINNABLE)
    with sqlite_store.writing() as connection:
        connection.execute(packs.update().where(packs.c.first == bitmap.first).values(verdicts=encode(changed)))
    with pytest.raises(DamagedError, match="1:7 cannot be read: solving again"):
        Compact().page(sqlite_store, run, Filter(), 6, 1)
    assert [*solved] == [range(7, 8)]
