"""Saved queries as sources: ``query:3:verdict=undecided`` has the layouts of the matching results of run 3.

A condition is named as the option of ``dealmill query``, and conditions are separated by commas. The line of an item is
the position of its layout in the queried run.
"""

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import IO

import numpy as np

from dealmill.pipeline.errors import DamagedError, DamagedResults, InputError, RetractedError, StoreError, UsageError
from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games.batch import Entries, to_texts
from dealmill.pipeline.ingest.files import (
    Reached,
)
from dealmill.pipeline.ingest.reading import Reading
from dealmill.pipeline.progress.events import Message, Progress
from dealmill.pipeline.results.conditions import BY_WORD
from dealmill.pipeline.store.audits.audit import latest_audits
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.filters import REPEATABLE, Filter
from dealmill.pipeline.store.queries.results import Query
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.status import RunStatus, check_finished
from dealmill.pipeline.store.sources.source import Source, altered_layouts, earlier_namesake
from dealmill.pipeline.store.sources.writing import open_source
from dealmill.pipeline.store.storages.choice import storage_of

PREFIX = "query:"
READ_BYTES = 1 << 19
"""The bytes of a query's layouts that are read into memory together."""


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """The results of a run that match a filter, in order of position.

    `run` is its number; `last` is the newest run when the source is opened.
    """

    run: int | str
    filter: Filter

    @property
    def name(self) -> str:
        """The query as text, in its only canonical form."""
        return f"{PREFIX}{self.run}:{','.join(map('='.join, self.filter.conditions))}"


def parse_saved_query(text: str) -> SavedQuery:
    """Parse ``query:RUN:[CONDITION[,CONDITION…]]``; without conditions, it has all results. Only verdicts can be named
    repeatedly: each of them matches.

    Raises
    ------
    UsageError
        If the text is not a query, or there is no such verdict or outcome.
    """
    match = re.fullmatch(r"query:(\d{1,9}|last):(.*)", text, re.ASCII)
    if match is None:
        raise UsageError(
            f"{text!r} is not a query; write query:RUN:CONDITION with the number of a run or last, as in "
            "query:3:verdict=undecided, or query:3: for all of run 3"
        )
    conditions = list[tuple[str, str]]()
    for condition in match[2].split(",") if match[2] else ():
        name, equals, value = condition.partition("=")
        if not equals or name not in BY_WORD:
            known = ", ".join(BY_WORD)
            raise UsageError(f"{condition!r} in {text!r} is not a condition; write NAME=VALUE with one of: {known}")
        if name not in REPEATABLE and name in dict(conditions):
            raise UsageError(f"{name} is given twice in {text!r}: give it once, for example as {name}=70..80")
        conditions.append((name, value))
    return SavedQuery(int(match[1]) if match[1] != "last" else "last", Filter.parse(conditions))


def queried_run(database: Database, query: SavedQuery) -> RunStatus:
    """Return the run of a query, which must be finished, so that its results do not change.

    Raises
    ------
    RetractedError
        If it was retracted.
    StoreError
        If it is not finished, or the query is by audit outcome and there is no audit that tells.
    """
    run = find_run(database, query.run)
    if run.retracted is not None:
        raise RetractedError(
            f"{query.name} cannot be a source: run {run.id} was retracted ({run.retracted}); query the run that "
            "replaces it"
        )
    check_finished(run)
    if query.filter.audit is Outcome.VALID and not storage_of(run).stores_valid_judgements:
        raise StoreError(f"{query.name} cannot be a source: audits of compact runs do not record valid verdicts")
    if query.filter.audit and run.id not in latest_audits(database):
        raise StoreError(f"run {run.id} has not been audited; audit it with: dealmill audit {run.id}")
    return run


def query_reading(database: Database, query: SavedQuery, copies: ExitStack, progress: Progress) -> Reading:
    """Return the reading of a saved query.

    The results are read once, into a temporary file, which is closed with `copies`. The source is identified by the
    name of the query and the positions and texts of its layouts. If these are no longer those of an earlier source of
    this name, a message says so, and the query becomes a new source.
    """
    run = queried_run(database, query)
    query = replace(query, run=run.id)
    copy = copies.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 -- closed with the other copies
    digest, count = sha256(f"{query.name}\n".encode()), 0
    for layouts in _selected(database, run, query):
        lines = "".join([f"{position} {layout}\n" for position, layout in layouts.items()]).encode()
        digest.update(lines)
        copy.write(lines)
        count += len(layouts)
    _check_count(run, query, count)
    source = open_source(database, run.game, query.name, digest.digest(), run.rules)
    _tell_of_change(database, source, progress)
    return Reading(database, source, query.name, partial(_entries, copy), count, queried=run.id)


def _selected(database: Database, run: RunStatus, query: SavedQuery) -> Iterator[Mapping[int, str]]:
    """Yield the layouts of the matching results of a run in pages, by position.

    Raises
    ------
    NotFoundError
        If the run was deleted meanwhile.
    DamagedError
        If one of them cannot be read, or its layout was changed.
    """
    try:
        for page in Query(database, [run], query.filter).pages():
            layouts = dict(zip(page.columns["position"], page.columns["layout"], strict=True))
            altered = altered_layouts(database, run.source, run.game, layouts) if run.storage.stores_layouts else ()
            for position in altered:
                raise DamagedResults(run.id, position, position, "items.layout does not match its digest")
            yield layouts
    except DamagedResults as error:
        raise DamagedError(f"{query.name} cannot be a source: {error}") from error


def _check_count(run: RunStatus, query: SavedQuery, count: int) -> None:
    """Check that some results were found and, if the jobs of the run have counted them, that none is missing."""
    verdicts = query.filter.verdict
    counted = sum(run.counts.get(verdict, 0) for verdict in verdicts) if verdicts else run.solved
    if query.filter == Filter(query.filter.verdict) and count != counted:
        raise DamagedError(
            f"{query.name} cannot be a source: run {run.id} has {count:,} such results, but its jobs counted "
            f"{counted:,}; find all faults with: dealmill audit {run.id}"
        )
    if not count:
        raise InputError(f"{query.name} is empty: no result of run {run.id} matches")


def _tell_of_change(database: Database, source: Source, progress: Progress) -> None:
    earlier = None if source.entries or source.complete else earlier_namesake(database, source)
    if earlier:
        progress(
            Message(
                f"{source.name} no longer matches the layouts of source {earlier.id}: it is read as a new source, "
                f"number {source.id}"
            )
        )


def _entries(copy: IO[bytes], reached: Reached) -> Iterator[Entries]:
    copy.seek(0)
    read, nothing = 0, np.zeros(0, dtype=np.int64)
    while lines := copy.readlines(READ_BYTES):
        rows = [line.decode().rstrip("\n").split(" ", 1) for line in lines]
        positions = np.array([int(position) for position, _ in rows], dtype=np.int64)
        yield Entries(positions, to_texts([layout for _, layout in rows]), [], nothing)
        read += len(rows)
        reached(read)
