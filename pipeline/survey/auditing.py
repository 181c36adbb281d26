"""Auditing a survey: its deals are dealt and solved again and held against what was kept of them, and what comes out is
put before the referee."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.fingerprint import BLOCK, block_of, whole_blocks
from dealmill.pipeline.games.batch import Codes, listed, unpack
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Judgement, judge
from dealmill.pipeline.store.audits import Fault
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.packs import Part, kept_of, parts_from
from dealmill.pipeline.store.record.surveys import MOMENTS
from dealmill.pipeline.store.runs.status import PlannedRun
from dealmill.pipeline.survey.deals import dealt_here
from dealmill.pipeline.survey.solving import found_in, solve_deals

Judged = list[tuple[int, Judgement]]


def audit_survey(
    store: Database, run: PlannedRun, positions: Sequence[int], *, whole: bool
) -> tuple[Judged, list[Fault]]:
    """Judge the verdicts on these deals, which are in order. In an audit of the `whole` survey, also go through the
    record of every job that begins among them.

    Raises
    ------
    VersionError
        If what is installed is not what dealt and solved them.
    """
    deals = dealt_here(run)
    judged: Judged = []
    faults: list[Fault] = []
    for number, places in groupby(positions, block_of):
        said, wrong = _audit_block(store, run, deals, number * BLOCK + 1, list(places))
        judged += said
        faults += wrong
    if whole:
        faults += _audit_jobs(store, run, deals, positions[0], positions[-1] + 1)
    return judged, faults


def _audit_block(
    store: Database, run: PlannedRun, deals: DealRange, first: int, positions: list[int]
) -> tuple[Judged, list[Fault]]:
    kept = kept_of(store, run.id, first)
    if kept.to_come:
        return [], []
    last = first + BLOCK - 1
    layouts, solved = solve_deals(deals, run.engine, run.max_nodes, first, last + 1, kept.failures)
    faults = []
    if kept.digest is None:
        faults.append(Fault(first, last, "there is no digest of these verdicts on record"))
    elif whole_blocks(first, layouts, solved) != {block_of(first): kept.digest}:
        faults.append(Fault(first, last, "the deals, verdicts and evidence that come out are not those on record"))
    if kept.verdicts is None:
        return [], [*faults, Fault(first, last, "there are no verdicts on record")]
    texts, said = unpack(layouts), listed(solved)
    faults += _differing(first, kept.verdicts, solved.verdicts)
    places = [position - first for position in positions]
    return [
        (
            first + place,
            judge(run.engine, texts[place], int(kept.verdicts[place]), said.values[place], said.evidence[place]),
        )
        for place in places
    ], faults


def _differing(first: int, kept: Codes, found: Codes) -> Iterator[Fault]:
    for place in np.flatnonzero(kept != found).tolist():
        words = Verdict(int(found[place])).word, _word(int(kept[place]))
        yield Fault(first + place, first + place, "what comes out again is {}, and on record {}".format(*words))


def _word(code: int) -> str:
    return Verdict(code).word if code in list(Verdict) else f"{code}, which is no verdict"


def _audit_jobs(store: Database, run: PlannedRun, deals: DealRange, first: int, stop: int) -> Iterator[Fault]:
    """Whether jobs follow each other, and counted what they solved."""
    parts, strays = parts_from(store, run.id, first, stop)
    for stray in strays:
        yield Fault(stray, stray, "verdicts are on record that no job has written")
    if first == 1 and (not parts or parts[0].first != 1):
        yield Fault(1, 1, "this deal belongs to no job")
    for part in parts:
        if part.next is not None and part.next != part.stop:
            ends = sorted((part.stop, part.next))
            yield Fault(
                ends[0], ends[1] - 1, f"these deals belong to {'no job' if ends[0] == part.stop else 'two jobs'}"
            )
        if part.done:
            yield from _miscounted(run, deals, part)


def _miscounted(run: PlannedRun, deals: DealRange, part: Part) -> Iterator[Fault]:
    found = found_in(deals, run.engine, run.max_nodes, part.first, part.stop, part.failures)
    pack = {"least": found.least, "greatest": found.greatest, "moments": found.moments.astype(MOMENTS).tobytes()}
    counted: dict[str, object] = {**found.totals, **pack}
    if differing := [name for name, total in part.totals.items() if total != counted[name]]:
        told = ", ".join(f"{name} {_told(part.totals[name])} and not {_told(counted[name])}" for name in differing)
        yield Fault(part.first, part.stop - 1, f"the totals on record are not those that come out again: {told}")


def _told(total: object) -> str:
    return f"{total.hex()[:16]}…" if isinstance(total, bytes) else str(total)
