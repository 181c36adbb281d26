"""A store written by an earlier version says the same after ``dealmill db upgrade``, on both databases."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from pathlib import Path
from shutil import copyfile

import pytest

import dealmill
from dealmill import Run, Store
from dealmill.pipeline.errors import StoreError, VersionError
from dealmill.pipeline.store.audits.audit import find_audit
from dealmill.pipeline.store.audits.seals import seal_of, still_sealed
from dealmill.pipeline.store.database import revisions
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import REVISION, Storage
from dealmill.pipeline.store.database.urls import database_url
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.planning.run_planning import queue_rerun
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.survey.growth import extend_to
from tests.doing import alter, an_audit, do_audit, do_runs
from tests.judging import each_verdict_checked_once
from tests.store.upgrades import VERSIONS, Json, content
from tests.store.upgrades.account import account, state
from tests.store.upgrades.rows import dump, load

NUMBER = re.compile(r"\d[\d.,]*\d|\d")


@pytest.fixture(scope="module", autouse=True)
def _remembered() -> Iterator[None]:
    """Check verdicts only once that runs on both databases, and reruns, have in common."""
    with each_verdict_checked_once():
        yield


@pytest.fixture(scope="module", params=VERSIONS)
def fixture(request: pytest.FixtureRequest) -> Json:
    """The store of each earlier version."""
    return content(request.param)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def original(request: pytest.FixtureRequest, fixture: Json, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The URL of the store of the fixture, upgraded to the newest revision."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('upgraded') / 'store.db'}"
    else:
        url = request.getfixturevalue("postgres_server").new_database(lasting=True)
    write(url, fixture)
    assert dealmill.db.upgrade(url) == REVISION
    return url


def write(url: str, fixture: Json) -> None:
    """Write the store of a fixture, at its revision."""
    with closing(Database(database_url(url))) as database:
        revisions.upgrade(database, fixture["revision"])
        with database.writing() as connection:
            load(connection, fixture["tables"])


@pytest.fixture
def upgraded(original: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Database]:
    """A copy of the upgraded store."""
    where = database_url(original)
    if where.get_backend_name() == "sqlite":
        copy = f"sqlite:///{tmp_path / 'store.db'}"
        copyfile(str(where.database), tmp_path / "store.db")
    else:
        copy = request.getfixturevalue("postgres").new_database(template=where.database)
    database = Database(database_url(copy))
    yield database
    database.close()


def opened(database: Database) -> Store:
    """Open the store as users do, which only succeeds at the newest revision."""
    return dealmill.open(database.url.render_as_string(hide_password=False))


def test_an_upgraded_store_gives_the_same_results(upgraded: Database, fixture: Json) -> None:
    was, now = deepcopy(fixture["account"]), json.loads(json.dumps(account(opened(upgraded))))
    assert [row["id"] for row in now["runs"]] == [row["id"] for row in was["runs"]]
    for entry in was["log"]:
        entry[0] = pytest.approx(entry[0], abs=1e-6)  # the API gives whole microseconds
    for survey in (*was["surveys"].values(), *now["surveys"].values()):
        for name in ("told", "interval"):  # each version has words and an order of its own
            survey[name] = {*NUMBER.findall(survey[name])}
    for kind in was.keys() - {"seals"}:
        assert now[kind] == was[kind], kind


def test_compact_runs_of_versions_that_are_gone_are_counted_only_if_confirmed(fixture: Json, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'store.db'}"
    write(url, fixture)
    with closing(Database(database_url(url))) as database:
        alter(database, "UPDATE engines SET version = '0' WHERE name = 'card-pairing/winnable'")
    with pytest.raises(StoreError, match=r"run \d+ by card-pairing/winnable version 0.*dealmill db upgrade --yes"):
        dealmill.db.upgrade(url)
    assert dealmill.db.current(url) == fixture["revision"]
    dealmill.db.upgrade(url, yes=True)
    with dealmill.open(url) as store:
        compact = [run for run in store.runs() if run.storage is Storage.COMPACT and run.version == "0"]
        assert compact
        for run in compact:
            recorded = next(entry for entry in fixture["account"]["runs"] if entry["id"] == run.id)
            assert {verdict.word: count for verdict, count in run.progress.counts.items()} == recorded["counts"]
            with pytest.raises(
                VersionError, match=f"run {run.id} is compact and needs card-pairing/winnable version 0"
            ):
                list(run.results())


def test_the_seals_of_an_earlier_version_hold(upgraded: Database, fixture: Json) -> None:
    for number, seal in enumerate(fixture["account"]["seals"], start=1):
        audit = find_audit(upgraded, number)
        if audit.finished:  # versions before 0.3.0 also sealed what an audit had yet to judge
            assert (seal_of(upgraded, audit) is None) == (seal is None)
        assert seal is None or still_sealed(upgraded, audit.run, seal)


@pytest.mark.parametrize("table", ["source_blocks", "audit_jobs", "actions"])
def test_a_downgrade_computes_the_digests_that_were_dropped(upgraded: Database, fixture: Json, table: str) -> None:
    revisions.downgrade(upgraded, fixture["revision"])
    with upgraded.reading() as connection:
        assert dump(connection)[table] == fixture["tables"][table]


def test_new_audits_of_all_finished_runs_are_clean(upgraded: Database, fixture: Json) -> None:
    recorded = {entry["id"]: entry for entry in fixture["account"]["runs"] if entry["finished"] and entry["items"]}
    for run in opened(upgraded).runs():
        if run.id in recorded:
            audit = an_audit(upgraded, run.status())
            counts = recorded[run.id]["counts"]
            unproved = counts.get("undecided", 0) + counts.get("failed", 0)
            assert audit.finished and audit.clean, run
            assert (audit.valid, audit.no_evidence) == (recorded[run.id]["items"] - unproved, unproved), run


def test_reruns_are_equal(upgraded: Database, fixture: Json) -> None:
    store = opened(upgraded)
    originals = [
        store.find_run(entry["id"])
        for entry in fixture["account"]["runs"]
        if entry["finished"]
        and entry["items"]
        and not (entry["repeats"] or entry["retracted"] or "failed" in entry["counts"])
    ]
    numbers, current = list[int](), list[Run]()
    for run in originals:
        if Installation().mismatch(run.status().solved_by, run.version):
            with pytest.raises(VersionError):
                queue_rerun(upgraded, run.status(), any_version=False)
        else:
            current.append(run)
            numbers.append(queue_rerun(upgraded, run.status(), any_version=False))
    assert len(current) > 3
    do_runs(upgraded)
    for run, number in zip(current, numbers, strict=True):
        rerun = store.find_run(number)
        assert rerun.repeats == run.id
        assert rerun.fingerprint == run.fingerprint is not None
        assert run.diff(rerun).equal


def test_unfinished_runs_and_audits_can_be_finished(upgraded: Database, fixture: Json) -> None:
    store, recorded = opened(upgraded), fixture["finished"]
    for entry in fixture["account"]["sources"]:
        if not entry["complete"] and entry["name"].startswith("deal:"):
            [source] = store.ingest(entry["name"]).sources
            assert source.complete and source.id == entry["id"]
    do_runs(upgraded)
    assert {str(run.id): state(run) for run in store.runs() if str(run.id) in recorded} == recorded
    for number in [entry["id"] for entry in fixture["account"]["audits"] if not entry["finished"]]:
        audit = do_audit(upgraded, number)
        assert audit.finished and audit.clean and audit.valid == audit.size


def test_surveys_can_be_asked_for_more_deals(upgraded: Database, fixture: Json) -> None:
    store, recorded = opened(upgraded), fixture["grown"]
    for run, entry in recorded.items():
        extend_to(upgraded, find_run(upgraded, run), entry["deals"])
    do_runs(upgraded)
    assert {run: store.find_run(run).fingerprint for run in recorded} == {
        run: entry["fingerprint"] for run, entry in recorded.items()
    }
    for run, entry in recorded.items():
        audit = an_audit(upgraded, find_run(upgraded, run), sample=100)
        assert audit.clean and audit.population == entry["deals"]
