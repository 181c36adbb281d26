"""The seal of a run: what it depends on, and what it finds."""

from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from dealmill import Store
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.evidence.digests import block_digest
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Layout, Reject
from dealmill.pipeline.ingest.sources import deals_source
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.results.record import RESULT
from dealmill.pipeline.store.audits.audit import AuditStatus
from dealmill.pipeline.store.audits.seals import entry_in, seal_of, still_sealed
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.database.tables import blocks, items, runs, source_blocks, verdicts
from dealmill.pipeline.store.planning.run_planning import insert_run, queue_rerun
from dealmill.pipeline.store.runs import log
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.planned import run_seal
from dealmill.pipeline.store.sources.source import find_source
from dealmill.pipeline.store.sources.source_digests import ITEM, items_digest
from dealmill.pipeline.store.sources.writing import append, complete, open_source
from tests.doing import a_source, alter, an_audit, do_job, do_runs, pending, queue_stored
from tests.survey.doing import MEMORY, a_survey

ENTRIES: list[Layout | Reject] = [
    *(Layout(line, "AABB") for line in range(1, 1_500)),
    *(Reject(line, "A", ("short",)) for line in range(1_500, 1_510)),
    *(Layout(line, "ABAB") for line in range(1_510, 2_300)),
]


def rows(database: Database, batch: int = 10_000, chunk: int = 2_000) -> AuditStatus:
    """An audit of a run over these entries, read in batches and solved in jobs of this size."""
    source = open_source(database, "memory", "a.txt", b"digest")
    for first in range(0, len(ENTRIES), batch):
        source = append(database, source, Entries.of(ENTRIES[first : first + batch]))
    insert_run(database, complete(database, source), MEMORY, "1", None, chunk=chunk)
    do_runs(database)
    return an_audit(database, find_run(database, "1"))


def compact(database: Database) -> AuditStatus:
    """An audit of a compact run."""
    queue_stored(database, deals_source(database, DealRange(find_game("memory"), 7, 1, 5)), MEMORY, None)
    do_runs(database)
    return an_audit(database, find_run(database, "1"))


def test_neither_database_nor_batches_nor_jobs_change_a_seal(database: Database, tmp_path: Path) -> None:
    second_store = open_store(f"sqlite:///{tmp_path / 'other.db'}")
    seal = seal_of(database, rows(database))
    assert seal is not None and seal == seal_of(second_store, rows(second_store, batch=370, chunk=700))
    assert entry_in(seal) == 2


def test_what_comes_later_does_not_change_a_seal(database: Database) -> None:
    seal = seal_of(database, compact(database))
    assert seal is not None and still_sealed(database, 1, seal)
    queue_rerun(database, find_run(database, "1"), any_version=False)
    do_runs(database)
    again = seal_of(database, an_audit(database, find_run(database, "1")))
    source = find_source(database, 1)
    complete(database, append(database, source, Entries.of([Layout(line, "AABB") for line in range(1, 6)])))
    assert again is not None and again != seal
    assert still_sealed(database, 1, seal) and still_sealed(database, 1, again)
    assert not still_sealed(database, 2, seal) and not still_sealed(database, 1, f"9{seal}")


def test_a_survey_that_has_grown_has_the_seal_that_it_had(database: Database) -> None:
    seal = seal_of(database, an_audit(database, a_survey(database, MEMORY, 1_000)))
    grown = a_survey(database, MEMORY, 2_000)
    assert seal is not None and still_sealed(database, grown.id, seal)
    assert seal_of(database, an_audit(database, grown)) != seal


def test_a_change_of_the_record_with_all_its_digests_is_found_by_the_seal(database: Database) -> None:
    seal = seal_of(database, rows(database))
    assert seal is not None
    alter(database, "UPDATE items SET line = 99999 WHERE position = 7")
    with database.writing() as connection:
        recompute(connection)
    assert an_audit(database, find_run(database, "1")).clean
    assert not still_sealed(database, 1, seal)


def test_a_change_of_the_plan_with_its_seals_is_found_by_the_seal(database: Database) -> None:
    audit = compact(database)
    seal = seal_of(database, audit)
    alter(database, "UPDATE runs SET node_limit = 77")
    with database.writing() as connection:
        connection.execute(runs.update().values(seal=run_seal(connection, 1)))
    assert seal is not None and not still_sealed(database, 1, seal)


def test_only_what_was_audited_as_a_whole_and_is_sound_has_a_seal(database: Database) -> None:
    audit = rows(database)
    assert seal_of(database, audit) is not None
    assert seal_of(database, an_audit(database, find_run(database, "1"), sample=3)) is None
    alter(database, "UPDATE sources SET name = 'b.txt'")
    assert seal_of(database, an_audit(database, find_run(database, "1"))) is None


def test_an_audit_of_an_unfinished_run_gives_no_seal_even_when_the_run_is_finished(database: Database) -> None:
    layouts = ["AABB", "ABAB", "ABBA"]
    run = insert_run(database, a_source(database, MEMORY, layouts, "a.txt"), MEMORY, "1", None, chunk=1)
    do_job(database, pending(database)[0])
    audit = an_audit(database, find_run(database, str(run)))
    assert audit.clean and audit.judged == 1
    do_runs(database)
    assert find_run(database, str(run)).finished and seal_of(database, audit) is None
    assert seal_of(database, an_audit(database, find_run(database, str(run)))) is not None


ZEROS = "0" * 64


@pytest.mark.parametrize("seal", ["", "12", "12-", f"x-{ZEROS}", f"12-{ZEROS}0", "12-" + "G" * 64, f"1 2-{ZEROS}"])
def test_what_is_no_seal_is_refused(seal: str) -> None:
    with pytest.raises(UsageError, match="is not a seal; a seal is a number, a dash and 64 hexadecimal digits"):
        entry_in(seal)


EARLIER_SEALS = [
    "2-99eb4c0a89bc53aee863e21700d8ad8909cd1c29003a65d9fb4da9cab3ba8821",
    "2-102fb547db5006c501eb8426e027abb58cbdbf506fc0cacee58bf2e0fb734212",
    "2-bfa2287d0337441e974212667fec4d5a96990d765421876155112f539af8b651",
]
"""What earlier versions printed for `rows`. Only the first covers the node count of each verdict, and the last one
neither rejects nor the log."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "holding"),
    [
        (None, EARLIER_SEALS),
        ("UPDATE verdicts SET nodes = 5 - nodes", EARLIER_SEALS[1:]),
        ("UPDATE rejects SET text = 'B' WHERE number = 7", EARLIER_SEALS[2:]),
        ("UPDATE actions SET who = 'eve@host' WHERE id = 1", EARLIER_SEALS[2:]),
    ],
)
def test_seals_of_earlier_versions_prove_what_they_proved(
    database: Database, monkeypatch: pytest.MonkeyPatch, change: str | None, holding: list[str]
) -> None:
    monkeypatch.setattr(log, "_version", lambda: "0.1.0")
    monkeypatch.setattr(log, "_user", lambda: "ann")
    monkeypatch.setattr("socket.gethostname", lambda: "host")
    seal = seal_of(database, rows(database))
    if change:
        alter(database, change)
    assert [earlier for earlier in EARLIER_SEALS if still_sealed(database, 1, earlier)] == holding
    covers = change is not None and "nodes" in change
    assert seal is not None and still_sealed(database, 1, seal) is not covers


CHANGES: dict[str, object] = {
    "position": 10**6,
    "line": 99_999,
    "layout": "ABBA",
    "verdict": 4,
    "value": 5,
    "evidence": "1 2",
}
"""Another value for the columns of an export, but for the nodes, which are exchanged between two results."""


@pytest.mark.parametrize("name", [field.name for field in RESULT])
def test_a_seal_covers_every_column_of_an_export(sqlite_store: Database, tmp_path: Path, name: str) -> None:
    (tmp_path / "memory.csv").write_text(
        "layout,verdict,value,nodes,evidence\nAABB,scored,4,5,1 2 3 4\nABAB,scored,8,9,1 2 3 4 1 3 2 4\n"
    )
    run = Store(sqlite_store).import_verdicts(tmp_path / "memory.csv", engine="mine", version="1", progress=silent)
    seal = seal_of(sqlite_store, an_audit(sqlite_store, run.status()))
    assert seal is not None and still_sealed(sqlite_store, 1, seal)
    if name == "nodes":
        alter(sqlite_store, "UPDATE verdicts SET nodes = 14 - nodes")
        assert an_audit(sqlite_store, run.status()).clean, "all totals are what they were"
    else:
        table = items if name in ("line", "layout") else verdicts
        with sqlite_store.writing() as connection:
            connection.execute(table.update().where(table.c.position == 1).values({name: CHANGES[name]}))
            recompute(connection)
    assert not still_sealed(sqlite_store, 1, seal)


def recompute(connection: Connection) -> None:
    """Compute the digests of the first thousand results again, as somebody does who hides a change."""
    joined = (items.c.layout, verdicts.c.verdict, verdicts.c.value, verdicts.c.evidence)
    first = items.c.position <= 1_000
    results = connection.execute(
        select(*joined).join_from(items, verdicts, items.c.position == verdicts.c.position).where(first)
    ).all()
    layouts, codes, values, evidence = zip(*results, strict=True)
    digest = block_digest(1, layouts, codes, values, evidence)
    connection.execute(blocks.update().where(blocks.c.number == 0).values(digest=digest))
    listed = connection.execute(select(*ITEM).order_by(items.c.position).where(first)).all()
    digest = items_digest([*zip(*listed, strict=True)])
    connection.execute(source_blocks.update().where(source_blocks.c.number == 0).values(digest=digest))
