"""Deals of surveys, dealt and solved: first by a job, and again whenever someone asks for them, since they are kept
nowhere. What comes out then is held against what is kept: a verdict each, and a digest of everything for each block."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import groupby

import numpy as np

from dealmill.pipeline.deals import DealRange, parse_deal_range
from dealmill.pipeline.errors import DifferenceError, UsageError
from dealmill.pipeline.fingerprint import BLOCK, block_of, whole_blocks
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Solved, Texts, joined, listed, unpack
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Outcome
from dealmill.pipeline.result import Result
from dealmill.pipeline.solve import broken_down, compiling, load, solve_texts
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.packs import kept_of, next_pack, objections_to
from dealmill.pipeline.store.record.pages import ALL, Wanted
from dealmill.pipeline.store.record.surveys import Found, SurveyJob
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.survey.deals import dealt_here

SCORED, FAILED = int(Verdict.SCORED), int(Verdict.FAILED)

AT_ONCE = 3 * BLOCK
"""Deals that go through a kernel at once. With one block, what Python does around it makes all of it take up to 15 %
longer; with four, the texts of some games no longer fit into a processor's own cache."""


@cache
def ready(engine: str) -> None:
    """Have all compiled that it takes to solve deals by an engine (its full name)."""
    game, _ = find_engine(engine)
    load(engine)
    with compiling(f"the deals of {game.name}"):
        game.deal.deal(1, 1, 1)


def survey_part(job: SurveyJob, failures: Mapping[int, str]) -> Found:
    """Deal and solve the deals of a job, but for known `failures`."""
    return found_in(parse_deal_range(job.deals), job.engine, job.max_nodes, job.lease.first, job.lease.stop, failures)


def found_in(
    deals: DealRange, engine: str, max_nodes: int | None, first: int, stop: int, failures: Mapping[int, str]
) -> Found:
    """Deal and solve whole blocks, but for known `failures`, which are taken as they are."""
    verdicts, moments = np.empty(stop - first, dtype=np.int8), np.empty(((stop - first) // BLOCK, 2), dtype=np.int64)
    extremes: list[int] = []
    digests: dict[int, bytes] = {}
    texts, nodes = dict(failures), 0
    for start in range(first, stop, AT_ONCE):
        end = min(start + AT_ONCE, stop)
        layouts, solved = solve_deals(deals, engine, max_nodes, start, end, failures)
        digests |= whole_blocks(start, layouts, solved)
        verdicts[start - first : end - first] = solved.verdicts
        scored = solved.verdicts == SCORED
        values = (solved.values * scored).reshape(-1, BLOCK)
        blocks = slice((start - first) // BLOCK, (end - first) // BLOCK)
        moments[blocks, 0], moments[blocks, 1] = values.sum(axis=1), (values * values).sum(axis=1)
        if scored.any():
            valued = solved.values[scored]
            extremes += [int(valued.min()), int(valued.max())]
        nodes += int(solved.nodes.sum())
        if FAILED in solved.verdicts:
            failed = np.flatnonzero(solved.verdicts == FAILED).tolist()
            texts |= {start + place: _text(solved.evidence, place) for place in failed}
    return Found(
        first,
        verdicts,
        moments,
        least=min(extremes, default=None),
        greatest=max(extremes, default=None),
        nodes=nodes,
        digests=digests,
        failures=texts,
    )


def solve_deals(
    deals: DealRange, engine: str, max_nodes: int | None, first: int, stop: int, failures: Mapping[int, str]
) -> tuple[Texts, Solved]:
    """Deal and solve the deals number `first` to before `stop`, but for known `failures`."""
    layouts = deals.texts(first, stop - first)
    if not any(first <= position < stop for position in failures):
        return layouts, solve_texts(engine, layouts, max_nodes)
    return layouts, joined(
        [
            broken_down(failures[position], 1)
            if position in failures
            else solve_texts(engine, layouts.part(position - first, position - first + 1), max_nodes)
            for position in range(first, stop)
        ]
    )


def _text(texts: Texts, place: int) -> str:
    return unpack(texts.part(place, place + 1))[0]


def again(store: Database, run: RunStatus, first: int) -> list[Result]:
    """The verdicts on the block of deals from number `first` on, dealt and solved again, and held against the verdicts
    and the digest on record.

    Raises
    ------
    VersionError
        If what is installed is not what dealt and solved them.
    DifferenceError
        If they do not come out as they are on record.
    """
    kept = kept_of(store, run.id, first)
    layouts, solved = solve_deals(dealt_here(run), run.engine, run.max_nodes, first, first + BLOCK, kept.failures)
    same = kept.verdicts is not None and np.array_equal(kept.verdicts, solved.verdicts)
    if not same or whole_blocks(first, layouts, solved) != {block_of(first): kept.digest}:
        raise _not_on_record(run, first, first + BLOCK)
    said = listed(solved)
    rows = zip(unpack(layouts), said.verdicts, said.values, said.nodes, said.evidence, strict=True)
    return [
        Result(run.engine, layout, verdict, value, nodes, evidence, number, number, run.id)
        for number, (layout, verdict, value, nodes, evidence) in enumerate(rows, start=first)
    ]


def page(store: Database, run: RunStatus, wanted: Wanted, after: int, most: int) -> list[Result]:
    """The next wanted verdicts of a survey behind number `after`, at most `most`; those of one block at a time.

    Raises
    ------
    VersionError, DifferenceError
        See `again`.
    """
    if wanted.audit:
        return _objected(store, run, wanted, after, most)
    for first in _blocks_with(store, run, wanted, after):
        found = [result for result in again(store, run, first) if result.position > after and _fits(result, wanted)]
        if found:
            return found[:most]
    return []


def _objected(store: Database, run: RunStatus, wanted: Wanted, after: int, most: int) -> list[Result]:
    """Those that an audit said something of; what it found to be valid is not kept."""
    if wanted.audit is None or wanted.audit is Outcome.VALID:
        raise UsageError(f"run {run.id} is a survey: of these, audits keep only what is invalid or without evidence")
    found: list[Result] = []
    while objections := objections_to(store, run.id, wanted.audit, after, BLOCK):
        for number, inside in groupby(objections, lambda objection: block_of(objection[0])):
            block = again(store, run, number * BLOCK + 1)
            judged = [replace(block[(position - 1) % BLOCK], judgement=judgement) for position, judgement in inside]
            found += [result for result in judged if _fits(result, wanted)]
            if len(found) >= most:
                return found[:most]
        after = objections[-1][0]
    return found


def _blocks_with(store: Database, run: RunStatus, wanted: Wanted, after: int) -> Iterator[int]:
    """Where the blocks begin that may hold wanted verdicts behind number `after`."""
    codes = [int(verdict) for verdict in wanted.verdicts] or list(map(int, Verdict))
    while pack := next_pack(store, run.id, after):
        if pack.verdicts is None or (run.finished and pack.first > after + 1):
            raise _not_on_record(run, min(pack.first, after + 1), pack.stop)
        if pack.holds(*wanted.values):
            places = np.flatnonzero(np.isin(pack.verdicts, codes)) + pack.first
            for number in np.unique((places[places > after] - 1) // BLOCK).tolist():
                yield number * BLOCK + 1
        after = pack.stop - 1
    if run.finished and after < run.items:
        raise _not_on_record(run, after + 1, run.items + 1)


def _fits(result: Result, wanted: Wanted) -> bool:
    return (
        (not wanted.verdicts or result.verdict in wanted.verdicts)
        and (wanted.values == ALL or (result.value is not None and _within(result.value, wanted.values)))
        and _within(result.nodes, wanted.nodes)
    )


def _within(number: int, ends: tuple[int, int]) -> bool:
    return ends[0] <= number <= ends[1]


def _not_on_record(run: RunStatus, first: int, stop: int) -> DifferenceError:
    return DifferenceError(
        f"the deals {first:,} to {stop - 1:,} of run {run.id} do not come out as they are on record, or something is "
        f"missing there: dealmill audit {run.id} says what and where"
    )
