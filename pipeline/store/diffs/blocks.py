"""The differences between two runs over the same deals of which at least one is compact, block by block."""

from collections.abc import Iterator

from dealmill.pipeline.errors import DamagedResults
from dealmill.pipeline.evidence.digests import block_of, block_range
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.results.result import RecordedVerdict
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.diffs.difference import Difference, DiffPart, have_same_question
from dealmill.pipeline.store.runs.planned import deals_of
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.choice import storage_of


def block_parts(database: Database, left: RunStatus, right: RunStatus) -> Iterator[DiffPart]:
    """Yield the differences of each block that may have some, up to the end of the shorter run, and an empty part at
    this end. Only blocks with different digests are solved again.

    Raises
    ------
    DamagedError
        If a verdict cannot be read, or the digests of a block are equal, but not its sums.
    VersionError
        If the digests of a block differ, and another version of the engine or of the generator of a compact run is
        installed.
    """
    left_blocks, right_blocks = (storage_of(run).block_summaries(database, run) for run in (left, right))
    count = min(left.items, right.items)
    for number in range(block_of(count) + 1):
        left_block, right_block = left_blocks.get(number), right_blocks.get(number)
        first, stop = block_range(number, count)
        if left_block is None or right_block is None or left_block.digest != right_block.digest:
            same_deals = block_range(number, left.items) == block_range(number, right.items)
            solved = left_block is not None or right_block is not None
            differences = _differences(database, left, right, first, stop)
            if same_deals and solved and not differences:
                differences = [_unknown_difference(left, right, first, stop)]
            yield DiffPart(stop - 1, differences)
        elif None not in (left_block.sums, right_block.sums) and left_block.sums != right_block.sums:
            raise DamagedResults(
                left.id,
                first,
                stop - 1,
                f"run {right.id} has the same digest of these verdicts, but other sums of them, so those of a run are "
                "damaged",
                f"or dealmill audit {right.id}",
            )
    yield DiffPart(count, [])


def _differences(database: Database, left: RunStatus, right: RunStatus, first: int, stop: int) -> list[Difference]:
    """Return the differences in a block. See `block_parts` for errors."""
    deals, same_question = _deals(left, right, first, stop), have_same_question(left, right)
    left_verdicts, right_verdicts = (
        storage_of(run).recorded_verdicts(database, run, first, stop) for run in (left, right)
    )
    return [
        Difference(layout.text, left_verdict, right_verdict, same_question, layout.line)
        for layout, left_verdict, right_verdict in zip(deals, left_verdicts, right_verdicts, strict=True)
        if left_verdict != right_verdict
    ]


def _deals(left: RunStatus, right: RunStatus, first: int, stop: int) -> DealRange:
    """Return some deals of both runs, of which at least one is compact."""
    return deals_of(right if left.storage.stores_layouts else left).part(first, stop)


def _unknown_difference(left: RunStatus, right: RunStatus, first: int, stop: int) -> Difference:
    """Return the difference of a block whose digests differ, though no difference can be seen in it."""
    nothing = RecordedVerdict(first)
    name = _deals(left, right, first, stop).name
    return Difference(f"the layout or the evidence of one of {name}", nothing, nothing)
