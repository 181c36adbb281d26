"""Deleted runs and sources are gone, everything else stays as it was, and an audit tells a deletion from an attack. On
both databases."""

from collections.abc import Callable

import pytest
from sqlalchemy import func, select

from dealmill.pipeline.errors import NotFoundError, StoreError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Layout
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.store.audits.audit import findings_of
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage, metadata
from dealmill.pipeline.store.deletion import check_deletable, delete_subject, give_back_space
from dealmill.pipeline.store.job_kinds import SOLVING_JOBS
from dealmill.pipeline.store.planning.run_planning import insert_rerun, insert_run
from dealmill.pipeline.store.queries.find import find_layout
from dealmill.pipeline.store.runs import log
from dealmill.pipeline.store.runs.controls import set_note
from dealmill.pipeline.store.runs.finding import find_run, list_runs, read_runs
from dealmill.pipeline.store.runs.log import list_actions
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import find_source, list_sources
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from tests.doing import a_run, a_source, alter, an_audit, do_audit, do_runs, pending

ENGINE = "memory/two-pass"
TEXTS = ["AABB", "ABAB", "ABBA"]
EMPTIED = {"verdicts", "blocks", "jobs", "audit_jobs", "judgements", "faults"}


def of_rows(database: Database) -> RunStatus:
    return a_run(database, ENGINE, TEXTS, chunk=1)


def of_compact(database: Database) -> RunStatus:
    source = deals_source(database, DealRange(find_engine(ENGINE)[0], 7, 1, 2_000))
    number = insert_run(database, source, ENGINE, "1", None, storage=Storage.COMPACT, chunk=1_000)
    do_runs(database)
    return find_run(database, number)


def sizes(database: Database) -> dict[str, int]:
    with database.reading() as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }


@pytest.mark.parametrize("planned", [of_rows, of_compact])
def test_a_deleted_run_leaves_its_number_and_the_log_and_everything_else(
    database: Database, planned: Callable[[Database], RunStatus]
) -> None:
    kept = a_run(database, ENGINE, ["CCDD"], name="b.txt")
    assert an_audit(database, kept).clean
    before, fingerprint = sizes(database), fingerprint_of(database, kept.id, 1)
    run = planned(database)
    expected = fingerprint_of(database, run.id, run.items)
    assert an_audit(database, run).clean
    alter(database, "UPDATE blocks SET digest = :junk WHERE run_id = :run", run=run.id, junk=b"x" * 32)
    assert not an_audit(database, run).clean
    with_it = list_actions(database)
    delete_subject(database, run)
    assert {name: size for name, size in sizes(database).items() if name in EMPTIED} == {
        name: size for name, size in before.items() if name in EMPTIED
    }
    for gone in (
        lambda: find_run(database, run.id),
        lambda: read_runs(database, [run.id]),
        lambda: delete_subject(database, run),
    ):
        with pytest.raises(NotFoundError, match=f"run {run.id} was deleted"):
            gone()
    with pytest.raises(NotFoundError, match="was deleted"):
        set_note(database, run.id, "too late")
    assert [each.id for each in list_runs(database)] == [kept.id] and find_run(database, "last").id == kept.id
    *earlier, last = list_actions(database)
    assert (earlier, last.what, last.run) == (with_it, "delete", run.id)
    assert an_audit(database, find_run(database, kept.id)).clean and fingerprint_of(database, kept.id, 1) == fingerprint
    again = planned(database)
    assert again.id == run.id + 1 and fingerprint_of(database, again.id, again.items) == expected
    assert an_audit(database, again).clean


def test_an_audit_tells_a_deletion_from_an_attack(database: Database) -> None:
    run, kept = (a_run(database, ENGINE, TEXTS, name=name) for name in ("a.txt", "b.txt"))

    def reasons() -> list[str | None]:
        return [finding.reason for finding in findings_of(database, an_audit(database, find_run(database, kept.id)))]

    alter(database, "UPDATE runs SET control = 4 WHERE id = :run", run=run.id)
    assert reasons() == [f"run {run.id} is deleted, but that is not in the action log"]
    alter(database, "UPDATE runs SET control = 1 WHERE id = :run", run=run.id)
    delete_subject(database, find_run(database, run.id))
    assert reasons() == []
    alter(database, "UPDATE runs SET control = 1 WHERE id = :run", run=run.id)
    assert reasons() == [f"run {run.id} was deleted by the action log, but is there"]


def test_a_run_is_not_deleted_while_something_depends_on_it(database: Database) -> None:
    run = a_run(database, ENGINE, TEXTS, chunk=1)
    rerun = insert_rerun(database, run, "1", chunk=1)
    with pytest.raises(StoreError, match=f"run {rerun} is a rerun of it; delete run {rerun} first"):
        check_deletable(database, run)
    held = SOLVING_JOBS.claim(database, pending(database)[0], "w", 60.0)
    assert held is not None
    with pytest.raises(StoreError, match=r"workers hold jobs of it \(1\); stop them with: dealmill cancel"):
        delete_subject(database, find_run(database, rerun))
    alter(database, "UPDATE jobs SET leased_until = 0 WHERE id = :job", job=held.lease.id)
    delete_subject(database, find_run(database, rerun))
    assert not SOLVING_JOBS.finish(database, held, SOLVING_JOBS.do(database, held)), "a late worker writes nothing"
    audit = queue_audit(database, run, None, 1)
    with pytest.raises(StoreError, match=f"audit {audit} of it is not finished"):
        delete_subject(database, run)
    do_audit(database, audit)
    queried = a_source(database, ENGINE, TEXTS, f"query:{run.id}:value=1..")
    with pytest.raises(StoreError, match=f"source {queried.id} has the layouts of a query of it"):
        delete_subject(database, run)
    delete_subject(database, queried)
    before = sizes(database)
    with pytest.MonkeyPatch.context() as killed:
        killed.setattr(log, "record", lambda *_words, **_more: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            delete_subject(database, run)
    assert sizes(database) == before, "a deletion that is interrupted has deleted nothing"
    delete_subject(database, run)
    assert give_back_space(database)


def test_a_deleted_source_is_read_again_under_its_number(database: Database) -> None:
    kept = a_run(database, ENGINE, ["CCDD", *TEXTS], name="b.txt")
    source = a_source(database, ENGINE, TEXTS)
    run = find_run(database, insert_run(database, source, ENGINE, "1", None, chunk=1))
    with pytest.raises(StoreError, match=f"run {run.id} is over it; delete run {run.id} first"):
        delete_subject(database, source)
    delete_subject(database, run)
    delete_subject(database, source)
    assert [each.id for each in list_sources(database)] == [kept.source]
    assert (find_source(database, source.id).accepted, list_actions(database)[-1].what) == (0, "delete source")
    assert [match.source.id for match in find_layout(database, [(1, "ABAB")], "memory", silent)] == [kept.source]
    again = a_source(database, ENGINE, TEXTS)
    assert again == source
    assert (
        an_audit(database, a_run(database, ENGINE, TEXTS)).clean
        and an_audit(database, find_run(database, kept.id)).clean
    )


def test_a_source_is_not_deleted_while_it_is_read(database: Database) -> None:
    reading = append(database, open_source(database, "memory", "a.txt", b"digest"), Entries.of([Layout(1, "AABB")]))
    with pytest.raises(StoreError, match="it is being read"):
        delete_subject(database, reading)
    alter(database, "UPDATE sources SET advanced = advanced - 61")
    delete_subject(database, reading)
    with pytest.raises(NotFoundError, match=r"a\.txt was deleted while it was read"):
        complete(database, reading)
