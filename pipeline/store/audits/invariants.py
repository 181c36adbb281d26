"""The invariants of the record of a run.

An audit checks each invariant in `INVARIANTS`. docs/invariants.md is generated from the same list.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from dealmill.pipeline.evidence.digests import layout_digest
from dealmill.pipeline.printable import printable
from dealmill.pipeline.results.record import ANSWERS
from dealmill.pipeline.store.audits.contradictions import contradiction_faults
from dealmill.pipeline.store.audits.findings import audit_faults, earlier_faults
from dealmill.pipeline.store.audits.run_record import (
    item_faults,
    plan_faults,
    reject_faults,
    source_faults,
)
from dealmill.pipeline.store.audits.stored_types import type_faults
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.row_checks import Fault
from dealmill.pipeline.store.database.tables import DONE, LEASED, PENDING
from dealmill.pipeline.store.runs.controls import control_faults
from dealmill.pipeline.store.runs.log import log_faults
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.storages.audit_scans import AuditScan


@dataclass(frozen=True, slots=True)
class AuditScope:
    """The part of the record that a job of an audit checks: a stretch of a run, and the store for everything else.

    `whole` tells whether the audit is of all verdicts. The job with the first stretch of such an audit also checks the
    invariants of the record as a whole.
    """

    database: Database
    run: PlannedRun
    audit: int
    population: int
    scan: AuditScan
    whole: bool

    @property
    def checks_whole_record(self) -> bool:
        """Whether this is the first stretch of an audit of all verdicts."""
        return self.whole and self.first == 1

    @property
    def first(self) -> int:
        """The position of the first item."""
        return self.scan.positions[0] if self.scan.positions else 1

    @property
    def stop(self) -> int:
        """The position after the last item."""
        return self.scan.positions[-1] + 1 if self.scan.positions else 1


@dataclass(frozen=True, slots=True)
class Invariant:
    """A property of every sound record.

    `sentence` states it, and `find_faults` finds where it does not hold. With `only_stored`, it is checked only in runs
    whose layouts and evidence are stored. It is checked for each stretch or, with `of_whole`, once, with the first one
    of an audit of all verdicts.
    """

    name: str
    sentence: str
    find_faults: Callable[[AuditScope], Iterator[Fault]]
    only_stored: bool = False
    of_whole: bool = False


def _lost_items(scope: AuditScope) -> Iterator[Fault]:
    existing = {item.position for item in scope.scan.items}
    for first, last in _spans(position for position in scope.scan.positions if position not in existing):
        yield Fault(first, last, "these items are missing from the source")


def _altered_layouts(scope: AuditScope) -> Iterator[Fault]:
    for item in scope.scan.items:
        if item.digest is not None and layout_digest(scope.run.game, item.layout) != item.digest:
            yield Fault(item.position, item.position, "the text of the layout does not match its digest")


def _items_without_one_job(scope: AuditScope) -> Iterator[Fault]:
    if scope.scan.jobs is None or not scope.scan.positions:
        return
    first, last = scope.scan.positions[0], scope.scan.positions[-1]
    reached = first
    for job in scope.scan.jobs:
        if job.state not in (PENDING, LEASED, DONE):
            yield Fault(
                max(job.first, first), min(job.stop - 1, last), f"the state of their job, {job.state}, is not valid"
            )
        if job.first > reached:
            yield Fault(reached, job.first - 1, "these items belong to no job")
        elif first <= job.first < reached:
            yield Fault(job.first, min(job.stop, reached) - 1, "these items belong to two jobs")
        reached = max(reached, job.stop)
    if reached <= last:
        yield Fault(reached, last, "these items belong to no job")


def _unanswered_items(scope: AuditScope) -> Iterator[Fault]:
    for first, last in _spans(item.position for item in scope.scan.items if item.due and item.verdict is None):
        yield Fault(first, last, "there is no verdict, but the job is done")


def _wrong_totals(scope: AuditScope) -> Iterator[Fault]:
    for job in scope.scan.jobs or ():
        if differences := _differences(job.totals, job.counted):
            yield Fault(job.first, job.stop - 1, f"the recorded totals do not match the verdicts: {differences}")


def _wrong_sums(scope: AuditScope) -> Iterator[Fault]:
    for block in scope.scan.blocks:
        if block.recorded is not None and (differences := _differences(block.sums, block.counted)):
            reason = f"the recorded sums of this block do not match its verdicts: {differences}"
            yield Fault(block.first, block.stop - 1, reason)


def _differences(recorded: Mapping[str, object], counted: Mapping[str, object]) -> str:
    """Return in words which recorded numbers are not those counted again; nothing if all are."""
    return ", ".join(
        f"{name} is {_shown(recorded[name])}, expected {_shown(number)}"
        for name, number in counted.items()
        if number != recorded[name]
    )


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        return f"{value.hex()[:16]}…"
    return f"{value:,}" if isinstance(value, int) else printable(str(value))


def _blocks_without_digest(scope: AuditScope) -> Iterator[Fault]:
    for block in scope.scan.blocks:
        if block.recorded is None:
            yield Fault(block.first, block.stop - 1, "no digest of these verdicts is recorded")


def _changed_blocks(scope: AuditScope) -> Iterator[Fault]:
    for block in scope.scan.blocks:
        if block.recorded is not None and block.recorded != block.computed:
            yield Fault(
                block.first,
                block.stop - 1,
                f"the layouts, verdicts or evidence were changed: their digest is {_shown(block.computed)}, "
                f"the recorded one {_shown(block.recorded)}",
            )


def _strays(scope: AuditScope) -> Iterator[Fault]:
    early = {item.position for item in scope.scan.items if item.verdict is not None and not item.due}
    for first, last in _spans(sorted(early.union(scope.scan.strays))):
        yield Fault(first, last, "there are rows that belong to no item, or to no finished job")


def _damaged_rows(scope: AuditScope) -> Iterator[Fault]:
    yield from scope.scan.damaged


def _other_types(scope: AuditScope) -> Iterator[Fault]:
    if scope.whole:
        free = [name for names in FREE for name in names]
        yield from type_faults(scope.database, scope.run, free, scope.population, scope.first, scope.stop)


def _altered_lines(scope: AuditScope) -> Iterator[Fault]:
    for block in scope.scan.source_blocks:
        if block.recorded != block.computed:
            yield Fault(
                block.first, block.stop - 1, "the lines or layouts of these items were changed after they were read"
            )


def _contradictions(scope: AuditScope) -> Iterator[Fault]:
    return contradiction_faults(scope.database, scope.run)


def _altered_source(scope: AuditScope) -> Iterator[Fault]:
    return _of_whole(scope, source_faults(scope.database, scope.run))


def _lost_end(scope: AuditScope) -> Iterator[Fault]:
    return _of_whole(scope, item_faults(scope.database, scope.run, scope.population))


def _lost_rejects(scope: AuditScope) -> Iterator[Fault]:
    return _of_whole(scope, reject_faults(scope.database, scope.run))


def _altered_plan(scope: AuditScope) -> Iterator[Fault]:
    return _of_whole(scope, plan_faults(scope.database, scope.run))


def _altered_controls(scope: AuditScope) -> Iterator[Fault]:
    return _of_whole(scope, control_faults(scope.database, scope.run.id))


def _altered_log(scope: AuditScope) -> Iterator[Fault]:
    return _of_whole(scope, log_faults(scope.database))


def _altered_audits(scope: AuditScope) -> Iterator[Fault]:
    if scope.whole:
        yield from earlier_faults(
            scope.database, scope.run, scope.audit, scope.first, scope.stop, last=scope.stop > scope.population
        )


def _altered_plans_of_audits(scope: AuditScope) -> Iterator[Fault]:
    return _of_whole(scope, audit_faults(scope.database, scope.run.id))


def _of_whole(scope: AuditScope, reasons: Iterator[str]) -> Iterator[Fault]:
    for reason in reasons:
        yield Fault(1, max(scope.population, 1), reason)


INVARIANTS: tuple[Invariant, ...] = (
    Invariant("items", "Every position of the source has a layout.", _lost_items, only_stored=True),
    Invariant("layouts", "The text of a layout matches its stored digest.", _altered_layouts, only_stored=True),
    Invariant("jobs", "Every item of the run belongs to exactly one job.", _items_without_one_job),
    Invariant("verdicts", "Every item of a job that is done has a verdict.", _unanswered_items),
    Invariant("totals", "The totals and distributions of a job that is done match its verdicts.", _wrong_totals),
    Invariant(
        "blocks", "Every block of up to 1,000 items has a digest once its jobs are done.", _blocks_without_digest
    ),
    Invariant("digests", f"The digest of a block matches its layouts, {ANSWERS}.", _changed_blocks),
    Invariant("sums", "The sums of a block match its verdicts; a block of rows has none.", _wrong_sums),
    Invariant("strays", "Every stored verdict and digest belongs to items of the run whose job is done.", _strays),
    Invariant(
        "contradictions",
        "All items with the same layout that are decided have the same verdict and value.",
        _contradictions,
        only_stored=True,
        of_whole=True,
    ),
    Invariant("rows", "Every layout, verdict and job has valid values in its columns.", _damaged_rows),
    Invariant("types", "Columns that no other invariant covers have values of their types.", _other_types),
    Invariant(
        "lines", "The digest of each 1,000 items matches their lines and layouts.", _altered_lines, only_stored=True
    ),
    Invariant("source", "The seal of the source matches its row.", _altered_source, of_whole=True),
    Invariant(
        "end", "Every item of the source has a row, and no digest is that of other items.", _lost_end, of_whole=True
    ),
    Invariant("rejects", "There is a row for every reject of the source.", _lost_rejects, of_whole=True),
    Invariant(
        "plan", "The seal of the run matches its source, engine, limit and storage.", _altered_plan, of_whole=True
    ),
    Invariant(
        "controls",
        "Whether the run is paused or cancelled, its priority, tags and note are what the action log says.",
        _altered_controls,
        of_whole=True,
    ),
    Invariant(
        "actions",
        "The action log has no gaps, and every run, audit, retraction and deletion has an entry in it.",
        _altered_log,
        of_whole=True,
    ),
    Invariant(
        "audits",
        "The audits of the run are those that were planned, with all their jobs.",
        _altered_plans_of_audits,
        of_whole=True,
    ),
    Invariant("findings", "The run's other audits have as many judgements and faults as they count.", _altered_audits),
)

FREE = {
    ("created", "at", "started", "finished", "leased_until", "advanced", "reading_seconds"): "times",
    ("retracted",): "the time of a retraction; but it must be missing if and only if the reason is missing",
    ("worker", "attempt", "trouble", "unstarted"): (
        "the worker of a job, the number of attempts, and the end of earlier attempts"
    ),
    ("cpu_seconds",): "what a job cost",
    ("rejects.line", "rejects.text", "rejects.reasons"): "where a reject was, and why; but none may be missing",
    ("actions.who", "actions.dealmill"): "the user of an action and the version of Dealmill",
    ("judgements.step", "judgements.reason", "faults.first", "faults.last", "faults.reason"): (
        "what an audit found; but its judgements and faults are counted, and the next audit finds them again"
    ),
    ("jobs.id", "audit_jobs.id"): "numbers that only messages use",
}
"""The columns of which an audit checks only the types, with their meaning. An invariant covers each of the others."""


def faults_in(scope: AuditScope) -> list[Fault]:
    """Return the faults that a job of an audit finds: the places where an invariant does not hold."""
    checked = (
        invariant
        for invariant in INVARIANTS
        if (scope.run.storage.stores_layouts or not invariant.only_stored)
        and (scope.checks_whole_record or not invariant.of_whole)
    )
    return [fault for invariant in checked for fault in invariant.find_faults(scope)]


def record_faults(database: Database, run: PlannedRun, population: int) -> list[Fault]:
    """Return the faults of the record of a run of `population` items as a whole. Its layouts and verdicts are not
    read."""
    nothing = AuditScan(positions=[], items=[], jobs=None, blocks=[], strays=[])
    return faults_in(AuditScope(database, run, audit=0, population=population, scan=nothing, whole=True))


def _spans(positions: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and last position of each unbroken range of ascending positions."""
    first = last = None
    for position in positions:
        if last is not None and first is not None and position != last + 1:
            yield first, last
            first = None
        first = position if first is None else first
        last = position
    if first is not None and last is not None:
        yield first, last
