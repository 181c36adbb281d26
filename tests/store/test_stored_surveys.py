"""Surveys of engines that are slower than a database, whose deals and verdicts are rows."""

from collections import Counter
from pathlib import Path

import pytest

from dealmill import Store
from dealmill.pipeline.errors import DifferenceError, StoreError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Entries
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.audits.audit import recorded_faults
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.audits.seals import seal_of_audit, still_sealed
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.diffs.diff import diff
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.planning.run_planning import insert_run, queue_replacement, queue_rerun
from dealmill.pipeline.store.queries.results import Query
from dealmill.pipeline.store.runs.engines import retract
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import grow
from dealmill.pipeline.store.runs.planned import deals_of
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources import writing
from dealmill.pipeline.store.sources.source import Source, find_source
from dealmill.pipeline.store.sources.writing import append_deals, open_deals
from dealmill.pipeline.store.storages.item_blocks import fingerprint_of
from dealmill.pipeline.survey.estimate import estimate, estimates_after
from dealmill.pipeline.survey.growth import extend_to, open_survey
from dealmill.pipeline.survey.report import survey_facts
from tests.doing import alter, an_audit, do_audit, do_job, do_runs, pending
from tests.survey.doing import a_survey, endless

ODDS = "card-pairing/odds"
SMALL = {"ranks": 3, "stacks": 4}


def stored(database: Database, deals: int, max_nodes: int | None = None) -> RunStatus:
    return a_survey(database, ODDS, deals, max_nodes=max_nodes, **SMALL)


def results(database: Database, run: RunStatus, filter_: Filter = Filter()) -> list[tuple[object, ...]]:  # noqa: B008 -- frozen
    found = Query(database, [run], filter_, (0, 0), None)
    return [(it.position, it.line, it.layout, it.verdict, it.value, it.nodes, it.evidence) for it in found]


def test_a_stored_survey_and_a_compact_one_are_the_same(database: Database) -> None:
    survey = stored(database, 3_000)
    _, engine = find_engine(ODDS)
    source = find_source(database, survey.source)
    number = insert_run(database, source, ODDS, engine.version, None, storage=Storage.COMPACT)
    grow(database, number, 3_000, 1_000)
    do_runs(database)
    compact = find_run(database, number)
    assert (survey.storage, survey.finished, survey.items, source.accepted) == (Storage.ROWS, True, 3_000, 3_000)
    assert fingerprint_of(database, survey.id, 3_000) == fingerprint_of(database, number, 3_000) is not None
    assert results(database, survey) == results(database, compact)
    assert estimates_after(database, survey, [1, 2, 3, 4]) == estimates_after(database, compact, [1, 2, 3, 4])
    measured, same = estimate(database, survey), estimate(database, compact)
    assert measured is not None and measured == same
    assert survey_facts(database, survey, measured) == survey_facts(database, compact, measured)
    assert an_audit(database, survey).clean and an_audit(database, compact).clean
    assert list(diff(database, survey, compact)) == []


def test_surveys_share_the_deals_of_their_source(database: Database) -> None:
    """They may have different lengths, and grow after an audit, which does not change its seal."""
    short = stored(database, 2_000)
    audit, late = an_audit(database, short), queue_audit(database, short, None, 2)
    seal = seal_of_audit(database, short, audit.id)
    assert seal is not None and audit.clean
    limited = stored(database, 5_000, max_nodes=2)
    assert (limited.source, find_source(database, short.source).accepted) == (short.source, 5_000)
    short = find_run(database, short.id)
    assert (short.items, short.finished) == (2_000, True)
    other = diff(database, short, limited)
    assert (other.compared, other.deals_of_both) == (2_000, 2_000)
    assert (
        {each.kind for each in other} == {"lost"} == {each.kind for part in other.parts() for each in part.differences}
    )
    for run in (short, limited):
        whole = an_audit(database, run)
        assert (whole.clean, whole.valid + whole.no_evidence, recorded_faults(database, whole.id)) == (
            True,
            run.items,
            [],
        )
        assert an_audit(database, run, 50).clean
    grown = stored(database, 4_000)
    assert (grown.id, grown.items, grown.finished) == (short.id, 4_000, True)
    assert (do_audit(database, late).valid, do_audit(database, late).faults) == (2_000, 0)
    assert still_sealed(database, short.id, seal)
    alter(database, "UPDATE source_blocks SET digest = :wrong WHERE number = 1", wrong=b"\0" * 16)
    assert not still_sealed(database, short.id, seal)


def test_rows_beyond_a_stored_survey_are_found(database: Database) -> None:
    survey = stored(database, 2_000)
    alter(database, "INSERT INTO verdicts (run_id, position, verdict, nodes) VALUES (:run, 2500, 4, 1)", run=survey.id)
    alter(database, "UPDATE items SET position = 9000 WHERE position = 2000")
    audit = an_audit(database, survey)
    assert {(fault.first, fault.last) for fault in recorded_faults(database, audit.id)} >= {
        (2_000, 2_000),
        (2_500, 2_500),
    }


def test_a_stored_survey_is_repeated_and_replaced(database: Database) -> None:
    survey = stored(database, 2_000)
    again = queue_rerun(database, survey, any_version=False)
    do_runs(database)
    rerun = find_run(database, again)
    assert (rerun.items, rerun.finished, rerun.storage) == (2_000, True, Storage.ROWS)
    assert list(diff(database, survey, rerun)) == []
    alter(database, "UPDATE engines SET version = '0' WHERE name = :name", name=ODDS)
    gone = [run for run in retract(database, ODDS, "0", "miscounts") if run.id == survey.id]
    replacement = queue_replacement(database, gone[0])
    assert (replacement.items, replacement.storage, replacement.version) == (2_000, Storage.ROWS, "1")


def test_an_estimate_ends_before_the_first_block_that_is_not_solved(database: Database) -> None:
    survey = stored(database, 1_000)
    extend_to(database, survey, 4_000)
    for number in pending(database)[1:]:
        do_job(database, number)
    assert estimates_after(database, survey, [1, 2, 3])[0].deals == 1_000
    do_runs(database)
    survey = find_run(database, survey.id)
    values = [value for *_, value, _, _ in results(database, survey)]
    assert [each.deals for each in estimates_after(database, survey, [1, 4])] == [1_000, 4_000]
    reached = estimate(database, survey)
    assert reached is not None and reached.value_sum == sum(int(str(value)) for value in values)
    alter(database, "UPDATE verdicts SET value = value + 1 WHERE position = 1500")
    with pytest.raises(DifferenceError, match="first 4,000 deals of run 1 are missing or damaged"):
        estimate(database, survey)


def test_two_commands_store_the_same_deals_once(sqlite_store: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    deals, append = endless(ODDS, **SMALL), writing.append
    late = Counter[str]()

    def append_late(database: Database, source: Source, entries: Entries) -> Source:
        if not late["calls"]:
            late["calls"] += 1
            append(database, source, entries)  # by the other command
        return append(database, source, entries)

    monkeypatch.setattr(writing, "append", append_late)
    append_deals(sqlite_store, deals, 12_000)
    assert open_deals(sqlite_store, deals).accepted == 12_000
    append_deals(sqlite_store, deals, 5_000)
    monkeypatch.setattr(writing, "append", lambda *_: (_ for _ in ()).throw(StoreError("full")))
    with pytest.raises(StoreError, match="full"):
        append_deals(sqlite_store, deals, 13_000)


def test_a_compact_survey_of_a_slow_engine_is_continued(sqlite_store: Database) -> None:
    """Earlier versions of Dealmill stored all surveys like this."""
    _, engine = find_engine(ODDS)
    source = open_deals(sqlite_store, endless(ODDS, **SMALL))
    number = insert_run(sqlite_store, source, ODDS, engine.version, engine.max_nodes, storage=Storage.COMPACT)
    survey = open_survey(sqlite_store, endless(ODDS, **SMALL), ODDS, None)
    assert (survey.id, survey.storage) == (number, Storage.COMPACT)
    assert open_survey(sqlite_store, endless(ODDS, **SMALL), ODDS, 5).storage is Storage.ROWS
    assert open_survey(sqlite_store, endless("memory/two-pass"), "memory/two-pass", 5).storage is Storage.COMPACT


def test_the_deals_of_a_stored_survey_are_found_and_exported(database: Database, tmp_path: Path) -> None:
    survey = stored(database, 1_000)
    opened, layout = Store(database), str(results(database, survey)[4][2])
    positions = [match.position for match in opened.find(layout, game="card-pairing")]
    assert positions == [row[0] for row in results(database, survey) if row[2] == layout]
    assert opened.find_run(survey.id).export(tmp_path / "a.csv") == 1_000
    lost = results(database, survey, Filter((Verdict.SCORED,)))
    assert len(lost) == survey.counts[Verdict.SCORED]
    assert deals_of(survey).name == survey.source_name
