"""Auditing a run: every verdict before the referee, and every row of the record against those it must agree with."""

from collections.abc import Iterable, Iterator
from hashlib import blake2b

from dealmill.pipeline.errors import StoreError, UsageError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.referee import Judgement, judge
from dealmill.pipeline.store.audits import AuditJob, Fault, plan_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.stretches import JobRecord, Record, Stretch, read_records, read_stretch
from dealmill.pipeline.store.runs.status import PlannedRun, RunStatus
from dealmill.pipeline.store.sources import layout_digest
from dealmill.pipeline.survey.deals import dealt_here

CHUNK = 2_000
"""Verdicts in a job: at most seconds of work for a referee."""

Findings = tuple[list[tuple[int, Judgement]], list[Fault]]
"""Judgements, each with the position of its verdict, and faults."""


def queue_audit(store: Database, run: RunStatus, sample: int | None, seed: int) -> int:
    """Plan an audit of all verdicts of a run, or of a sample; the number of the audit.

    Raises
    ------
    UsageError
        If the sample is larger than the run.
    NotFoundError
        If the engine of the run is not installed, so that its referee is missing too.
    StoreError
        If the source of the run is still being read.
    VersionError
        If the run is a survey, and what is installed is not what dealt and solved it.
    """
    if not run.complete:
        raise StoreError(f"{run.source_name} has not been read to its end; the run over it can be audited then")
    if sample is not None and sample > run.items:
        raise UsageError(f"run {run.id} has {run.items:,} items, too few for a sample of {sample:,}")
    find_engine(run.engine)
    if run.survey:
        dealt_here(run)
    return plan_audit(store, run, run.items if sample is None else sample, seed, CHUNK)


def sampled(number: int, size: int, items: int, seed: int) -> int:
    """The position of verdict number `number` (from 1) of a sample of `size` out of `items`.

    The items are cut into `size` stretches, as equal as can be, and one is drawn from each: the first of the stretch
    plus the BLAKE2b-64 of ``seed:number`` (ASCII; big-endian) modulo its length. So a sample is spread evenly, holds
    every item once where `size` is `items`, and is the same on every machine.
    """
    start, stop = (number - 1) * items // size, number * items // size
    drawn = int.from_bytes(blake2b(f"{seed}:{number}".encode(), digest_size=8).digest(), "big")
    return start + 1 + drawn % (stop - start)


def audit_part(store: Database, job: AuditJob) -> Findings:
    """What a job of an audit finds: a sample is judged verdict by verdict, else the whole record is gone through."""
    run = job.run
    numbers = range(job.lease.first, job.lease.stop)
    if run.survey:
        sample = [sampled(number, job.size, job.population, job.seed) for number in numbers]
        from dealmill.pipeline.survey.auditing import audit_survey  # loads the compiler

        return audit_survey(store, run, sample, whole=job.size == job.population)
    if job.size < job.population:
        positions = [sampled(number, job.size, job.population, job.seed) for number in numbers]
        records = read_records(store, run, positions)
        return _judged(run, records), [*_missing(positions, records), *_altered(run, records)]
    stretch = read_stretch(store, run, job.population, numbers.start, min(numbers.stop, job.population + 1))
    return _judged(run, stretch.records), list(_faults(run, stretch))


def abandoned(job: AuditJob) -> Findings:
    """What there is to say of a job that cannot be done, however often it is tried."""
    ends = job.lease.first, job.lease.stop - 1
    first, last = (sampled(number, job.size, job.population, job.seed) for number in ends)
    return [], [Fault(first, last, f"these items cannot be audited: {job.lease.trouble}")]


def _judged(run: PlannedRun, records: list[Record]) -> list[tuple[int, Judgement]]:
    return [
        (row.position, judge(run.engine, row.layout, row.verdict, row.value, row.evidence))
        for row in records
        if row.verdict is not None
    ]


def _faults(run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    yield from _missing(range(stretch.first, stretch.stop), stretch.records)
    yield from _altered(run, stretch.records)
    yield from _uncovered(stretch)
    for job in stretch.jobs:
        if job.done and job.first >= stretch.first:
            yield from _miscounted(job)
    yield from _unanswered(stretch)
    for block in stretch.blocks:
        if block.recorded is None:
            yield Fault(block.first, block.stop - 1, "there is no digest of these verdicts on record")
        elif block.recorded != block.found:
            yield Fault(
                block.first,
                block.stop - 1,
                f"these are not the layouts, verdicts and evidence that were written: their digest is "
                f"{block.found.hex()[:16]}…, that on record {block.recorded.hex()[:16]}…",
            )
    for first, last in _spans(stretch.strays):
        yield Fault(first, last, "there are rows where the source has no items")


def _missing(positions: Iterable[int], records: list[Record]) -> Iterator[Fault]:
    for first, last in _spans(sorted(set(positions) - {row.position for row in records})):
        yield Fault(first, last, "the source has lost these items")


def _altered(run: PlannedRun, records: list[Record]) -> Iterator[Fault]:
    for row in records:
        if layout_digest(run.game, row.layout) != row.digest:
            yield Fault(row.position, row.position, "the text of the layout is not the one its digest was made of")


def _uncovered(stretch: Stretch) -> Iterator[Fault]:
    """Whether jobs follow each other without gap and overlap, as far as the stretch goes."""
    reached = stretch.first
    for job in stretch.jobs:
        if job.first > reached:
            yield Fault(reached, job.first - 1, "these items belong to no job")
        elif job.first < reached and job.first >= stretch.first:
            yield Fault(job.first, min(job.stop, reached) - 1, "these items belong to two jobs")
        reached = max(reached, job.stop)
    if reached < stretch.stop:
        yield Fault(reached, stretch.stop - 1, "these items belong to no job")


def _miscounted(job: JobRecord) -> Iterator[Fault]:
    differing = [name for name, total in job.totals.items() if total != job.counted[name]]
    if differing:
        told = ", ".join(f"{name} {job.totals[name]:,} and not {job.counted[name]:,}" for name in differing)
        yield Fault(job.first, job.stop - 1, f"the totals on record are not those of the rows: {told}")


def _unanswered(stretch: Stretch) -> Iterator[Fault]:
    """Items without a verdict though their job is done."""
    done = {item for job in stretch.jobs if job.done for item in range(job.first, job.stop)}
    for first, last in _spans(
        [row.position for row in stretch.records if row.verdict is None and row.position in done]
    ):
        yield Fault(first, last, "there is no verdict, though the job is done")


def _spans(positions: list[int]) -> Iterator[tuple[int, int]]:
    """Sorted positions as first and last of each unbroken row of them."""
    first = last = None
    for position in positions:
        if last is not None and first is not None and position != last + 1:
            yield first, last
            first = None
        first = position if first is None else first
        last = position
    if first is not None and last is not None:
        yield first, last
