"""The words for the state of a run tell a healthy run from one that does not go on."""

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import pytest

from dealmill.pipeline.printable import duration
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Control
from dealmill.pipeline.store.planning.states import describe
from dealmill.pipeline.store.runs.status import RunStatus
from tests.doing import a_run, alter

NOW = datetime(2026, 11, 25, 6, tzinfo=UTC)
HALF: dict[str, Any] = {
    "items": 1_000,
    "covered": 1_000,
    "jobs": 4,
    "sound": 4,
    "done": 2,
    "stuck": 0,
    "pending": 1,
    "leased": 1,
    "solved": 419,
    "totals": Counter(scored=419),
    "now": NOW,
    "reading_seconds": 7.0,
    "started": NOW - timedelta(seconds=93),
    "seen": NOW - timedelta(seconds=1),
    "read": NOW - timedelta(seconds=5_000),
    "held": 1,
    "recent": 581,
    "recent_seconds": 180.0,
}
DEAD: dict[str, Any] = HALF | {"leased": 0, "held": 0, "pending": 2, "seen": NOW - timedelta(seconds=30)}
READING = HALF | {"complete": False}
READ = READING | {"read": NOW - timedelta(seconds=5)}
DEALS = {"seed": 1, "parameters": {}, "first": 1_001, "last": 3_000}
ALL: dict[str, Any] = {"solved": 1_000, "totals": Counter(scored=1_000)}
NOTHING: dict[str, Any] = {"solved": 0, "totals": Counter()}
DONE: dict[str, Any] = HALF | ALL | {"done": 4, "pending": 0, "leased": 0, "held": 0}
EMPTY: dict[str, Any] = DONE | NOTHING | {"items": 0, "covered": 0, "jobs": 0, "sound": 0, "done": 0}
LAST: dict[datetime | None, float] = {NOW - timedelta(seconds=1): 99, NOW - timedelta(seconds=30): 70}
"""The seconds from the start of a run to its last job."""
UNDECIDED = Counter(winnable=700, undecided=290, failed=10)
WORDS: list[tuple[dict[str, Any], str, str]] = [
    (HALF, "solving", "solving, 41 %, 3 min left"),
    (HALF | {"retried": 2}, "solving", "solving, 41 %, 3 min left, 2 retried"),
    (HALF | {"leased": 0, "held": 0, "pending": 2}, "solving", "solving, 41 %"),
    (DEAD, "waiting", "waiting for workers, 41 %"),
    (HALF | {"held": 0, "seen": NOW - timedelta(seconds=30)}, "waiting", "waiting for workers, 41 %"),
    (DEAD | {"solved": 0, "started": None, "seen": None, "done": 0, "pending": 4}, "waiting", "waiting for workers"),
    (DEAD | {"stuck": 1}, "stuck", "stuck, 41 %: fix the cause, then dealmill work"),
    (READ, "reading", "reading and solving, 419 of 1,000 so far"),
    (READ | {"jobs": 0, "sound": 0}, "reading", "reading, 1,000 so far"),
    (READ | {"deals": DEALS}, "reading", "reading and solving, 419 of 2,000, 8 min left"),
    (READ | {"deals": DEALS, "jobs": 0, "sound": 0}, "reading", "reading, 1,000 of 2,000"),
    (READING, "stopped", "not fully read: correct the input, or repeat the command"),
    (DEAD | {"complete": False}, "stopped", "not fully read: correct the input, or repeat the command"),
    (HALF | {"control": Control.PAUSED}, "paused", "paused, 41 %"),
    (DONE | {"control": Control.PAUSED}, "paused", "paused, 100 %"),
    (DEAD | {"control": Control.CANCELLED}, "cancelled", "cancelled, 41 %"),
    (HALF | {"covered": 900}, "damaged", "damaged: dealmill audit 1"),
    (HALF | {"sound": 3}, "damaged", "damaged: dealmill audit 1"),
    (HALF | {"leased": 0}, "damaged", "damaged: dealmill audit 1"),
    (HALF | {"retracted": "it errs"}, "retracted", "retracted"),
    (DONE, "finished", "finished"),
    (DONE | {"totals": UNDECIDED, "max_nodes": 20}, "finished", "10 failed, 290 undecided (20 nodes)"),
    (EMPTY | {"rejected": 40_000}, "finished", "nothing to solve: all 40,000 lines were rejected"),
    (EMPTY | {"rejected": 1}, "finished", "nothing to solve: the only line was rejected"),
    (EMPTY, "finished", "nothing to solve"),
]


@pytest.fixture
def run(sqlite_store: Database) -> RunStatus:
    return a_run(sqlite_store, "memory/two-pass", ["AABB"])


@pytest.mark.parametrize(("fields", "state", "words"), WORDS)
def test_states_in_words(fields: dict[str, Any], state: str, words: str, run: RunStatus) -> None:
    status = replace(run, **fields)
    assert (status.state, describe(status)) == (state, words)
    goes_on = state in {"reading", "solving"}
    assert status.seconds == (None if status.started is None else 100 if goes_on else LAST[status.seen])


def test_no_words_fit_runs_in_two_states() -> None:
    for (_, left, words), (_, right, others) in combinations(WORDS, 2):
        assert left == right or words != others


def test_the_times_of_a_run_are_those_of_its_jobs_and_its_source(sqlite_store: Database, run: RunStatus) -> None:
    assert run.started and run.seen and run.read
    assert run.read <= run.started <= run.seen <= run.now < run.read + timedelta(seconds=60)
    alter(sqlite_store, "UPDATE sources SET advanced = NULL, created = 7.0")
    read = a_run(sqlite_store, "memory/two-pass", ["AABB"]).read
    assert read and read.timestamp() == 7.0


def test_durations_are_words() -> None:
    seconds = (0, 3.21, 41.4, 59.9, 181, 7_810, 47 * 3_600, 345_600)
    words = ["0.0 s", "3.2 s", "41 s", "60 s", "3 min", "2 h 10 min", "47 h 0 min", "4 days"]
    assert list(map(duration, seconds)) == words
