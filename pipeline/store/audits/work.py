"""The work of audits, estimated from what is on record: their jobs are cut by it, and they say beforehand how long they
take, roughly."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, select

from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.evidence.referee import VERDICTS
from dealmill.pipeline.games import engine_of_run
from dealmill.pipeline.games.sampling import sampled
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.store.audits.audit import AuditStatus
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import DONE, audit_jobs
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.storages.choice import storage_of

JOB_SECONDS = 1.0
"""The work of a job, and a verdict more, so that an interruption loses seconds."""
JOB_ITEMS = 10_000
"""The most verdicts per job."""
MAX_READ = 10_000
"""The evidence of at most so many verdicts is read to estimate the work, or of one for each full job."""
ITEM_SECONDS = 2e-5
"""About how long it takes to read a verdict and what must agree with it."""
UNFINISHED = (
    select(audit_jobs.c.first, audit_jobs.c.stop)
    .where(audit_jobs.c.audit_id == bindparam("audit"), audit_jobs.c.state != DONE)
    .order_by(audit_jobs.c.first)
)


class Stretch(NamedTuple):
    """The verdicts `[first, stop)` of an audit, numbered from 1, and about how many seconds of processor time it takes
    to check them."""

    first: int
    stop: int
    seconds: float


def stretches(connection: Connection, run: RunStatus, population: int, size: int, seed: int) -> Iterator[Stretch]:
    """Yield the stretches of an audit with these columns, in order. All have one verdict if there are few; otherwise, a
    power of ten, and the first verdict stands for the others."""
    storage, length = storage_of(run), 1
    solves_again = not storage.audits_end_within_blocks
    while length < JOB_ITEMS and (solves_again or size > length * MAX_READ):
        length *= 10
    numbers = range(1, size + 1, length)
    positions: Sequence[int] = numbers
    if size < population:
        positions = [sampled(number, size, population, seed) for number in numbers]
    game, engine = engine_of_run(run.id, run.referee_engine)
    seconds = {
        position: game.check_seconds(engine.referee_name, Verdict(verdict), evidence)
        for position, verdict, evidence in storage.recorded_evidence(connection, run, positions)
        if isinstance(verdict, int) and verdict in VERDICTS and isinstance(evidence, str)
    }
    otherwise = 0.0
    if solves_again:  # whole blocks, and the evidence that is checked is not on record
        share = min(BLOCK * size / max(population, 1), 1.0)
        otherwise = game.check_seconds(engine.referee_name, Verdict.SCORED, "")
        otherwise += (run.cpu_seconds or 0.0) * share / max(size, 1)
    for number, position in zip(numbers, positions, strict=True):
        stop = min(number + length, size + 1)
        yield Stretch(number, stop, (stop - number) * (ITEM_SECONDS + seconds.get(position, otherwise)))


def spans(parts: Iterable[Stretch]) -> Iterator[tuple[int, int]]:
    """Join stretches into the ranges `[first, stop)` of jobs. There is one, without verdicts, if there are none."""
    first, stop, seconds = 1, 1, 0.0
    for part in parts:
        stop, seconds = part.stop, seconds + part.seconds
        if seconds > JOB_SECONDS or stop - first >= JOB_ITEMS:
            yield first, stop
            first, seconds = stop, 0.0
    if first < stop or stop == 1:
        yield first, stop


def seconds_left(database: Database, run: RunStatus, audit: AuditStatus) -> float:
    """Return about how many seconds of processor time the unfinished jobs of an audit take."""
    with database.reading() as connection:
        jobs = connection.execute(UNFINISHED, {"audit": audit.id}).all()
        parts = list(stretches(connection, run, audit.population, audit.size, audit.seed))
    starts = [job.first for job in jobs]

    def is_left(part: Stretch) -> bool:
        index = bisect_right(starts, part.first) - 1
        return index >= 0 and part.first < jobs[index].stop

    return sum(part.seconds for part in parts if is_left(part))
