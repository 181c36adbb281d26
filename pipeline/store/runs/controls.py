"""What users decide about a run: to pause, resume or cancel it; its priority, tags and note.

The decisions are columns of the run's row and are no part of its plan, fingerprint or seal. Each is an entry of the
action log, and an audit compares the columns with the last entries (docs/decisions/0054-controls.md).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from dealmill.pipeline.arguments import check_integer
from dealmill.pipeline.errors import StoreError, UsageError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import LONGEST_NAME, MAX_CHARACTERS, Control, actions, runs
from dealmill.pipeline.store.runs import log
from dealmill.pipeline.store.runs.planned import lock_run
from dealmill.pipeline.store.runs.status import RunStatus

MAX_PRIORITY = 1_000
"""The largest priority; the smallest is its negative."""
LONGEST = LONGEST_NAME[MAX_CHARACTERS]
"""The most characters of a note, and of all tags of a run."""
TAG = re.compile(r"[\w.:+@#/-]{1,50}")
ENTRIES = {Control.ACTIVE: "resume", Control.PAUSED: "pause", Control.CANCELLED: "cancel"}
"""What the entries say that set `runs.control`."""
LABEL_COLUMNS = {"priority": "priority", "tag": "tags", "note": "note"}
"""The columns that other entries set, by what these say; the value is the reason of the entry."""
CONTROLLED = select(runs.c.control, runs.c.priority, runs.c.tags, runs.c.note).where(runs.c.id == bindparam("run"))
LOGGED = select(actions.c.what, actions.c.why).where(actions.c.run_id == bindparam("run")).order_by(actions.c.id)


def control(database: Database, run: RunStatus, decision: Control) -> None:
    """Pause, cancel or resume a run. Jobs that workers hold are still done; no others are begun unless it is active.

    Raises
    ------
    StoreError
        If it is finished, so that there is nothing to pause or to cancel.
    """
    if run.finished and decision is not Control.ACTIVE:
        raise StoreError(f"run {run.id} cannot be {decision.word}: it is finished")
    _change(database, run.id, "control", ENTRIES[decision], lambda _before: decision)


def set_priority(database: Database, run: int, priority: int) -> None:
    """Set the priority of a run: workers do the jobs of runs with a higher one first.

    Raises
    ------
    UsageError
        If it is not an integer from −1,000 to 1,000.
    """
    checked = check_integer("priority", priority, -MAX_PRIORITY, MAX_PRIORITY)
    _change(database, run, "priority", "priority", lambda _before: checked)


def set_note(database: Database, run: int, note: str) -> None:
    """Set the note of a run, or remove it if it is empty.

    Raises
    ------
    UsageError
        If it is not one line of at most 1,000 characters.
    """
    checked = _check_note(note)
    _change(database, run, "note", "note", lambda _before: checked or None)


def tag(database: Database, run: int, words: Iterable[str]) -> None:
    """Add tags to a run.

    Raises
    ------
    UsageError
        If one is not a word, or the run would have too many.
    """
    new = _words(words)
    _change(database, run, "tags", "tag", lambda before: _joined({*_split(before), *new}))


def untag(database: Database, run: int, words: Iterable[str]) -> None:
    """Remove tags from a run. Those that it does not have are ignored."""
    old = _words(words)
    _change(database, run, "tags", "tag", lambda before: _joined({*_split(before)}.difference(old)))


@dataclass(frozen=True, slots=True)
class Labels:
    """A priority, tags and a note for new runs. None stands for a priority and a note that are not to be changed.

    Raises
    ------
    UsageError
        If one of them cannot be used, so that nothing is read and solved before.
    """

    priority: int | None
    tags: Iterable[str]
    note: str | None

    def __post_init__(self) -> None:
        if self.priority is not None:
            check_integer("priority", self.priority, -MAX_PRIORITY, MAX_PRIORITY)
        object.__setattr__(self, "tags", _words(self.tags))
        _check_note(self.note or "")

    def put_on(self, database: Database, run: int) -> None:
        """Give them to a run, which keeps its other tags."""
        if self.priority is not None:
            set_priority(database, run, self.priority)
        if self.tags:
            tag(database, run, self.tags)
        if self.note is not None:
            set_note(database, run, self.note)


def labelled(tags: Iterable[str], note: str | None) -> list[ColumnElement[bool]]:
    """Return the conditions that a run has all these tags, and a note with this text, in upper or lower case."""
    conditions = [(" " + runs.c.tags + " ").contains(f" {word} ", autoescape=True) for word in _words(tags)]
    if note is not None:
        conditions.append(func.lower(runs.c.note).contains(note.lower(), autoescape=True))
    return conditions


def _words(tags: Iterable[str]) -> list[str]:
    words = [tags] if isinstance(tags, str) else [*tags]
    for word in words:
        if not TAG.fullmatch(word):
            raise UsageError(f"{word!r} cannot be a tag: write up to 50 letters, digits or any of . : + @ # / - _")
    return words


def _check_note(note: str) -> str:
    text = note.strip()
    if len(text) > LONGEST or not text.isprintable():
        raise UsageError(f"the note {note[:40]!r} is not one line of at most {LONGEST:,} printable characters")
    return text


def _split(tags: str | None) -> list[str]:
    return (tags or "").split()


def _joined(words: Iterable[str]) -> str | None:
    text = " ".join(sorted(words))
    if len(text) > LONGEST:
        raise UsageError(f"the tags of a run may have at most {LONGEST:,} characters; remove some first")
    return text or None


def _change(database: Database, run: int, column: str, what: str, change: Callable[[Any], Any]) -> None:
    """Change a column of a run and record that, unless it stays as it is.

    Raises
    ------
    NotFoundError
        If the run was deleted.
    """
    with database.writing() as connection:
        engine = lock_run(connection, run)
        before = connection.execute(select(runs.c[column]).where(runs.c.id == run)).scalar_one()
        after = change(before)
        if after != before:
            connection.execute(update(runs).where(runs.c.id == run).values({column: after}))
            why = None if what in ENTRIES.values() or after is None else str(after)
            log.record(connection, what, engine, run=run, why=why)


def control_faults(database: Database, run: int) -> Iterator[str]:
    """Yield a message for each decision about a run that differs from the last entry of the action log about it."""
    decisions = {entry: decision for decision, entry in ENTRIES.items()}
    logged: dict[str, Any] = {"control": Control.ACTIVE, "priority": "0", "tags": None, "note": None}
    with database.reading() as connection:
        stored = connection.execute(CONTROLLED, {"run": run}).one()._asdict()
        for what, why in connection.execute(LOGGED, {"run": run}):
            if what in decisions:
                logged["control"] = decisions[what]
            elif what in LABEL_COLUMNS:
                logged[LABEL_COLUMNS[what]] = why
    stored["priority"] = str(stored["priority"])
    for name, value in logged.items():
        if stored[name] != value:
            yield f"the {name} of run {run} differs from the action log"
