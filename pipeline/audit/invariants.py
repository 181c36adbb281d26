"""The invariants of the record of a run, in one list. An audit checks each of them, and docs/invariants.md is written
from it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.actions import log_faults
from dealmill.pipeline.store.audits.earlier import audit_faults, earlier_faults
from dealmill.pipeline.store.audits.whole import item_faults, plan_faults, reject_faults, source_faults
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import DONE, LEASED, PENDING, Storage
from dealmill.pipeline.store.record.contract import Fault, Stretch
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.sources.digests import layout_digest


@dataclass(frozen=True, slots=True)
class Look:
    """What a job of an audit looks at: a stretch of a run, with the store for what is no part of it. `whole` says
    whether the audit is one of all verdicts; then its first stretch is also where the rest of the record is checked."""

    store: Database
    run: PlannedRun
    audit: int
    population: int
    stretch: Stretch
    whole: bool

    @property
    def begins(self) -> bool:
        """Whether this is the first stretch of an audit of all verdicts."""
        return self.whole and self.first == 1

    @property
    def first(self) -> int:
        """The position of the first item."""
        return self.stretch.positions[0] if self.stretch.positions else 1

    @property
    def stop(self) -> int:
        """The position behind the last item."""
        return self.stretch.positions[-1] + 1 if self.stretch.positions else 1


@dataclass(frozen=True, slots=True)
class Invariant:
    """Something that holds of every sound record: its name, a sentence, what finds where it does not hold, and the
    storages in which it is checked. It is checked of each stretch, or of the record as a whole, which comes with the
    first stretch of an audit of all verdicts."""

    name: str
    sentence: str
    broken: Callable[[Look], Iterator[Fault]]
    storages: tuple[Storage, ...] = (Storage.ROWS, Storage.PACKED)
    of_whole: bool = False


def _lost_items(look: Look) -> Iterator[Fault]:
    there = {item.position for item in look.stretch.items}
    for first, last in _spans(position for position in look.stretch.positions if position not in there):
        yield Fault(first, last, "the source has lost these items")


def _altered_layouts(look: Look) -> Iterator[Fault]:
    for item in look.stretch.items:
        if item.digest is not None and layout_digest(look.run.game, item.layout) != item.digest:
            yield Fault(item.position, item.position, "the text of the layout is not the one its digest was made of")


def _items_without_one_job(look: Look) -> Iterator[Fault]:
    if look.stretch.jobs is None or not look.stretch.positions:
        return
    first, last = look.stretch.positions[0], look.stretch.positions[-1]
    reached = first
    for job in look.stretch.jobs:
        if job.state not in (PENDING, LEASED, DONE):
            yield Fault(
                max(job.first, first), min(job.stop - 1, last), f"their job is in state {job.state}, which is none"
            )
        if job.first > reached:
            yield Fault(reached, job.first - 1, "these items belong to no job")
        elif first <= job.first < reached:
            yield Fault(job.first, min(job.stop, reached) - 1, "these items belong to two jobs")
        reached = max(reached, job.stop)
    if reached <= last:
        yield Fault(reached, last, "these items belong to no job")


def _unanswered_items(look: Look) -> Iterator[Fault]:
    for first, last in _spans(item.position for item in look.stretch.items if item.due and item.verdict is None):
        yield Fault(first, last, "there is no verdict, though the job is done")


def _changed_verdicts(look: Look) -> Iterator[Fault]:
    for item in look.stretch.items:
        if item.again is not None and item.verdict is not None and item.again != item.verdict:
            again = Verdict(item.again).word
            reason = f"what comes out again is {again}, and on record {Verdict(item.verdict).word}"
            yield Fault(item.position, item.position, reason)


def _wrong_totals(look: Look) -> Iterator[Fault]:
    for job in look.stretch.jobs or ():
        differing = [name for name, total in job.counted.items() if total != job.totals[name]]
        if differing:
            pairs = [(name, _told(job.totals[name]), _told(job.counted[name])) for name in differing]
            told = ", ".join(f"{name} {total} and not {counted}" for name, total, counted in pairs)
            yield Fault(job.first, job.stop - 1, f"the totals on record are not those of the verdicts: {told}")


def _told(value: object) -> str:
    if isinstance(value, bytes):
        return f"{value.hex()[:16]}…"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _blocks_without_digest(look: Look) -> Iterator[Fault]:
    for block in look.stretch.blocks:
        if block.recorded is None:
            yield Fault(block.first, block.stop - 1, "there is no digest of these verdicts on record")


def _changed_blocks(look: Look) -> Iterator[Fault]:
    for block in look.stretch.blocks:
        if block.recorded is not None and block.recorded != block.found:
            yield Fault(
                block.first,
                block.stop - 1,
                f"these are not the layouts, verdicts and evidence that were written: their digest is "
                f"{_told(block.found)}, that on record {_told(block.recorded)}",
            )


def _strays(look: Look) -> Iterator[Fault]:
    early = {item.position for item in look.stretch.items if item.verdict is not None and not item.due}
    for first, last in _spans(sorted(early.union(look.stretch.strays))):
        yield Fault(first, last, "there are rows that belong to no item, or to no job that is done")


def _damaged_rows(look: Look) -> Iterator[Fault]:
    yield from look.stretch.damaged


def _altered_lines(look: Look) -> Iterator[Fault]:
    for block in look.stretch.source_blocks:
        if block.recorded != block.found:
            yield Fault(
                block.first, block.stop - 1, "the lines and layouts of these items are not those that were read"
            )


def _altered_source(look: Look) -> Iterator[Fault]:
    return _of_whole(look, source_faults(look.store, look.run))


def _lost_end(look: Look) -> Iterator[Fault]:
    return _of_whole(look, item_faults(look.store, look.run, look.population))


def _altered_rejects(look: Look) -> Iterator[Fault]:
    return _of_whole(look, reject_faults(look.store, look.run, look.population))


def _altered_plan(look: Look) -> Iterator[Fault]:
    return _of_whole(look, plan_faults(look.store, look.run))


def _altered_log(look: Look) -> Iterator[Fault]:
    return _of_whole(look, log_faults(look.store))


def _altered_audits(look: Look) -> Iterator[Fault]:
    if look.whole:
        yield from earlier_faults(
            look.store, look.run.id, look.audit, look.first, look.stop, last=look.stop > look.population
        )


def _altered_plans_of_audits(look: Look) -> Iterator[Fault]:
    return _of_whole(look, audit_faults(look.store, look.run.id))


def _of_whole(look: Look, reasons: Iterator[str]) -> Iterator[Fault]:
    for reason in reasons:
        yield Fault(1, max(look.population, 1), reason)


INVARIANTS: tuple[Invariant, ...] = (
    Invariant("items", "Every position of the source has a layout.", _lost_items, (Storage.ROWS,)),
    Invariant("layouts", "The text of a layout matches its stored digest.", _altered_layouts, (Storage.ROWS,)),
    Invariant("jobs", "Every item of the run belongs to exactly one job.", _items_without_one_job),
    Invariant("verdicts", "Every item of a job that is done has a verdict.", _unanswered_items),
    Invariant("totals", "The totals of a job that is done are those of its verdicts.", _wrong_totals),
    Invariant(
        "blocks", "Every block of up to a thousand items has a digest once its jobs are done.", _blocks_without_digest
    ),
    Invariant(
        "digests", "The digest of a block is that of its layouts, verdicts, values and evidence.", _changed_blocks
    ),
    Invariant("strays", "Every stored verdict and digest belongs to items of the run whose job is done.", _strays),
    Invariant(
        "packed",
        "The stored verdicts are those that dealing and solving again gives.",
        _changed_verdicts,
        (Storage.PACKED,),
    ),
    Invariant("rows", "Every layout, verdict and job holds what its columns are for.", _damaged_rows),
    Invariant(
        "lines", "The digest of a thousand items is that of their lines and layouts.", _altered_lines, (Storage.ROWS,)
    ),
    Invariant("source", "The seal of the source is that of its row.", _altered_source, of_whole=True),
    Invariant("end", "There are rows for all items that the source has.", _lost_end, of_whole=True),
    Invariant(
        "rejects",
        "The digest of a thousand rejects is that of their lines, texts and reasons, and none is missing.",
        _altered_rejects,
        of_whole=True,
    ),
    Invariant(
        "plan", "The seal of the run is that of its source, engine, limit and storage.", _altered_plan, of_whole=True
    ),
    Invariant(
        "actions",
        "The log of actions is a chain of digests, and every run, audit and retraction has an entry in it.",
        _altered_log,
        of_whole=True,
    ),
    Invariant(
        "audits",
        "The audits of the run are those that were planned, with all their jobs.",
        _altered_plans_of_audits,
        of_whole=True,
    ),
    Invariant(
        "findings", "The judgements and faults of other audits of the run are those that they found.", _altered_audits
    ),
)

FREE = {
    ("created", "at", "started", "finished", "leased_until"): "when something was done",
    ("retracted",): "when that was done; but it is missing if and only if the reason is",
    ("worker", "attempt", "trouble"): "who did a job, at which try, and what ended earlier ones",
    ("jobs.id", "audit_jobs.id"): "numbers that only messages use",
}
"""The columns that an audit does not look at, and why. All others are covered by an invariant."""


def faults_of(look: Look) -> list[Fault]:
    """The faults that a job of an audit finds: where an invariant of the run's storage does not hold."""
    checked = (
        invariant
        for invariant in INVARIANTS
        if look.run.storage in invariant.storages and (look.begins or not invariant.of_whole)
    )
    return [fault for invariant in checked for fault in invariant.broken(look)]


def _spans(positions: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Positions in order as first and last of each unbroken row of them."""
    first = last = None
    for position in positions:
        if last is not None and first is not None and position != last + 1:
            yield first, last
            first = None
        first = position if first is None else first
        last = position
    if first is not None and last is not None:
        yield first, last
