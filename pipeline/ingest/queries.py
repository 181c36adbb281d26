"""Saved queries as sources, such as ``query:3:verdict=undecided``: the layouts of the matching results of a run.

A condition is named as the option of ``dealmill query``, and conditions are separated by commas. The line of an item is
the position of its layout in the queried run.
"""

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import IO

import numpy as np

from dealmill.pipeline.arguments import checked_range, number_range
from dealmill.pipeline.errors import DamagedError, InputError, RetractedError, StoreError, UsageError
from dealmill.pipeline.games.batch import pack
from dealmill.pipeline.games.entries import Entries
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.ingest.reading import Reached, Reading
from dealmill.pipeline.progress import Message, Progress
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.runs.rerun import check_finished
from dealmill.pipeline.store.audits.planned import latest_audits
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.record import record_of
from dealmill.pipeline.store.record.contract import ALL, Wanted
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.store.sources.altered import altered_layouts
from dealmill.pipeline.store.sources.stored import Source, earlier_namesake
from dealmill.pipeline.store.sources.writing import open_source

PREFIX = "query:"
RANGES = {
    "value": "values",
    "nodes": "nodes",
    "layout-length": "layout_lengths",
    "evidence-length": "evidence_lengths",
}
"""The conditions on numbers, and their fields in `Wanted`."""
PAGE = 2_000
LINES = 1 << 19
"""The bytes of a query's layouts that are read into memory together."""


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """The `wanted` results of a run, in order of position."""

    run: int
    wanted: Wanted

    @property
    def name(self) -> str:
        """The query as text, in its only canonical form."""
        verdicts = [f"verdict={verdict.word}" for verdict in sorted(set(self.wanted.verdicts))]
        ranges = [(name, getattr(self.wanted, field)) for name, field in RANGES.items()]
        numbers = [f"{name}={_range_text(ends)}" for name, ends in ranges if ends != ALL]
        audit = [f"audit={self.wanted.audit.word}"] if self.wanted.audit else []
        return f"{PREFIX}{self.run}:{','.join([*verdicts, *numbers, *audit])}"


def _range_text(ends: tuple[int, int]) -> str:
    low, high = ("" if end == open_end else str(end) for end, open_end in zip(ends, ALL, strict=True))
    return low if low == high else f"{low}..{high}"


def is_saved_query(text: str) -> bool:
    """Return whether the name of a source is a saved query, not a file."""
    return text.startswith(PREFIX)


def parse_saved_query(text: str) -> SavedQuery:
    """Parse ``query:RUN:CONDITION[,CONDITION…]``. Only verdicts can be named repeatedly: each of them matches.

    Raises
    ------
    UsageError
        If the text is not a query, or there is no such verdict or outcome.
    """
    found = re.fullmatch(r"query:(\d{1,9}):(.+)", text, re.ASCII)
    if found is None:
        raise UsageError(
            f"{text!r} is not a query; write query:RUN:CONDITION with the number of a run, as in "
            "query:3:verdict=undecided"
        )
    verdicts, others = list[Verdict](), dict[str, str]()
    for condition in found[2].split(","):
        name, equals, value = condition.partition("=")
        if not equals or name not in {"verdict", *RANGES, "audit"}:
            known = ", ".join(["verdict", *RANGES, "audit"])
            raise UsageError(f"{condition!r} in {text!r} is not a condition; write NAME=VALUE with one of: {known}")
        if name == "verdict":
            verdicts.append(Verdict.of(value))
        elif others.setdefault(name, value) is not value:
            raise UsageError(f"{name} is given twice in {text!r}: give it once, for example as {name}=70..80")
    return SavedQuery(int(found[1]), _wanted(verdicts, others))


def _wanted(verdicts: list[Verdict], others: Mapping[str, str]) -> Wanted:
    ranges = {
        RANGES[name]: checked_range(name, number_range(value), ALL) for name, value in others.items() if name in RANGES
    }
    audit = Outcome.of(others["audit"]) if "audit" in others else None
    return Wanted(tuple(sorted(set(verdicts))), audit=audit, **ranges)


def queried_run(store: Database, query: SavedQuery) -> RunStatus:
    """Return the run of a query, which must be finished, so that its results do not change.

    Raises
    ------
    NotFoundError
        If there is no such run.
    RetractedError
        If it was retracted.
    StoreError
        If it is not finished, or the query is by audit outcome and there is no audit that tells.
    """
    run = find_run(store, query.run)
    if run.retracted is not None:
        raise RetractedError(
            f"{query.name} cannot be a source: run {run.id} was retracted ({run.retracted}); query the run that "
            "replaces it"
        )
    check_finished(run)
    if query.wanted.audit is Outcome.VALID and not record_of(run).KEEPS_VALID:
        raise StoreError(f"{query.name} cannot be a source: audits of packed runs do not record valid verdicts")
    if query.wanted.audit and run.id not in latest_audits(store):
        raise StoreError(f"run {run.id} has not been audited; audit it with: dealmill audit {run.id}")
    return run


def query_reading(store: Database, query: SavedQuery, copies: ExitStack, progress: Progress) -> Reading:
    """Return the reading of a saved query.

    The results are read once, into a temporary file, which is closed with `copies`. The source is identified by the
    name of the query and the positions and texts of its layouts. If these are no longer those of an earlier source of
    this name, a message says so, and the query becomes a new source.

    Raises
    ------
    InputError
        If no result matches.
    DamagedError
        If part of the record of the run cannot be read.
    NotFoundError, RetractedError, StoreError
        See `queried_run`.
    """
    run = queried_run(store, query)
    copy = copies.enter_context(tempfile.TemporaryFile())  # noqa: SIM115 -- closed with the other copies
    digest, count = sha256(f"{query.name}\n".encode()), 0
    for results in _selected(store, run, query):
        lines = "".join([f"{result.position} {result.layout}\n" for result in results]).encode()
        digest.update(lines)
        copy.write(lines)
        count += len(results)
    _check_count(run, query, count)
    source = open_source(store, run.game, query.name, digest.digest())
    _tell_of_change(store, source, progress)
    return Reading(store, source, query.name, partial(_entries, copy), count)


def _selected(store: Database, run: RunStatus, query: SavedQuery) -> Iterator[list[Result]]:
    """Yield the wanted results of a run in pages.

    Raises
    ------
    DamagedError
        If one of them cannot be read, or its layout was changed.
    """
    after: int | None = 0
    while after is not None:
        page = record_of(run).page(store, run, query.wanted, after, PAGE)
        for fault in page.faults:
            raise _damaged(run, query, f"{run.id}:{fault.first} cannot be read: {fault.reason}")
        layouts = {result.position: result.layout for result in page.results}
        for position in altered_layouts(store, run.source, run.game, layouts) if run.storage is Storage.ROWS else ():
            raise _damaged(run, query, f"the layout of {run.id}:{position} does not match its digest")
        yield page.results
        after = page.end


def _check_count(run: RunStatus, query: SavedQuery, count: int) -> None:
    """Check that some results were found and, if the jobs of the run have counted them, that none is missing."""
    counted = sum(run.counts.get(verdict, 0) for verdict in query.wanted.verdicts)
    if query.wanted == Wanted(query.wanted.verdicts) and count != counted:
        raise _damaged(run, query, f"run {run.id} has {count:,} such verdicts, but its jobs counted {counted:,}")
    if not count:
        raise InputError(f"{query.name} is empty: no result of run {run.id} matches")


def _damaged(run: RunStatus, query: SavedQuery, why: str) -> DamagedError:
    return DamagedError(f"{query.name} cannot be a source: {why}; find all faults with: dealmill audit {run.id}")


def _tell_of_change(store: Database, source: Source, progress: Progress) -> None:
    earlier = None if source.entries or source.complete else earlier_namesake(store, source)
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
    while lines := copy.readlines(LINES):
        rows = [line.decode().rstrip("\n").split(" ", 1) for line in lines]
        positions = np.array([int(position) for position, _ in rows], dtype=np.int64)
        yield Entries(positions, pack([layout for _, layout in rows]), [], nothing)
        read += len(rows)
        reached(read)
