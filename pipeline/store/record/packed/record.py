"""The storage of verdicts as packs: solving, writing, reading."""

from collections.abc import Mapping, Sequence
from functools import cache

from dealmill.pipeline.errors import DifferenceError, VersionError
from dealmill.pipeline.fingerprint import block_of
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.result import Result
from dealmill.pipeline.solve import compiling, load
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.blocks import recorded_digests
from dealmill.pipeline.store.record.contract import Record, Said, Solution, Stretch, Wanted
from dealmill.pipeline.store.record.packed import audit, pages
from dealmill.pipeline.store.record.packed.again import deals_of, dealt_here, solve_pack
from dealmill.pipeline.store.record.packed.packs import kept_of
from dealmill.pipeline.store.runs.planned import PlannedRun
from dealmill.pipeline.store.runs.status import RunStatus


class Packed(Record):
    """A bit or two for each verdict, and a digest of everything in each block."""

    keeps_valid = False

    def check_readable(self, run: PlannedRun) -> None:
        """See `Record`, as for the other methods."""
        dealt_here(run)

    def prepare(self, run: PlannedRun) -> None:
        load(run.engine)
        _load_deals(run.game)

    def solve(self, store: Database, run: PlannedRun, first: int, stop: int) -> Solution:
        return solve_pack(deals_of(run), run, first, stop, {})

    def give_up(self, store: Database, run: PlannedRun, first: int, stop: int, trouble: str) -> Solution:
        return solve_pack(deals_of(run), run, first, stop, dict.fromkeys(range(first, stop), trouble))

    def page(self, store: Database, run: RunStatus, wanted: Wanted, after: int, most: int) -> list[Result]:
        return pages.page(store, run, wanted, after, most)

    def digests(self, store: Database, run: RunStatus) -> Mapping[int, bytes]:
        return recorded_digests(store, run.id)

    def said(self, store: Database, run: RunStatus, first: int, stop: int) -> list[Said] | None:
        if kept_of(store, run.id, first, stop).to_come:
            return [Said(position, None, None, None) for position in range(first, stop)]
        try:
            block = pages.block_again(store, run, block_of(first))
        except (DifferenceError, VersionError):
            return None
        return [Said(one.position, one.verdict, one.value, one.evidence) for one in block[: stop - first]]

    def verdicts(self, store: Database, run: RunStatus, first: int, stop: int) -> list[Verdict | None]:
        kept = kept_of(store, run.id, first, stop).verdicts
        return [None] * (stop - first) if kept is None else [Verdict(code) for code in kept.tolist()]

    def stretch(self, store: Database, run: PlannedRun, items: int, positions: range) -> Stretch:
        return audit.stretch(store, run, items, positions)

    def sample(self, store: Database, run: PlannedRun, items: int, positions: Sequence[int]) -> Stretch:
        return audit.sample(store, run, items, positions)


@cache
def _load_deals(game: str) -> None:
    with compiling(f"the deals of {game}"):
        find_game(game).deal.deal(1, 1, 1)
