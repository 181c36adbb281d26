"""Rules on record: a run is solved and judged by the rules that its game had when its source was read, whatever its
file has now."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from dealmill.pipeline.errors import (
    DamagedError,
    DealmillError,
    NotFoundError,
    RetractedError,
    UsageError,
    VersionError,
)
from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.patience import GAMES, schema
from dealmill.pipeline.games.patience.searches import RELAXED_VERSION
from dealmill.pipeline.ingest.options import SourceOptions
from dealmill.pipeline.ingest.queries import SavedQuery, query_reading
from dealmill.pipeline.ingest.sources import deals_source, open_readings
from dealmill.pipeline.outputs.checker.writing import export_with_checker
from dealmill.pipeline.outputs.pack_check import check_pack
from dealmill.pipeline.outputs.pack_choice import Choice, write_pack
from dealmill.pipeline.progress.events import silent
from dealmill.pipeline.store.audits.audit_planning import queue_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage, rules
from dealmill.pipeline.store.filters import Filter
from dealmill.pipeline.store.planning.installation import Installation, workable_engines
from dealmill.pipeline.store.planning.run_planning import queue_rerun, queue_run
from dealmill.pipeline.store.queries.results import find_result
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.engines import retract, unretract
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import SOLVING
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.source import list_sources
from tests.doing import an_audit, do_job, forget_games, queue_stored

SMALL = """\
title = "Small"
[deck]
ranks = 3
[tableau]
count = 4
build = "red-black"
"""
CHANGED = SMALL.replace('"red-black"', '"same-colour"')
ENGINE = "small/winnable"
VERSION = RELAXED_VERSION
"""That of both games."""


@pytest.fixture
def users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str | None], None]]:
    """Set the rules of the user's game small; None removes its file."""
    folder = tmp_path / "rules"
    folder.mkdir()
    monkeypatch.setenv("DEALMILL_RULES", str(folder))

    def set_rules(rules: str | None) -> None:
        file = folder / "small.toml"
        if rules is None:
            file.unlink()
        else:
            file.write_text(rules)
        forget_games()

    yield set_rules
    monkeypatch.undo()
    forget_games()


def small() -> Game:
    """The game that the user's file describes now."""
    return find_game("small")


def planned(database: Database, storage: Storage = Storage.ROWS, count: int = 8) -> RunStatus:
    """A run over deals of the user's game, of which nothing is solved."""
    if storage is Storage.COMPACT:
        source = deals_source(database, DealRange(small(), 1, 1, count))
    else:
        with open_readings(database, [DealRange(small(), 1, 1, count)], SourceOptions(), silent) as readings:
            [reading] = readings.opened
            reading.finish(silent)
        source = reading.source
    return find_run(database, queue_stored(database, source, ENGINE, None, storage))


def solved(database: Database, run: RunStatus) -> RunStatus:
    """The run with all jobs done that this installation can do."""
    for number in leases.pending(database, SOLVING, Installation().engines(database), 100):
        do_job(database, number)
    return find_run(database, run.id)


@pytest.mark.parametrize("storage", Storage)
@pytest.mark.parametrize("rules_now", [CHANGED, None], ids=["changed", "gone"])
def test_a_run_is_solved_audited_and_shown_by_its_own_rules(
    database: Database, storage: Storage, rules_now: str | None, users: Callable[[str | None], None]
) -> None:
    users(SMALL)
    run = planned(database, storage)
    users(rules_now)
    run = solved(database, run)
    assert run.finished and len(run.counts) == 2, "the deals show the difference between the rules"
    audit = an_audit(database, run)
    assert (audit.valid, audit.clean) == (8, True)
    results = [find_result(database, run, position) for position in range(1, 9)]
    assert all(result.check().outcome is Outcome.VALID for result in results)
    assert [len(list(result.frames())) > 1 and result.svg(1) for result in results]


def test_changed_rules_are_another_version_of_source_and_engine(
    database: Database, tmp_path: Path, users: Callable[[str | None], None]
) -> None:
    users(SMALL)
    before = solved(database, planned(database))
    file = tmp_path / "small.txt"
    file.write_text("".join(f"{layout.text}\n" for layout in DealRange(small(), 1, 1, 3)))

    def read() -> int:
        with open_readings(database, [str(file)], SourceOptions(), silent) as readings:
            readings.opened[0].finish(silent)
            return readings.sources[0].id

    first = read()
    assert read() == first
    users(SMALL.replace("title", "# The same\ntitle").replace("Small", "Another title"))
    assert (read(), planned(database).id) == (first, before.id)
    users(CHANGED)
    after = solved(database, planned(database))
    assert read() != first and after.id != before.id and after.version != before.version
    assert after.counts != before.counts
    for any_version in (False, True):
        with pytest.raises(VersionError, match=r"run 1 is by rules \w{8} of small, but its file has rules \w{8} now"):
            queue_rerun(database, before, any_version=any_version)
    users(None)
    with pytest.raises(VersionError, match=r"run 1 is by small/winnable, which is not installed here.*DEALMILL_RULES"):
        queue_rerun(database, before, any_version=False)
    users(SMALL)
    rerun = solved(database, find_run(database, queue_rerun(database, before, any_version=False)))
    assert (rerun.counts, rerun.version) == (before.counts, before.version)


def test_a_run_by_rules_whose_name_means_another_game_now(
    database: Database, tmp_path: Path, users: Callable[[str | None], None]
) -> None:
    users(SMALL)
    file = (tmp_path / "rules" / "small.toml").rename(tmp_path / "rules" / "lucas.toml")
    forget_games()
    with open_readings(database, [DealRange(find_game("lucas"), 1, 1, 3)], SourceOptions(), silent) as readings:
        readings.opened[0].finish(silent)
    run = solved(database, find_run(database, queue_run(database, readings.sources[0], "lucas/winnable", None)))
    file.unlink()
    forget_games()
    why = r"run 1 is by rules \w{8} of lucas, whose file is not here, and the name means forty-thieves:.*DEALMILL_RULES"
    with pytest.raises(VersionError, match=why):
        queue_rerun(database, run, any_version=True)


def test_a_saved_query_has_the_rules_of_its_run(database: Database, users: Callable[[str | None], None]) -> None:
    users(SMALL)
    run = solved(database, planned(database))
    users(CHANGED)
    with ExitStack() as copies:
        reading = query_reading(database, SavedQuery(run.id, Filter.of(nodes=(1, None))), copies, silent)
        reading.finish(silent)
    again = solved(database, find_run(database, queue_run(database, reading.source, ENGINE, None)))
    assert (again.version, again.counts) == (run.version, run.counts)


def test_rules_travel_with_exports_packs_and_checkers(
    database: Database, tmp_path: Path, users: Callable[[str | None], None]
) -> None:
    users(SMALL)
    run = solved(database, planned(database))
    users(None)
    export_with_checker(database, run, tmp_path / "a.csv")
    command = [sys.executable, "-I", "-S", "a.csv.check.py", "a.csv"]
    checked = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    pack = tmp_path / "a.json"
    write_pack(database, run, pack, Choice(grades=1, each=2))
    assert check_pack(pack).problems == []
    about = json.loads(pack.read_text())
    assert about["rules"]["text"] == GAMES.load("small", SMALL).rules_text.text  # type: ignore[union-attr]
    about["rules"] = GAMES.load("small", CHANGED).rules_text._asdict()  # type: ignore[union-attr]
    pack.write_text(json.dumps(about))
    assert check_pack(pack).problems


HOSTILE: dict[str, str] = {
    "other rules": CHANGED,
    "no TOML": "title",
    "nothing": "",
    "a huge text": "#" * 70_000,
    "nested": "a=" + "[" * 60_000,
    "a huge number": "a=" + "9" * 60_000,
    "not played": 'title = "A"\n[foundations]\ndirection = "down"',
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE)
def test_hostile_rules_in_the_store_are_named_and_never_used(
    database: Database, hostile: str, users: Callable[[str | None], None]
) -> None:
    users(SMALL)
    run, waiting = solved(database, planned(database)), planned(database, count=4)
    with database.writing() as connection:
        connection.execute(text("UPDATE rules SET text = :text"), {"text": hostile})
    assert_refused(database, run.id)
    users(None)
    assert waiting.pending
    assert leases.pending(database, SOLVING, Installation().engines(database), 9) == []


def assert_refused(database: Database, run: int) -> None:
    """Everything that needs the rules of a run names their damage."""
    uses: list[Callable[[], Any]] = [
        lambda: queue_audit(database, find_run(database, run), None, 1),
        lambda: find_result(database, find_run(database, run), 1).check(),
        lambda: find_engine(find_run(database, run).referee_engine),
    ]
    for use in uses:
        with pytest.raises(DamagedError, match="rules"):
            use()


@pytest.mark.parametrize(
    ("statement", "values"),
    [
        ("UPDATE rules SET family = :value", {"value": "other"}),
        ("DELETE FROM rules", {}),
        ("UPDATE sources SET rules = NULL", {}),
    ],
)
def test_an_audit_notices_other_changes_of_rules(
    sqlite_store: Database, statement: str, values: dict[str, str], users: Callable[[str | None], None]
) -> None:
    store = sqlite_store
    users(SMALL)
    run = solved(store, planned(store))
    with store.writing() as connection:
        connection.execute(text(statement), values)
    with pytest.raises(DealmillError):
        audit = an_audit(store, find_run(store, run.id))
        assert not audit.clean
        raise DamagedError("named by the audit")


def test_a_family_is_retracted_with_all_its_games(database: Database, users: Callable[[str | None], None]) -> None:
    users(SMALL)
    left = planned(database)
    users(CHANGED)
    right = planned(database)
    with pytest.raises(NotFoundError, match=rf"no runs of patience version 0; it has runs of versions: {VERSION}"):
        retract(database, "patience", "0", "it errs")
    assert [run.id for run in retract(database, "patience", VERSION, "it errs")] == [left.id, right.id]
    assert find_run(database, left.id).retracted == find_run(database, right.id).retracted == "it errs"
    with pytest.raises(RetractedError):
        planned(database, count=3)
    unretract(database, "patience", VERSION, "it does not")
    with pytest.raises(UsageError, match="not retracted"):
        unretract(database, "patience", VERSION, "it does not")
    assert find_run(database, left.id).retracted is None


def test_rules_are_stored_once_for_all_sources(database: Database, users: Callable[[str | None], None]) -> None:
    users(SMALL)
    for count in (3, 4):
        planned(database, count=count)
    with database.reading() as connection:
        [recorded] = connection.execute(rules.select()).all()
        assert (ENGINE, f"{VERSION}-{recorded.digest}") in workable_engines(connection)
    assert {source.rules for source in list_sources(database)} == {recorded.digest}


def test_rules_with_the_digest_of_others_are_refused(
    sqlite_store: Database, users: Callable[[str | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "digest_of_rules", lambda _: "0badcafe")
    users(SMALL)
    before = planned(sqlite_store)
    users(SMALL.replace("Small", "The same by another title"))
    assert planned(sqlite_store, count=4).rules == before.rules
    users(CHANGED)
    for count in (5, 8):  # a new source, and one that the store has
        with pytest.raises(UsageError, match="the rules of small have the digest 0badcafe, as other rules in this st"):
            planned(sqlite_store, count=count)
