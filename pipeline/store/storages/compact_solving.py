"""Dealing and solving the items of compact runs: first by a job, and again when their layouts or evidence are
requested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import isqrt
from time import monotonic, process_time

import numpy as np
from sqlalchemy import Connection

from dealmill.pipeline.arguments import MAX_INTEGER
from dealmill.pipeline.errors import VersionError
from dealmill.pipeline.evidence.digests import BLOCK, block_of, block_range, whole_blocks
from dealmill.pipeline.games import engine_of_run
from dealmill.pipeline.games.batch import Codes, Numbers, Solved, Texts, concatenate_solved, to_strings
from dealmill.pipeline.games.caches import caches
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving import solve as solving
from dealmill.pipeline.solving.solve import failed_verdicts
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.tables import blocks, verdicts
from dealmill.pipeline.store.distributions.histograms import distribution_columns
from dealmill.pipeline.store.runs.planned import PlannedRun, deals_of
from dealmill.pipeline.store.storages.parts import merge_jobs, solved_block, write_part
from dealmill.pipeline.store.storages.summed_blocks import BLOCK_COLUMNS, SummedBlock


def dealt_here(run: PlannedRun) -> DealRange:
    """Return the deals of a compact run that can be solved again with this installation.

    Raises
    ------
    DamagedError
        If the recorded range of deals is damaged.
    VersionError
        If the engine is not installed, or another version of it or of the generator.
    CacheError
        If compiled engines cannot be cached.
    """
    caches()
    _, engine = engine_of_run(run.id, run.solved_by)
    if engine.version != run.version:
        raise VersionError(
            f"run {run.id} is compact and needs {run.engine} version {run.version}, but version {engine.version} is "
            "installed; read it with the Dealmill that has that version"
        )
    return deals_of(run)


def solve_range(
    deals: DealRange, run: PlannedRun, first: int, stop: int, errors: Mapping[int, str]
) -> tuple[Texts, Solved]:
    """Deal and solve the items `[first, stop)`, except those with a recorded error in `errors` (by position)."""
    layouts = deals.part(first, stop).texts()
    known = {position - first: error for position, error in errors.items() if first <= position < stop}
    return layouts, _in_range(solving.solve_texts(run.solved_by, layouts, run.max_nodes, known))


def _in_range(solved: Solved) -> Solved:
    """Return verdicts with `FAILED` in place of those whose values are too large to be added up."""
    large = np.flatnonzero((solved.verdicts == SCORED) & (np.abs(solved.values) > MAX_VALUE))
    if not len(large):
        return solved
    failed = [failed_verdicts(TOO_LARGE.format(value), 1) for value in solved.values[large].tolist()]
    order = np.arange(len(solved.verdicts))
    order[large] = len(order) + np.arange(len(large))
    return concatenate_solved([solved, *failed]).take(order)


SCORED, FAILED = int(Verdict.SCORED), int(Verdict.FAILED)
KINDS = max(Verdict) + 1
"""The number of codes of verdicts, from 0, which is none."""
BLOCKS_AT_ONCE = 3
"""The most blocks per kernel call. With one, the overhead of Python adds up to 15 %; with four, the texts of some games
no longer fit into a core's cache."""


MAX_VALUE = isqrt(MAX_INTEGER // BLOCK)
"""The largest value whose square can be added up over a block in 64 bits, about 96 million."""
TOO_LARGE = f"the value {{:,}} is out of range: at most {MAX_VALUE:,} in a packed run"
"""Evidence on record, covered by digests: so it keeps the word for compact runs that it was written with."""


@dataclass(frozen=True, slots=True)
class SolvedBlocks:
    """The results of a job of a compact run, for the whole blocks from position `first` on.

    `values` is 0 for other verdicts than scored ones. `errors` has the errors of failed layouts by position.
    `cpu_seconds` is what dealing and solving cost.
    """

    run: int
    first: int
    verdicts: Codes
    values: Numbers
    nodes: Numbers
    blocks: Sequence[SummedBlock]
    errors: Mapping[int, str]
    cpu_seconds: float

    @property
    def stop(self) -> int:
        """The position after the last item."""
        return self.first + len(self.verdicts)

    @property
    def totals(self) -> dict[str, int]:
        """See `dealmill.pipeline.store.storages.storage.SolvedJob`."""
        return _totals(self.verdicts, self.values, self.nodes)

    @property
    def distributions(self) -> dict[str, object]:
        """See `dealmill.pipeline.store.storages.storage.SolvedJob`."""
        return distribution_columns(self.values[self.verdicts == SCORED], self.nodes)

    def write(self, connection: Connection) -> None:
        """See `dealmill.pipeline.store.storages.storage.SolvedJob`."""
        rows = [(self.run, block.number, block.digest, *block.sums) for block in self.blocks]
        insert_rows(connection, blocks, ("run_id", *BLOCK_COLUMNS), rows)
        insert_rows(
            connection,
            verdicts,
            ("run_id", "position", "verdict", "nodes", "evidence"),
            [(self.run, position, int(Verdict.FAILED), 0, error) for position, error in self.errors.items()],
        )


@dataclass(frozen=True, slots=True)
class SolvedPart:
    """The results of a job that is a part of a block, for the items from position `first` on. They wait in the row of
    the job (`parts`) for the rest of the block."""

    run: PlannedRun
    first: int
    solved: Solved
    cpu_seconds: float

    @property
    def stop(self) -> int:
        """The position after the last item."""
        return self.first + len(self.solved.verdicts)

    @property
    def totals(self) -> dict[str, int]:
        """See `dealmill.pipeline.store.storages.storage.SolvedJob`."""
        return _totals(self.solved.verdicts, _scored(self.solved), self.solved.nodes)

    @property
    def distributions(self) -> dict[str, object]:
        """See `dealmill.pipeline.store.storages.storage.SolvedJob`."""
        return distribution_columns(self.solved.values[self.solved.verdicts == SCORED], self.solved.nodes)

    def write(self, connection: Connection) -> None:
        """See `dealmill.pipeline.store.storages.storage.SolvedJob`."""
        write_part(connection, self.run.id, self.first, self.solved)
        deals = deals_of(self.run)
        first, stop = block_range(block_of(self.first), len(deals))
        if solved := solved_block(connection, self.run.id, first, stop):
            block = results_of(self.run, first, deals.part(first, stop).texts(), solved, 0.0)
            merge_jobs(connection, self.run.id, first, stop, {**block.totals, **block.distributions})
            block.write(connection)


def _totals(verdicts: Codes, values: Numbers, nodes: Numbers) -> dict[str, int]:
    counted = {verdict.word: int(np.count_nonzero(verdicts == int(verdict))) for verdict in Verdict}
    return {**counted, "unproved": 0, "value_sum": int(values.sum()), "nodes": int(nodes.sum())}


def _scored(solved: Solved) -> Numbers:
    """Return the values, 0 for other verdicts than scored ones."""
    scored: Numbers = solved.values * (solved.verdicts == SCORED)
    return scored


@cache
def load_deals(game: Game) -> None:
    """Load and compile the deals of a game."""
    from dealmill.pipeline.games.kernels import compiling

    with compiling(game.folder, f"the deals of {game.name}"):
        game.deal(1, 1, 1)


def results_of(run: PlannedRun, first: int, layouts: Texts, solved: Solved, cpu_seconds: float) -> SolvedBlocks:
    """Return the results for whole blocks of layouts from position `first` on; a shorter block at the end must be the
    last one of the run."""
    values, starts = _scored(solved), range(0, len(layouts), BLOCK)
    sums = [
        *np.stack([np.bincount(solved.verdicts[start : start + BLOCK], minlength=KINDS) for start in starts]).T[1:],
        np.add.reduceat(values, starts),
        np.add.reduceat(values * values, starts),
    ]
    digests = whole_blocks(first, layouts, solved, last=True)
    failed = np.flatnonzero(solved.verdicts == FAILED).tolist()
    return SolvedBlocks(
        run=run.id,
        first=first,
        verdicts=solved.verdicts,
        values=values,
        nodes=solved.nodes,
        blocks=[
            SummedBlock(number, digest, tuple(of_block))
            for (number, digest), of_block in zip(digests.items(), np.stack(sums, axis=1).tolist(), strict=True)
        ],
        errors={first + index: to_strings(solved.evidence.part(index, index + 1))[0] for index in failed},
        cpu_seconds=cpu_seconds,
    )


def joined(parts: Sequence[SolvedBlocks]) -> SolvedBlocks:
    """Join the results of consecutive blocks."""
    return SolvedBlocks(
        run=parts[0].run,
        first=parts[0].first,
        verdicts=np.concatenate([part.verdicts for part in parts]),
        values=np.concatenate([part.values for part in parts]),
        nodes=np.concatenate([part.nodes for part in parts]),
        blocks=[block for part in parts for block in part.blocks],
        errors={position: error for part in parts for position, error in part.errors.items()},
        cpu_seconds=sum(part.cpu_seconds for part in parts),
    )


def solve_blocks(deals: DealRange, run: PlannedRun, first: int, stop: int, errors: Mapping[int, str]) -> SolvedBlocks:
    """Deal and solve the items `[first, stop)`, except those with a recorded error in `errors` (by position). The range
    consists of whole blocks; a shorter one at its end must be the last block of the run."""
    starts = range(first, stop, BLOCKS_AT_ONCE * BLOCK)
    return joined([_solve_together(deals, run, start, min(start + starts.step, stop), errors) for start in starts])


def _solve_together(
    deals: DealRange, run: PlannedRun, first: int, stop: int, errors: Mapping[int, str]
) -> SolvedBlocks:
    begun = process_time()  # the engine is not a program
    layouts, solved = solve_range(deals, run, first, stop, errors)
    return results_of(run, first, layouts, solved, process_time() - begun)


def solve_in_time(deals: DealRange, run: PlannedRun, first: int, stop: int) -> SolvedBlocks | SolvedPart:
    """Deal and solve the items `[first, stop)` of a job, or only the first ones, so that the job takes a few seconds: a
    part of the first block, if the engine is slow, or whole blocks."""
    begun, cost = monotonic(), process_time()
    end = min(stop, block_range(block_of(first), len(deals))[1])
    layouts = deals.part(first, end).texts()
    solved = _in_range(solving.solve_part(run.solved_by, layouts, run.max_nodes, {}))
    cost = process_time() - cost
    if (first, first + len(solved.verdicts)) != block_range(block_of(first), len(deals)):
        return SolvedPart(run, first, solved, cost)
    solved_blocks = [results_of(run, first, layouts, solved, cost)]
    while end < stop:
        spent = max(monotonic() - begun, solving.LEAST_SECONDS)
        left = spent / (end - first) * (stop - end)
        if min(spent, left) > solving.PART_SECONDS:
            break
        in_time = solving.PART_SECONDS / spent * (end - first) / BLOCK
        start, end = end, min(stop, end + int(max(min(in_time, BLOCKS_AT_ONCE), 1)) * BLOCK)
        solved_blocks.append(_solve_together(deals, run, start, end, {}))
    return joined(solved_blocks)


def give_up(deals: DealRange, run: PlannedRun, first: int, stop: int, error: str) -> SolvedBlocks | SolvedPart:
    """Return the verdict ``failed`` for the items `[first, stop)` of a job."""
    layouts, solved = deals.part(first, stop).texts(), failed_verdicts(error, stop - first)
    starts_block = block_range(block_of(first), len(deals))[0] == first
    ends_block = block_range(block_of(stop - 1), len(deals))[1] == stop
    if starts_block and ends_block:
        return results_of(run, first, layouts, solved, 0.0)
    return SolvedPart(run, first, solved, 0.0)
