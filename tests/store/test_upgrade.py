"""A store written by an earlier version says the same after ``dealmill db upgrade``, on both databases.

``upgrades/0006.json.gz`` holds every row of a store at revision 0006, together with the account that the code of that
revision gave of it (see `account`). That code wrote the store, on SQLite: the methods of `dealmill.Store` and
`dealmill.Run` with local workers, and jobs done in one process, as in ``tests/doing.py``, where a run had to be left
half done or an engine had to fail. A range of deals was interrupted while it was read, in batches of 400. One stored
value and one digest were changed before audits 1 and 2 and restored after them, so that there are findings too.

``upgrades/0007.json.gz`` is that store after an upgrade to revision 0007, by the code of that revision, with more in
it: a packed run over deals with an end, two of which failed, a file with rejects that was read in batches of 330, and
audits of both, the last two while a piece of evidence was changed.

The files have these keys:

- ``revision``: the revision of the rows.
- ``tables``: for each table its columns, each with its values in the order of the rows; bytes are hexadecimal.
- ``account``: what the old code said about the store. Result digests cover positions, lines, layouts, verdicts, values,
  nodes, evidence, and the judgement of the newest audit where that was asked for.
- ``finished``: fingerprints and digests of the results of the unfinished runs, after the old code had finished them in
  a copy of the store.
- ``grown``: the fingerprints of new surveys of more deals than those in the store have, by the old code.
"""

import gzip
import json
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, LargeBinary, MetaData, Table, text

import dealmill
from dealmill import NotFoundError, Result, Run, RunOverview, Store
from dealmill.pipeline.deals import parse_deal_range
from dealmill.pipeline.runs.rerun import queue_rerun
from dealmill.pipeline.store.audits.planned import find_audit
from dealmill.pipeline.store.database import migrate
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import REVISION
from dealmill.pipeline.store.runs.status import find_run
from dealmill.pipeline.survey.growth import extend_to
from dealmill.runs import Audit
from tests.doing import an_audit, do_audit, do_runs

Json = dict[str, Any]

FIXTURES = Path(__file__).parent / "upgrades"
FACTS = ("source", "generator", "deals", "value", "low", "high", "interval", "deviation", "least", "greatest")


@cache
def content(revision: str) -> Json:
    """Return the content of a fixture."""
    found: Json = json.loads(gzip.decompress((FIXTURES / f"{revision}.json.gz").read_bytes()))
    return found


@pytest.fixture(params=["0006", "0007"])
def fixture(request: pytest.FixtureRequest) -> Json:
    """The content of each fixture."""
    return content(request.param)


@pytest.fixture
def upgraded(empty_store: Database, fixture: Json) -> Database:
    """The store of the fixture, upgraded to the newest revision."""
    migrate.upgrade(empty_store, fixture["revision"])
    with empty_store.writing() as connection:
        load(connection, fixture["tables"])
    assert dealmill.db.upgrade(empty_store.url.render_as_string(hide_password=False)) == REVISION
    return empty_store


def load(connection: Connection, tables: Json) -> None:
    """Insert rows into empty tables."""
    found = MetaData()
    found.reflect(connection)
    assert set(tables) == set(found.tables) - {"alembic_version"}
    for table in found.sorted_tables:
        columns = tables.get(table.name, {})
        names = list(columns)
        values = [_decoded(table, name, columns[name]) for name in names]
        if rows := [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]:
            connection.execute(table.insert(), rows)
            if connection.dialect.name == "postgresql" and "id" in columns:
                sequence = f"pg_get_serial_sequence('{table.name}', 'id')"
                connection.execute(text(f"SELECT setval({sequence}, {max(columns['id'])})"))


def _decoded(table: Table, column: str, values: list[Any]) -> list[Any]:
    if isinstance(table.c[column].type, LargeBinary):
        return [None if value is None else bytes.fromhex(value) for value in values]
    return values


def opened(store: Database) -> Store:
    """Open the store as users do, which only succeeds at the newest revision."""
    return dealmill.open(store.url.render_as_string(hide_password=False))


def account(store: Store) -> Json:
    """Return everything a store says about its sources, runs, surveys, audits and actions. How runs are cut into jobs
    is not part of it."""
    statuses = store.status()
    return {
        "sources": [_source(store, number) for number in _numbers(store.find_source)],
        "runs": [_run(store, overview) for overview in statuses],
        "surveys": {str(one.run.id): _facts(store, one) for one in statuses if _is_estimate(one)},
        "audits": [_audit(store, number) for number in _numbers(lambda audit: find_audit(store._database, audit))],
        "log": [
            [it.at, it.who, it.what, it.run, it.audit, it.engine, it.version, it.why, it.dealmill] for it in store.log()
        ],
    }


def _numbers(find: Callable[[int], object]) -> Iterable[int]:
    """Yield the numbers from 1 up to the last one that is found."""
    for number in count(1):
        try:
            find(number)
        except NotFoundError:
            return
        yield number


def _source(store: Store, number: int) -> Json:
    it = store.find_source(number)
    return {
        **{name: getattr(it, name) for name in ("id", "game", "name", "generator")},
        "complete": it.complete or it.endless,  # deals without end were called complete
        **{name: getattr(it, name) for name in ("accepted", "duplicates", "rejected")},
        "rejects": [[reject.line, reject.text, *reject.reasons] for _, reject in store.rejects(source=number)],
    }


def _run(store: Store, overview: RunOverview) -> Json:
    run = store.find_run(overview.run.id)
    it = overview.run
    objections = [
        result for outcome in ("invalid", "no-evidence") for result in run.results(audit=outcome, retracted=True)
    ]
    return {
        **{name: getattr(it, name) for name in ("id", "source", "source_name", "game", "engine", "version")},
        **{name: getattr(it, name) for name in ("max_nodes", "repeats", "retracted", "generator")},
        **{name: getattr(it, name) for name in ("items", "complete", "finished", "value_sum", "nodes")},
        "counts": {verdict.word: number for verdict, number in sorted(it.counts.items())},
        "fingerprint": overview.fingerprint,
        "audit": None if overview.audit is None else overview.audit.id,
        "results": digest(run.results(retracted=True)),
        "losses": digest(run.results(verdict=("unwinnable", "undecided", "failed"), retracted=True)),
        "middle": digest(run.results(value=(10, 60), nodes=(1, 20), after=it.items // 2, retracted=True)),
        "objections": digest(objections),
    }


def digest(results: Iterable[Result]) -> str:
    """Return the number of results and the SHA-256 of their fields."""
    found = sha256()
    number = 0
    for number, it in enumerate(results, start=1):  # noqa: B007 -- counted
        judged = None if it.judgement is None else [it.judgement.outcome.name, it.judgement.step, it.judgement.reason]
        said = [it.position, it.line, it.layout, it.verdict.word, it.value, it.nodes, it.evidence, judged]
        found.update(json.dumps(said).encode())
    return f"{number} {found.hexdigest()}"


def _is_survey(overview: RunOverview) -> bool:
    """Return whether a run is over deals without end."""
    return overview.run.source_name.startswith("deal:") and overview.run.source_name.endswith("-")


def _is_estimate(overview: RunOverview) -> bool:
    """Return whether `Store.survey` returns this run without solving anything."""
    it = overview.run
    return _is_survey(overview) and it.finished and it.items > 0 and it.repeats is None and it.retracted is None


def _facts(store: Store, overview: RunOverview) -> Json:
    it = overview.run
    deals = parse_deal_range(it.source_name)
    survey = store.survey(
        it.game,
        engine=it.engine,
        count=it.items,
        seed=deals.seed,
        parameters=deals.parameters,
        max_nodes=it.max_nodes,
    )
    assert survey.run.id == it.id
    return {"told": str(survey), **{name: survey.facts.get(name) for name in FACTS}}


def _audit(store: Store, number: int) -> Json:
    it = find_audit(store._database, number)
    findings = Audit(store._database, it).findings()
    return {
        **{name: getattr(it, name) for name in ("id", "run", "population", "size", "seed", "finished")},
        **{name: getattr(it, name) for name in ("valid", "invalid", "no_evidence", "faults")},
        "findings": [[one.items, one.finding, one.step, one.reason] for one in findings],
    }


def state(run: Run) -> Json:
    """Return what the fixture records of a run that the old code finished in a copy of the store."""
    return {"fingerprint": run.fingerprint, "results": digest(run.results())}


def test_the_store_says_the_same(upgraded: Database, fixture: Json) -> None:
    was, now = fixture["account"], json.loads(json.dumps(account(opened(upgraded))))
    assert [one["id"] for one in now["runs"]] == [one["id"] for one in was["runs"]]
    for kind in was:
        assert now[kind] == was[kind], kind


def test_new_audits_of_all_finished_runs_are_clean(upgraded: Database, fixture: Json) -> None:
    recorded = {one["id"]: one for one in fixture["account"]["runs"] if one["finished"] and one["items"]}
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
        store.find_run(one["id"])
        for one in fixture["account"]["runs"]
        if one["finished"] and one["items"] and not (one["repeats"] or one["retracted"] or "failed" in one["counts"])
    ]
    numbers = [queue_rerun(upgraded, run.status(), any_version=False) for run in originals]
    do_runs(upgraded)
    for run, number in zip(originals, numbers, strict=True):
        rerun = store.find_run(number)
        assert rerun.repeats == run.id
        assert rerun.fingerprint == run.fingerprint is not None
        assert run.diff(rerun).equal


def test_unfinished_runs_and_audits_can_be_finished(upgraded: Database, fixture: Json) -> None:
    store, recorded = opened(upgraded), fixture["finished"]
    for one in fixture["account"]["sources"]:
        if not one["complete"] and one["name"].startswith("deal:"):
            [source] = store.ingest(one["name"]).sources
            assert source.complete and source.id == one["id"]
    do_runs(upgraded)
    assert {str(run.id): state(run) for run in store.runs() if str(run.id) in recorded} == recorded
    for number in [one["id"] for one in fixture["account"]["audits"] if not one["finished"]]:
        audit = do_audit(upgraded, number)
        assert audit.finished and audit.clean and audit.valid == audit.size


def test_surveys_can_be_asked_for_more_deals(upgraded: Database, fixture: Json) -> None:
    store, recorded = opened(upgraded), fixture["grown"]
    for run, one in recorded.items():
        extend_to(upgraded, find_run(upgraded, run), one["deals"])
    do_runs(upgraded)
    assert {run: store.find_run(run).fingerprint for run in recorded} == {
        run: one["fingerprint"] for run, one in recorded.items()
    }
    for run, one in recorded.items():
        audit = an_audit(upgraded, find_run(upgraded, run), sample=100)
        assert audit.clean and audit.population == one["deals"]
