"""The invariants of the record of a run, in one list. An audit checks each of them, and docs/invariants.md is written
from it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.database.tables import Storage
from dealmill.pipeline.store.record.contract import Fault, Stretch
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.sources import layout_digest


@dataclass(frozen=True, slots=True)
class Invariant:
    """Something that holds of every stretch of a sound record: its name, a sentence, what finds where it does not hold,
    and the storages in which it is checked."""

    name: str
    sentence: str
    broken: Callable[[PlannedRun, Stretch], Iterator[Fault]]
    storages: tuple[Storage, ...] = (Storage.ROWS, Storage.PACKED)


def _lost_items(_run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    there = {item.position for item in stretch.items}
    for first, last in _spans(position for position in stretch.positions if position not in there):
        yield Fault(first, last, "the source has lost these items")


def _altered_layouts(run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    for item in stretch.items:
        if item.digest is not None and layout_digest(run.game, item.layout) != item.digest:
            yield Fault(item.position, item.position, "the text of the layout is not the one its digest was made of")


def _items_without_one_job(_run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    if stretch.jobs is None or not stretch.positions:
        return
    first, last = stretch.positions[0], stretch.positions[-1]
    reached = first
    for job in stretch.jobs:
        if job.first > reached:
            yield Fault(reached, job.first - 1, "these items belong to no job")
        elif first <= job.first < reached:
            yield Fault(job.first, min(job.stop, reached) - 1, "these items belong to two jobs")
        reached = max(reached, job.stop)
    if reached <= last:
        yield Fault(reached, last, "these items belong to no job")


def _unanswered_items(_run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    for first, last in _spans(item.position for item in stretch.items if item.due and item.verdict is None):
        yield Fault(first, last, "there is no verdict, though the job is done")


def _changed_verdicts(_run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    for item in stretch.items:
        if item.again is not None and item.verdict is not None and item.again != item.verdict:
            again = Verdict(item.again).word
            reason = f"what comes out again is {again}, and on record {Verdict(item.verdict).word}"
            yield Fault(item.position, item.position, reason)


def _wrong_totals(_run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    for job in stretch.jobs or ():
        differing = [name for name, total in job.counted.items() if total != job.totals[name]]
        if differing:
            pairs = [(name, _told(job.totals[name]), _told(job.counted[name])) for name in differing]
            told = ", ".join(f"{name} {total} and not {counted}" for name, total, counted in pairs)
            yield Fault(job.first, job.stop - 1, f"the totals on record are not those of the verdicts: {told}")


def _told(total: object) -> str:
    if isinstance(total, bytes):
        return f"{total.hex()[:16]}…"
    return f"{total:,}" if isinstance(total, int) else str(total)


def _blocks_without_digest(_run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    for block in stretch.blocks:
        if block.recorded is None:
            yield Fault(block.first, block.stop - 1, "there is no digest of these verdicts on record")


def _changed_blocks(_run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    for block in stretch.blocks:
        if block.recorded is not None and block.recorded != block.found:
            yield Fault(
                block.first,
                block.stop - 1,
                f"these are not the layouts, verdicts and evidence that were written: their digest is "
                f"{block.found.hex()[:16]}…, that on record {block.recorded.hex()[:16]}…",
            )


def _strays(_run: PlannedRun, stretch: Stretch) -> Iterator[Fault]:
    early = {item.position for item in stretch.items if item.verdict is not None and not item.due}
    for first, last in _spans(sorted(early.union(stretch.strays))):
        yield Fault(first, last, "there are rows that belong to no item, or to no job that is done")


INVARIANTS = (
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
)


def faults_of(run: PlannedRun, stretch: Stretch) -> list[Fault]:
    """The faults of a stretch: where an invariant of the run's storage does not hold."""
    checked = (invariant for invariant in INVARIANTS if run.storage in invariant.storages)
    return [fault for invariant in checked for fault in invariant.broken(run, stretch)]


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
