"""Runs in both storages of which somebody has changed the record: what a diff and an audit say."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.errors import DamagedError, DamagedWarning, StoreError, VersionError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.contract import Engine, Game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.progress import silent
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.store import packs
from dealmill.pipeline.store.audits import faults_of, objections_of
from dealmill.pipeline.store.blocks import fingerprint_of
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.diff import diff
from dealmill.pipeline.store.engines import retract
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.plans import queue_rerun, queue_run, requeue
from dealmill.pipeline.store.results import Query, find_result
from dealmill.pipeline.store.runs import RunStatus, find_run
from dealmill.pipeline.store.sources import find_source
from dealmill.pipeline.store.storage import RecordedVerdict
from dealmill.pipeline.store.stretches import Fault
from dealmill.pipeline.store.tables import Storage
from dealmill.workers import working as work
from tests.contract.pairs import (
    BLOCK,
    Pair,
    a_pair,
    check_differences,
    each_engine,
    everything,
    pages,
)
from tests.doing import an_audit, do_runs
from tests.survey.doing import PAIRING, alter


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
        codes = packs.unpack(packed, run.items)
        assert codes is not None and codes[position - 1] == was
        codes[position - 1] = turned(was)
        connection.execute(text("UPDATE packs SET verdicts = :packed"), {"packed": packs.pack(codes)})
    return was


def decided(store: Database, run: RunStatus, after: int) -> Result:
    """The next winnable or unwinnable result."""
    wanted = Filter((Verdict.WINNABLE, Verdict.UNWINNABLE))
    return next(iter(Query(store, [run], wanted, (run.id, after), 1)))


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
    found = list(diff(store, pair.rows, pair.packed))
    assert [difference.one.position for difference in found] == [*changed, 1_100]
    assert [difference.layout for difference in found] == [
        find_result(store, pair.packed, position).layout for position in (*changed, 1_100)
    ]
    assert found[-1].one == RecordedVerdict(1_100, None, None, None) and found[-1].other.verdict is not None
    assert [(it.other, it.one) for it in diff(store, pair.packed, pair.rows)] == [(it.one, it.other) for it in found]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            "UPDATE blocks SET digest = :junk WHERE run_id = 2 AND number = 1",
            "the layouts, verdicts or evidence were changed",
        ),
        ("DELETE FROM blocks WHERE run_id = 2 AND number = 1", "no digest of these verdicts is recorded"),
    ],
)
def test_a_changed_digest_of_a_packed_run_is_a_difference_without_a_layout(
    store: Database, damaged: Pair, change: str, reason: str
) -> None:
    alter(store, change, **({"junk": b"x" * 32} if ":junk" in change else {}))
    for one, other in (damaged, damaged[::-1]):
        [difference] = diff(store, one, other)
        assert difference.layout == "the layout or the evidence of one of deal:card-pairing:seed=6:3001-3100"
        assert difference.one == difference.other == RecordedVerdict(1_001, None, None, None)
    for sample in (None, 60):
        audit = an_audit(store, damaged.packed, sample)
        assert [(it.first, it.last, it.reason.startswith(reason)) for it in faults_of(store, audit.id)] == [
            (1_001, 1_100, True)
        ]
    with pytest.warns(
        DamagedWarning, match="2:1001-1100 cannot be read: solving again does not give the recorded result"
    ):
        assert len(everything(store, damaged.packed)) == BLOCK
    assert len(next(pages(store, damaged.packed, Filter(), 0, BLOCK))) == BLOCK
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
    [difference] = diff(store, *damaged)
    assert difference.layout == find_result(store, damaged.rows, position).layout
    assert difference.one == RecordedVerdict(position, was, None, None)
    assert difference.other == RecordedVerdict(position, turned(was), None, None)
    audit = an_audit(store, damaged.packed)
    assert (audit.invalid, audit.valid + audit.no_evidence) == (1, 1_099)
    assert [objected for objected, _ in objections_of(store, audit)] == [position]
    reason = f"the recorded verdict is {turned(was).word}, but solving again gives {was.word}"
    assert Fault(position, position, reason) in faults_of(store, audit.id)
    with pytest.raises(DamagedError, match=f"2:{position} cannot be read: solving again does not give"):
        find_result(store, damaged.packed, position)
    assert find_result(store, damaged.rows, position).verdict is was

    for first, kept in packs:
        alter(store, "UPDATE packs SET verdicts = :kept WHERE run_id = 2 AND first = :first", kept=kept, first=first)
    assert list(diff(store, *damaged)) == []
    assert an_audit(store, damaged.packed).clean
    assert list(Query(store, [damaged.packed], Filter(audit=Outcome.INVALID), (0, 0), None)) == []


def test_a_changed_layout_is_a_difference(store: Database, damaged: Pair) -> None:
    text = find_result(store, damaged.rows, 7).layout
    alter(store, "UPDATE items SET layout = :text WHERE position = 1005", text=text)
    [difference] = diff(store, *damaged)
    assert difference.layout == "the layout or the evidence of one of deal:card-pairing:seed=6:3001-3100"


def test_a_run_that_has_lost_its_end_is_not_finished(store: Database, damaged: Pair) -> None:
    for run in damaged:
        with store.writing() as connection:
            connection.execute(text(f"DELETE FROM jobs WHERE run_id = {run.id} AND first > 1000"))
            connection.execute(text(f"UPDATE jobs SET stop = 1001 WHERE run_id = {run.id} AND stop > 1001"))
        left = find_run(store, run.id)
        assert (left.items, left.finished) == (1_100, False)
        assert (1_001, 1_100, "these items belong to no job") in [
            (fault.first, fault.last, fault.reason) for fault in faults_of(store, an_audit(store, left).id)
        ]
        with pytest.raises(StoreError, match=f"run {run.id} cannot be finished, because some of its jobs are missing"):
            work.solve_runs(store, [run.id], silent)


def test_deals_of_another_generator_are_neither_planned_nor_shown(store: Database, damaged: Pair) -> None:
    source = find_source(store, damaged.packed.source)
    alter(store, "UPDATE verdicts SET evidence = 'another' WHERE run_id = 1 AND position = 5")
    alter(store, "UPDATE sources SET generator = 'philox4x64-10 card-pairing/0'")
    packed = find_run(store, 2)
    for ask in (
        lambda: queue_rerun(store, packed, any_version=True),
        lambda: queue_run(store, replace(source, generator="philox4x64-10 card-pairing/0"), PAIRING, 1, Storage.PACKED),
        lambda: list(diff(store, find_run(store, 1), packed)),
        lambda: find_result(store, packed, 1),
    ):
        with pytest.raises(VersionError, match="was dealt by philox4x64-10 card-pairing/0, but "):
            ask()
    alter(store, "UPDATE engines SET version = '0'")
    for gone in retract(store, PAIRING, "0", "miscounts"):
        if gone.storage is Storage.PACKED:
            with pytest.raises(VersionError, match="was dealt by"):
                requeue(store, gone)


def test_an_item_that_was_moved_differs_from_the_one_before(store: Database, damaged: Pair) -> None:
    alter(store, "UPDATE items SET position = 3000 WHERE position = 5")
    again = find_run(store, queue_rerun(store, damaged.rows, any_version=False))
    do_runs(store)
    [difference] = diff(store, damaged.rows, find_run(store, again.id))
    assert (difference.layout, difference.one.position, difference.other.verdict) == (None, 5, Verdict.FAILED)
