"""Audits of surveys."""

from dataclasses import replace

import pytest
from sqlalchemy import text

from dealmill.pipeline.errors import DamagedError, DifferenceError, UsageError
from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving import solve as room
from dealmill.pipeline.store.audits.audit import AUDITING, recorded_faults
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.job_kinds import AUDIT_JOBS, SOLVING_JOBS
from dealmill.pipeline.store.planning.installation import installed_engines
from dealmill.pipeline.store.queries.results import Query, find_result
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import grow
from dealmill.pipeline.store.runs.planned import run_of_job
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages import compact
from dealmill.pipeline.store.storages.storage import ResultColumns
from dealmill.pipeline.survey.estimate import estimate
from dealmill.pipeline.survey.growth import open_survey
from tests.doing import LEASE, Brittle, a_run, alter, an_audit, deal, do_audit, pending
from tests.survey.doing import MEMORY, PAIRING, a_survey, endless


@pytest.mark.parametrize("change", ["UPDATE engines SET version = '0'", "UPDATE sources SET generator = 'another'"])
def test_an_audit_of_a_survey_needs_its_engine_and_deal_versions(database: Database, change: str) -> None:
    survey = a_survey(database, MEMORY, 1_000)
    a_run(database, MEMORY, ["AABB"])
    for run in (survey, find_run(database, "2")):
        queue_audit(database, run, None, 1)
    assert len(leases.pending(database, AUDITING, installed_engines(), 10)) == 2
    alter(database, change)
    [left] = leases.pending(database, AUDITING, installed_engines(), 10)
    with database.reading() as connection:
        assert run_of_job(connection, AUDITING, left) is not None
    job = AUDIT_JOBS.claim(database, left, "one", LEASE)
    assert job is not None and job.run.id == 2


def test_a_query_by_audit_reads_a_survey_to_its_end(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    [layout] = deal(find_engine(PAIRING)[0], 7, 1_999, 1)
    with monkeypatch.context() as broken:
        brittle = Brittle(PAIRING, [layout])
        broken.setattr(room, "load", lambda _name: brittle)
        survey = a_survey(database, PAIRING, 2_000, max_nodes=9)
    assert an_audit(database, survey).no_evidence == survey.counts[Verdict.UNDECIDED] + 1 > 10
    failed = Filter((Verdict.FAILED,), audit=Outcome.NO_EVIDENCE)
    assert [result.position for result in Query(database, [survey], failed, (0, 0), 3)] == [1_999]
    reached = estimate(database, survey)
    assert reached is not None and reached.unknown == survey.counts[Verdict.UNDECIDED] + 1
    with pytest.raises(UsageError, match="audits of compact runs only record"):
        list(Query(database, [survey], Filter(audit=Outcome.VALID), (0, 0), None))


def test_an_unfinished_survey_is_audited_up_to_its_last_block(database: Database) -> None:
    survey = open_survey(database, endless(MEMORY), MEMORY, None)
    grow(database, survey.id, 6_000, 2_000)
    job = SOLVING_JOBS.claim(database, pending(database)[1], "one", LEASE)
    assert job is not None and SOLVING_JOBS.finish(database, job, SOLVING_JOBS.do(database, job))
    under_way = find_run(database, survey.id)
    audit = an_audit(database, under_way)
    assert (audit.valid, audit.no_evidence, audit.invalid, audit.faults) == (2_000, 0, 0, 0)
    sample = an_audit(database, under_way, sample=60)
    assert (sample.valid, sample.clean) == (20, True)


def test_a_survey_may_grow_while_it_is_audited(database: Database) -> None:
    survey = a_survey(database, MEMORY, 4_000)
    number = queue_audit(database, survey, None, 1)
    sample = queue_audit(database, survey, 10, 1)
    grown = a_survey(database, MEMORY, 9_000)
    assert (grown.id, grown.items) == (survey.id, 9_000)
    assert (do_audit(database, number).valid, do_audit(database, sample).valid) == (4_000, 10)
    assert an_audit(database, grown).valid == 9_000


def test_a_changed_sum_is_found_and_its_block_is_not_shown(database: Database) -> None:
    survey = a_survey(database, PAIRING, 2_000, chunk=2_000)
    alter(database, "UPDATE blocks SET winnable = winnable + 1, unwinnable = unwinnable - 1 WHERE number = 1")
    with database.reading() as connection:
        won = connection.execute(text("SELECT winnable FROM blocks WHERE number = 1")).scalar_one()
    audit = an_audit(database, survey)
    assert (audit.invalid, audit.valid) == (0, 2_000)
    [fault] = recorded_faults(database, audit.id)
    assert (fault.first, fault.last) == (1_001, 2_000)
    assert f"do not match its verdicts: winnable is {won}, expected {won - 1}, unwinnable is" in fault.reason
    with pytest.raises(DamagedError, match="1:1001-2000 cannot be read: solving again does not give the recorded"):
        find_result(database, survey, 1_005)
    assert find_result(database, survey, 1_000).position == 1_000
    with pytest.raises(DifferenceError, match="first 2,000 deals of run 1 are missing or damaged"):
        estimate(database, survey)
    alter(database, "DELETE FROM blocks")
    with pytest.raises(DamagedError, match="1:1-2000 cannot be read: there is no valid row of blocks for them"):
        list(Query(database, [survey], Filter(), (0, 0), None))


def test_blocks_without_a_match_are_not_solved_again(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    [layout] = deal(find_engine(PAIRING)[0], 7, 1_999, 1)
    with monkeypatch.context() as broken:
        brittle = Brittle(PAIRING, [layout])
        broken.setattr(room, "load", lambda _name: brittle)
        survey = a_survey(database, PAIRING, 4_000, chunk=4_000)
    solved = list[int]()
    block_again = compact.block_again

    def recorded(database: Database, run: RunStatus, number: int) -> ResultColumns:
        solved.append(number)
        return block_again(database, run, number)

    monkeypatch.setattr(compact, "block_again", recorded)
    results = list(Query(database, [survey], Filter((Verdict.FAILED,)), (0, 0), None))
    assert ([result.position for result in results], solved) == ([1_999], [1])


def test_an_audit_of_a_survey_without_deals_ends(database: Database) -> None:
    survey = open_survey(database, endless(MEMORY), MEMORY, None)
    audit = an_audit(database, survey)
    assert (audit.finished, audit.size, audit.valid, audit.clean) == (True, 0, 0, True)
    stuck = queue_audit(database, a_survey(database, MEMORY, 1_000), None, 1)
    [part] = leases.pending(database, AUDITING, installed_engines(), 10)
    job = AUDIT_JOBS.claim(database, part, "test", LEASE)
    assert job is not None and job.lease.parent == stuck
    none = replace(job, size=0, population=0)
    given_up = AUDIT_JOBS.give_up(database, none, "no room")
    assert given_up.faults == [Fault(1, 1, "these items cannot be audited: no room")]
