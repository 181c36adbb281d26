"""How many jobs of each game wait and are being done, and for how long: what metrics show of a store."""

from dataclasses import dataclass

from sqlalchemy import Float, cast, func, select

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.functions import clock
from dealmill.pipeline.store.database.tables import DONE, JOB_TABLES, LEASED, PENDING, Control, audits, runs, sources

LONGEST = 3_600.0
"""How far back results are searched for, in seconds."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """The jobs of one kind (``run`` or ``audit``) for a game: how many are `pending` and `running`, without those of
    runs that users have stopped.

    `oldest` is the number of seconds since the oldest run or audit with a pending job was planned; None if no job is
    pending. `last_result` is the number of seconds since a job was finished, at most `LONGEST`.
    """

    game: str
    kind: str
    pending: int
    running: int
    oldest: float | None
    last_result: float


def backlog(database: Database) -> list[Backlog]:
    """Return the jobs that are pending and running, by game and kind. Games without any are left out."""
    listed = []
    with database.reading() as connection:
        now = connection.execute(select(clock())).scalar_one()
        for kind, table in JOB_TABLES.items():
            parent = {"run": runs, "audit": audits}[kind]
            planned = table.join(parent, table.c[f"{kind}_id"] == parent.c.id)
            planned = planned if kind == "run" else planned.join(runs, audits.c.run_id == runs.c.id)
            planned = planned.join(sources, runs.c.source_id == sources.c.id)
            open_jobs = connection.execute(
                select(sources.c.game, table.c.state, func.count(), func.min(parent.c.created))
                .select_from(planned)
                .where(table.c.state.in_((PENDING, LEASED)), runs.c.control == Control.ACTIVE)
                .group_by(sources.c.game, table.c.state)
            ).all()
            results = connection.execute(
                select(sources.c.game, func.max(cast(table.c.finished, Float)).label("last"))
                .select_from(planned)
                .where(func.coalesce(table.c.finished, table.c.started) > now - LONGEST, table.c.state == DONE)
                .group_by(sources.c.game)
            ).all()
            finished = {row.game: row.last for row in results}
            counts = {(game, state): (count, created) for game, state, count, created in open_jobs}
            for game in sorted({game for game, _ in counts}):
                pending, created = counts.get((game, PENDING), (0, None))
                listed.append(
                    Backlog(
                        game,
                        kind,
                        pending,
                        counts.get((game, LEASED), (0, None))[0],
                        None if created is None else max(now - created, 0.0),
                        min(max(now - finished[game], 0.0), LONGEST) if game in finished else LONGEST,
                    )
                )
    return listed
