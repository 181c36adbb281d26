"""Dealing and solving the items of packed runs: first by a job, and again when their layouts or evidence are
requested."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import isqrt
from time import process_time

import numpy as np
from sqlalchemy import Connection

from dealmill.pipeline.arguments import MOST
from dealmill.pipeline.deals import DealRange, check_generator
from dealmill.pipeline.digests import BLOCK, block_of, whole_blocks
from dealmill.pipeline.errors import DamagedError, VersionError
from dealmill.pipeline.games import engine_of_run, find_game
from dealmill.pipeline.games.batch import Codes, Numbers, Solved, Texts, unpack
from dealmill.pipeline.games.caches import caches
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solve import solve_texts
from dealmill.pipeline.store.database.bulk import insert_rows
from dealmill.pipeline.store.database.tables import blocks, packs, verdicts
from dealmill.pipeline.store.histograms import spread_of
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.storages.packs import MOMENTS, StoredBlock, pack


def deals_of(run: PlannedRun) -> DealRange:
    """Return the deals of a packed run.

    Raises
    ------
    DamagedError
        If the recorded range is damaged.
    VersionError
        If another version of the generator is installed.
    """
    try:
        deals = None if run.deals is None else DealRange.of(find_game(run.game), run.deals)
    except DamagedError:
        deals = None
    if deals is None or deals.name != run.source_name:
        raise DamagedError(
            f"run {run.id} cannot be read: the recorded deals {run.deals} are not those of {run.source_name}; restore "
            "the database from a backup"
        )
    check_generator(run.source_name, run.game, run.generator)
    return deals


def dealt_here(run: PlannedRun) -> DealRange:
    """Return the deals of a packed run that can be solved again with this installation.

    Raises
    ------
    DamagedError
        See `deals_of`.
    VersionError
        If the engine is not installed, or another version of it or of the generator.
    CacheError
        If compiled engines cannot be cached.
    """
    caches()
    _, engine = engine_of_run(run.id, run.engine)
    if engine.version != run.version:
        raise VersionError(
            f"run {run.id} is packed and needs {run.engine} version {run.version}, but version {engine.version} is "
            "installed; read it with the Dealmill that has that version"
        )
    return deals_of(run)


def solve_range(
    deals: DealRange, run: PlannedRun, first: int, stop: int, errors: Mapping[int, str]
) -> tuple[Texts, Solved]:
    """Deal and solve the items `[first, stop)`, except those with a recorded error in `errors` (by position)."""
    layouts = deals.part(first, stop).texts()
    known = {position - first: error for position, error in errors.items() if first <= position < stop}
    return layouts, solve_texts(run.engine, layouts, run.max_nodes, known)


def reproduces(stored: StoredBlock, first: int, layouts: Texts, solved: Solved) -> bool:
    """Return whether the result of solving a block again has the recorded verdicts and the recorded digest."""
    same = stored.verdicts is not None and np.array_equal(stored.verdicts, solved.verdicts)
    return same and whole_blocks(first, layouts, solved, last=True) == {block_of(first): stored.digest}


SCORED, FAILED = int(Verdict.SCORED), int(Verdict.FAILED)
AT_ONCE = 3 * BLOCK
"""Deals per kernel call. With one block per call, the overhead of Python adds up to 15 %; with four, the texts of some
games no longer fit into a core's cache."""


MOST_VALUE = isqrt(MOST // BLOCK)
"""The largest value whose square can be added up over a block in 64 bits, about 96 million."""
TOO_LARGE = f"the value {{:,}} is out of range: at most {MOST_VALUE:,} in a packed run"


@dataclass(frozen=True, slots=True)
class SolvedPack:
    """The results of a job of a packed run, for the items from position `first` on.

    `values` is read for scored verdicts only. `moments` has a row per block: the sum of the values, and the sum of
    their squares. `digests` has the digest of each block by number, and `errors` the errors of failed layouts by
    position. `cpu_seconds` is what dealing and solving cost.
    """

    run: int
    first: int
    verdicts: Codes
    values: Numbers
    nodes: Numbers
    moments: Numbers
    digests: Mapping[int, bytes]
    errors: Mapping[int, str]
    cpu_seconds: float

    @property
    def stop(self) -> int:
        """The position after the last item."""
        return self.first + len(self.verdicts)

    @property
    def totals(self) -> dict[str, int]:
        """See `dealmill.pipeline.store.storages.storage.SolvedJob`."""
        counted = {verdict.word: int(np.count_nonzero(self.verdicts == int(verdict))) for verdict in Verdict}
        return {**counted, "unproved": 0, "value_sum": int(self.moments[:, 0].sum()), "nodes": int(self.nodes.sum())}

    @property
    def spread(self) -> dict[str, object]:
        """See `dealmill.pipeline.store.storages.storage.SolvedJob`."""
        return spread_of(self.values[self.verdicts == SCORED], self.nodes)

    @property
    def packed_moments(self) -> bytes:
        """The moments as they are stored."""
        return self.moments.astype(MOMENTS).tobytes()

    def write(self, connection: Connection) -> None:
        """See `dealmill.pipeline.store.storages.storage.SolvedJob`."""
        row = {"run_id": self.run, "first": self.first, "stop": self.stop, "verdicts": pack(self.verdicts)}
        connection.execute(packs.insert().values(**row, moments=self.packed_moments))
        insert_rows(
            connection,
            blocks,
            ("run_id", "number", "digest"),
            [(self.run, number, digest) for number, digest in self.digests.items()],
        )
        insert_rows(
            connection,
            verdicts,
            ("run_id", "position", "verdict", "nodes", "evidence"),
            [(self.run, position, int(Verdict.FAILED), 0, error) for position, error in self.errors.items()],
        )


@cache
def load_deals(game: str) -> None:
    """Load and compile the deals of a game."""
    from dealmill.pipeline.games.kernels import compiling

    found = find_game(game)
    with compiling(found.folder, f"the deals of {game}"):
        found.deal(1, 1, 1)


def solve_pack(deals: DealRange, run: PlannedRun, first: int, stop: int, errors: Mapping[int, str]) -> SolvedPack:
    """Deal and solve the items `[first, stop)`, except those with a recorded error in `errors` (by position). The range
    consists of whole blocks; a shorter one at its end must be the last block of the run."""
    count = stop - first
    verdicts = np.empty(count, dtype=np.int8)
    values, nodes = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    moments = np.empty((-(-count // BLOCK), 2), dtype=np.int64)
    digests: dict[int, bytes] = {}
    found, cost = dict(errors), 0.0
    for start in range(first, stop, AT_ONCE):
        end = min(start + AT_ONCE, stop)
        begun = process_time()  # the engine is not a program
        layouts, solved = solve_range(deals, run, start, end, errors)
        large = (solved.verdicts == SCORED) & (np.abs(solved.values) > MOST_VALUE)
        if large.any():
            found |= {start + place: TOO_LARGE.format(solved.values[place]) for place in np.flatnonzero(large).tolist()}
            layouts, solved = solve_range(deals, run, start, end, found)
        cost += process_time() - begun
        digests |= whole_blocks(start, layouts, solved, last=True)
        part = slice(start - first, end - first)
        verdicts[part], nodes[part] = solved.verdicts, solved.nodes
        values[part] = scored = solved.values * (solved.verdicts == SCORED)
        starts = np.arange(0, end - start, BLOCK)
        block = (start - first) // BLOCK
        moments[block : block + len(starts), 0] = np.add.reduceat(scored, starts)
        moments[block : block + len(starts), 1] = np.add.reduceat(scored * scored, starts)
        if FAILED in solved.verdicts:
            failed = np.flatnonzero(solved.verdicts == FAILED).tolist()
            found |= {start + place: unpack(solved.evidence.part(place, place + 1))[0] for place in failed}
    return SolvedPack(
        run=run.id,
        first=first,
        verdicts=verdicts,
        values=values,
        nodes=nodes,
        moments=moments,
        digests=digests,
        errors=found,
        cpu_seconds=cost,
    )
