"""Surveys: runs over numbered deals without end. Neither their deals nor their verdicts are rows.

A deal is dealt again whenever it is asked for, and its verdict is a bit or two in the pack of the job that solved it;
the evidence is not kept, but is in the digest of its block, so that what is solved again is known to be the same. Jobs
are whole blocks. Only the texts of failures are rows, for nothing would give them again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection, Select, and_, func, literal_column, select

from pipeline.fingerprint import BLOCK, block_of
from pipeline.games import games
from pipeline.games.batch import Codes
from pipeline.games.contract import Verdict
from pipeline.referee import Judgement, Outcome
from pipeline.store import leases
from pipeline.store.bitmap import pack, unpack
from pipeline.store.bulk import insert_rows
from pipeline.store.database import Store
from pipeline.store.jobs import SURVEY_CHUNK, TOTALS, cut_jobs, solvable
from pipeline.store.leases import DONE, Installed, Kind, Lease
from pipeline.store.results import ALL
from pipeline.store.tables import blocks, engines, jobs, judgements, packs, runs, sources, verdicts

EVERY_SURVEY = select(runs.c.id).select_from(runs).join(sources).where(sources.c.endless)


def _surveys_of(installed: Installed) -> Select[tuple[int]]:
    """The surveys that can be worked on with these engines, and whose deals are dealt here as they were."""
    dealt = sources.c.generator.in_([game.generator for game in games().values()])
    return solvable(EVERY_SURVEY.where(dealt), installed)


SURVEYING = Kind(
    table=jobs,
    owner=jobs.c.run_id,
    totals=TOTALS,
    every_owner=EVERY_SURVEY,
    owners=_surveys_of,
    grain=BLOCK,
)


LAST = 20


@dataclass(frozen=True, slots=True)
class SurveyJob:
    """A claimed job: deals ``lease.first`` to before ``lease.stop`` of a range without end."""

    lease: Lease
    engine: str
    limit: int
    deals: str


@dataclass(frozen=True, slots=True)
class Found:
    """What is found of the deals from `first` on: a verdict each, a digest for each block, the texts of failures."""

    first: int
    verdicts: Codes
    value_sum: int
    value_squares: int
    least: int | None
    greatest: int | None
    nodes: int
    digests: dict[int, bytes]
    failures: dict[int, str]

    @property
    def stop(self) -> int:
        """The deal behind the last one."""
        return self.first + len(self.verdicts)

    @property
    def totals(self) -> dict[str, int]:
        """What is counted on the job, but for what is counted with the pack."""
        counted = {verdict.word: int((self.verdicts == int(verdict)).sum()) for verdict in Verdict}
        return {**counted, "value_sum": self.value_sum, "nodes": self.nodes}


def grow(store: Store, run: int, items: int, chunk: int) -> None:
    """Cut jobs, so that a survey has as many deals, if it has fewer: a multiple of the size of a block."""
    with store.writing() as connection:
        connection.execute(select(runs.c.id).where(runs.c.id == run).with_for_update())
        cut_jobs(connection, run, items, True, chunk)


def pace(store: Store, run: int) -> float | None:
    """How many deals a second a worker did in the quickest of the last jobs; None if none is done."""
    last = (
        select(jobs.c.stop - jobs.c.first, jobs.c.finished - jobs.c.started)
        .where(jobs.c.run_id == run, jobs.c.state == DONE)
        .order_by(jobs.c.first.desc())
        .limit(LAST)
    )
    with store.reading() as connection:
        return max((deals / max(seconds, 1e-3) for deals, seconds in connection.execute(last)), default=None)


def claim(store: Store, job: int, worker: str, seconds: float) -> SurveyJob | None:
    """Take a job for so many seconds; None if it is done or someone else's."""
    lease = leases.claim(store, SURVEYING, job, worker, seconds)
    if lease is None:
        return None
    with store.reading() as connection:
        row = connection.execute(
            select(engines.c.name, runs.c.node_limit, sources.c.name.label("deals"))
            .select_from(runs.join(engines).join(sources))
            .where(runs.c.id == lease.owner)
        ).one()
    return SurveyJob(lease, row.name, row.node_limit, row.deals)


def finish(store: Store, job: SurveyJob, found: Found) -> bool:
    """Write what a job found and mark it done; False, and nothing written, if it is no longer this attempt's."""
    run = job.lease.owner
    row = {
        "run_id": run,
        "first": found.first,
        "stop": found.stop,
        "value_squares": found.value_squares,
        "least": found.least,
        "greatest": found.greatest,
        "verdicts": pack(found.verdicts),
    }
    failed = [(run, position, int(Verdict.FAILED), 0, text) for position, text in found.failures.items()]
    with store.writing() as connection:
        if not leases.finish(connection, SURVEYING, job.lease, found.totals):
            return False
        connection.execute(packs.insert().values(row))
        insert_rows(connection, blocks, ("run_id", "number", "digest"), [(run, *one) for one in found.digests.items()])
        insert_rows(connection, verdicts, ("run_id", "position", "verdict", "nodes", "evidence"), failed)
    return True


@dataclass(frozen=True, slots=True)
class Pack:
    """The verdicts on the deals `first` to before `stop`; None if the pack is damaged."""

    first: int
    stop: int
    least: int | None
    greatest: int | None
    value_squares: int
    verdicts: Codes | None

    def holds(self, low: int, high: int) -> bool:
        """Whether it may hold a value in this range; verdicts without values are in none but the widest."""
        if self.least is None or self.greatest is None:
            return (low, high) == ALL
        return low <= self.greatest and self.least <= high


def next_pack(store: Store, run: int, after: int) -> Pack | None:
    """The first pack of a survey that has a deal behind number `after`; packs are at most as long as the longest job,
    so few are looked at."""
    query = select(packs).where(packs.c.run_id == run, packs.c.stop > after + 1).order_by(packs.c.first).limit(1)
    with store.reading() as connection:
        row = connection.execute(query.where(packs.c.first > after - SURVEY_CHUNK)).one_or_none()
    if row is None:
        return None
    read = unpack(row.verdicts, row.stop - row.first)
    return Pack(row.first, row.stop, row.least, row.greatest, row.value_squares, read)


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a block: a verdict on each deal, the digest, the texts of failures; None for what is missing."""

    verdicts: Codes | None
    digest: bytes | None
    failures: dict[int, str]


def kept_of(store: Store, run: int, first: int) -> Kept:
    """What is kept of the block of deals from number `first` on."""
    pack = next_pack(store, run, first - 1)
    held = None if pack is None or pack.verdicts is None else pack.verdicts[max(first - pack.first, 0) :][:BLOCK]
    digest = select(blocks.c.digest).where(blocks.c.run_id == run, blocks.c.number == block_of(first))
    with store.reading() as connection:
        return Kept(
            held if pack is not None and pack.first <= first and held is not None and len(held) == BLOCK else None,
            connection.execute(digest).scalar_one_or_none(),
            _failures(connection, run, first, first + BLOCK),
        )


def _failures(connection: Connection, run: int, first: int, stop: int) -> dict[int, str]:
    query = select(verdicts.c.position, verdicts.c.evidence).where(
        verdicts.c.run_id == run, verdicts.c.position >= first, verdicts.c.position < stop
    )
    return {row.position: row.evidence for row in connection.execute(query)}


@dataclass(frozen=True, slots=True)
class Part:
    """A job of a survey as it is on record: its range, where the `next` one begins (None behind the last), and what it
    counted if it is done; what is counted with its pack is None where there is no pack of this range."""

    first: int
    stop: int
    next: int | None
    done: bool
    totals: dict[str, int | None]
    failures: dict[int, str]


def parts_from(store: Store, run: int, first: int, stop: int) -> tuple[list[Part], list[int]]:
    """The jobs whose first deal is one of `first` to before `stop`, in order; and where packs begin there that belong
    to none of them."""
    mine = (packs.c.run_id == jobs.c.run_id) & (packs.c.first == jobs.c.first) & (packs.c.stop == jobs.c.stop)
    later = jobs.alias("later")
    following = select(func.min(later.c.first)).where(later.c.run_id == run, later.c.first > jobs.c.first)
    query = (
        select(jobs, packs.c.value_squares, packs.c.least, packs.c.greatest, following.scalar_subquery().label("next"))
        .select_from(jobs.outerjoin(packs, mine))
        .where(jobs.c.run_id == run, jobs.c.first >= first, jobs.c.first < stop)
        .order_by(jobs.c.first)
    )
    begun = select(packs.c.first).where(packs.c.run_id == run, packs.c.first >= first, packs.c.first < stop)
    names = (*TOTALS, "value_squares", "least", "greatest")
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


def objections_to(store: Store, run: int, outcome: Outcome, after: int, most: int) -> list[tuple[int, Judgement]]:
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
    """What the deals before number `stop` have come to. `least` and `greatest` are values."""

    stop: int = 1
    counts: Mapping[Verdict, int] = field(default_factory=dict)
    value_sum: int = 0
    value_squares: int = 0
    least: int | None = None
    greatest: int | None = None

    @property
    def deals(self) -> int:
        """How many they are."""
        return self.stop - 1

    def count(self, verdict: Verdict) -> int:
        """How many of them have this verdict."""
        return self.counts.get(verdict, 0)


def stages(store: Store, run: int) -> list[Stage]:
    """How a survey went: how it stood after each job, in the order of the deals, as far as they are all solved."""
    query = (
        select(jobs, packs.c.value_squares, packs.c.least, packs.c.greatest)
        .select_from(jobs.outerjoin(packs, and_(packs.c.run_id == jobs.c.run_id, packs.c.first == jobs.c.first)))
        .where(jobs.c.run_id == run)
        .order_by(jobs.c.first)
    )
    reached = [Stage()]
    with store.reading() as connection:
        for row in connection.execute(query):
            if row.state != DONE or row.value_squares is None:
                break
            before = reached[-1]
            reached.append(
                Stage(
                    row.stop,
                    {verdict: before.count(verdict) + getattr(row, verdict.word) for verdict in Verdict},
                    before.value_sum + row.value_sum,
                    before.value_squares + row.value_squares,
                    min(_known(before.least, row.least), default=None),
                    max(_known(before.greatest, row.greatest), default=None),
                )
            )
    return reached[1:]


def _known(*values: int | None) -> list[int]:
    return [value for value in values if value is not None]
