"""The reasons for which layouts of a run failed."""

from dataclasses import dataclass

from sqlalchemy import Text, cast, func, select

from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import printable
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import verdicts


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason for which `count` layouts of a run failed, and the first of their positions."""

    reason: str
    count: int
    first: int


def failures_of(database: Database, run: int) -> list[Failure]:
    """Return the reasons for which layouts of a run failed, the most frequent first."""
    count, reason = func.count().label("number"), cast(verdicts.c.evidence, Text)
    query = (
        select(reason, count, func.min(verdicts.c.position).label("at"))
        .where(verdicts.c.run_id == run, verdicts.c.verdict == int(Verdict.FAILED))
        .group_by(reason)
        .order_by(count.desc(), func.min(verdicts.c.position))
    )
    with database.reading() as connection:
        return [Failure(printable(row[0] or ""), row.number, row.at) for row in connection.execute(query)]
