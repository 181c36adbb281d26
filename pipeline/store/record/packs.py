"""Reading what is kept of surveys: packs of verdicts, digests of blocks, the texts of failures (see
`dealmill.pipeline.store.record.surveys`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, func, literal_column, select

from dealmill.pipeline.fingerprint import BLOCK, block_of
from dealmill.pipeline.games.batch import Codes, Numbers
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Judgement, Outcome
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import blocks, jobs, judgements, packs, verdicts
from dealmill.pipeline.store.queue.jobs import LONGEST_SURVEY_JOB, TOTALS
from dealmill.pipeline.store.queue.leases import DONE
from dealmill.pipeline.store.record.bitmap import unpack
from dealmill.pipeline.store.record.pages import ALL
from dealmill.pipeline.store.record.surveys import MOMENTS


@dataclass(frozen=True, slots=True)
class Pack:
    """What is kept of the deals `first` to before `stop`. `verdicts` are None if they are damaged; `moments` (see
    `dealmill.pipeline.store.record.surveys.Found`) are zeros then."""

    first: int
    stop: int
    least: int | None
    greatest: int | None
    verdicts: Codes | None
    moments: Numbers

    def holds(self, low: int, high: int) -> bool:
        """Whether it may hold a value in this range; verdicts without values are in none but the widest."""
        if self.least is None or self.greatest is None:
            return (low, high) == ALL
        return low <= self.greatest and self.least <= high


def next_pack(store: Database, run: int, after: int) -> Pack | None:
    """The first pack of a survey that has a deal behind number `after`; packs are at most as long as the longest job,
    so few are looked at."""
    with store.reading() as connection:
        return _next_pack(connection, run, after)


def _next_pack(connection: Connection, run: int, after: int) -> Pack | None:
    query = select(packs).where(packs.c.run_id == run, packs.c.stop > after + 1).order_by(packs.c.first).limit(1)
    row = connection.execute(query.where(packs.c.first > after - LONGEST_SURVEY_JOB)).one_or_none()
    if row is None:
        return None
    read, moments = unpack(row.verdicts, row.stop - row.first), _moments(row.moments, row.stop - row.first)
    return Pack(row.first, row.stop, row.least, row.greatest, read, moments)


def _moments(stored: bytes, deals: int) -> Numbers:
    size = (deals // BLOCK, 2)
    if len(stored) != size[0] * size[1] * MOMENTS.itemsize:
        return np.zeros(size, dtype=np.int64)
    return np.frombuffer(stored, dtype=MOMENTS).astype(np.int64).reshape(size)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a block: a verdict on each deal, the digest, the texts of failures; None for what is missing.
    While it is `to_come`, nothing can be missing yet."""

    to_come: bool
    verdicts: Codes | None
    digest: bytes | None
    failures: dict[int, str]


def kept_of(store: Database, run: int, first: int) -> Kept:
    """What is kept of the block of deals from number `first` on."""
    digest = select(blocks.c.digest).where(blocks.c.run_id == run, blocks.c.number == block_of(first))
    unfinished = select(jobs.c.id).where(
        jobs.c.run_id == run, jobs.c.first < first + BLOCK, jobs.c.stop > first, jobs.c.state != DONE
    )
    with store.reading() as connection:
        pack = _next_pack(connection, run, first - 1)
        held = None if pack is None or pack.verdicts is None else pack.verdicts[max(first - pack.first, 0) :][:BLOCK]
        return Kept(
            connection.execute(unfinished.limit(1)).first() is not None,
            held if pack is not None and pack.first <= first and held is not None and len(held) == BLOCK else None,
            connection.execute(digest).scalar_one_or_none(),
            _failures(connection, run, first, first + BLOCK),
        )


def differing_blocks(store: Database, one: int, other: int, stop: int) -> list[int]:
    """Where the blocks before deal number `stop` begin of which two surveys do not have the same digest, or none."""
    mine, theirs = blocks.alias("mine"), blocks.alias("theirs")
    same = (theirs.c.run_id == other) & (theirs.c.number == mine.c.number) & (theirs.c.digest == mine.c.digest)
    query = select(mine.c.number).select_from(mine.join(theirs, same)).where(mine.c.run_id == one)
    with store.reading() as connection:
        equal = set(connection.execute(query).scalars())
    return [first for first in range(1, stop, BLOCK) if block_of(first) not in equal]


def _failures(connection: Connection, run: int, first: int, stop: int) -> dict[int, str]:
    query = select(verdicts.c.position, verdicts.c.evidence).where(
        verdicts.c.run_id == run, verdicts.c.position >= first, verdicts.c.position < stop
    )
    return {row.position: row.evidence for row in connection.execute(query)}


@dataclass(frozen=True, slots=True)
class Part:
    """A job of a survey as it is on record: its range, where the `next` one begins (None behind the last), and what it
    counted if it is done, with its pack: None where there is no pack of this range."""

    first: int
    stop: int
    next: int | None
    done: bool
    totals: dict[str, object]
    failures: dict[int, str]


def parts_from(store: Database, run: int, first: int, stop: int) -> tuple[list[Part], list[int]]:
    """The jobs whose first deal is one of `first` to before `stop`, in order; and where packs begin there that belong
    to none of them."""
    mine = (packs.c.run_id == jobs.c.run_id) & (packs.c.first == jobs.c.first) & (packs.c.stop == jobs.c.stop)
    later = jobs.alias("later")
    following = select(func.min(later.c.first)).where(later.c.run_id == run, later.c.first > jobs.c.first)
    query = (
        select(jobs, packs.c.least, packs.c.greatest, packs.c.moments, following.scalar_subquery().label("next"))
        .select_from(jobs.outerjoin(packs, mine))
        .where(jobs.c.run_id == run, jobs.c.first >= first, jobs.c.first < stop)
        .order_by(jobs.c.first)
    )
    begun = select(packs.c.first).where(packs.c.run_id == run, packs.c.first >= first, packs.c.first < stop)
    names = (*TOTALS, "least", "greatest", "moments")
    with store.reading() as connection:
        found = [
            Part(
                row.first,
                row.stop,
                row.next,
                row.state == DONE,
                {name: getattr(row, name) for name in names},
                _failures(connection, run, row.first, row.stop),
            )
            for row in connection.execute(query).all()
        ]
        strays = set(connection.execute(begun).scalars()) - {part.first for part in found if part.done}
    return found, sorted(strays)


def objections_to(store: Database, run: int, outcome: Outcome, after: int, most: int) -> list[tuple[int, Judgement]]:
    """The first deals behind number `after` that an audit did not find valid, with what it said last."""
    query = (
        select(judgements.c.position, judgements.c.step, judgements.c.reason)
        .where(
            judgements.c.run_id == run,
            judgements.c.outcome == int(outcome),
            judgements.c.outcome != literal_column("1"),  # in the words of the index of what is not valid
            judgements.c.position > after,
        )
        .order_by(judgements.c.position, judgements.c.audit_id)
    )
    said: dict[int, Judgement] = {}
    with store.reading() as connection:
        for position, step, reason in connection.execute(query):
            if position not in said and len(said) == most:
                break
            said[position] = Judgement(outcome, step, reason)
    return list(said.items())


@dataclass(frozen=True, slots=True)
class Stage:
    """What the deals before number `stop` have come to."""

    stop: int
    counts: Mapping[Verdict, int]
    value_sum: int
    value_squares: int

    @property
    def deals(self) -> int:
        """How many they are."""
        return self.stop - 1

    def count(self, verdict: Verdict) -> int:
        """How many of them have this verdict."""
        return self.counts.get(verdict, 0)


def course(store: Database, run: int, blocks_at: Sequence[int]) -> list[Stage]:
    """How a survey stood after so many blocks, in ascending order, as far as all deals before are solved. It is made of
    what is kept of each block, so it does not hang on what the jobs were."""
    counted, sums = [], []
    after = 0
    while (kept := next_pack(store, run, after)) and kept.first == after + 1 and kept.verdicts is not None:
        in_blocks = kept.verdicts.reshape(-1, BLOCK)
        counted.append(np.stack([np.count_nonzero(in_blocks == int(verdict), axis=1) for verdict in Verdict], axis=1))
        sums.append(kept.moments)
        after = kept.stop - 1
    if not counted:
        return []
    counts, moments = np.cumsum(np.concatenate(counted), axis=0), np.cumsum(np.concatenate(sums), axis=0)
    return [
        Stage(
            number * BLOCK + 1,
            dict(zip(Verdict, counts[number - 1].tolist(), strict=True)),
            *moments[number - 1].tolist(),
        )
        for number in blocks_at
        if number <= len(counts)
    ]


def extremes(store: Database, run: int) -> tuple[int | None, int | None]:
    """The least and the greatest value that a survey found."""
    query = select(func.min(packs.c.least), func.max(packs.c.greatest)).where(packs.c.run_id == run)
    with store.reading() as connection:
        least, greatest = connection.execute(query).one()
    return least, greatest
