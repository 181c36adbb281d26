"""Versions of engines that unfinished runs need and workers lack."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from sqlalchemy import exists, select

from dealmill.pipeline.printable import counted
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import Control, engines, jobs, runs
from dealmill.pipeline.store.planning.installation import lacking_engines
from dealmill.pipeline.store.runs.jobs import IS_PENDING_JOB
from dealmill.pipeline.store.runs.workers import list_workers, releases_with

NEEDED = (
    select(engines.c.name, engines.c.version, runs.c.id)
    .select_from(runs.join(engines))
    .where(
        runs.c.control == Control.ACTIVE,
        engines.c.retracted_why.is_(None),
        exists().where(jobs.c.run_id == runs.c.id, IS_PENDING_JOB),
    )
    .order_by(runs.c.id)
)
"""The versions of engines that pending jobs need, with their runs."""


@dataclass(frozen=True, slots=True)
class MissingEngine:
    """A version of an engine that pending jobs of `runs` need, but `workers` lack, which have the versions `dealmill`.

    `releases` are the versions of Dealmill that are known to have it: that of this installation, or else those that
    have done jobs with it. `elsewhere` says whether another worker has it.
    """

    engine: str
    version: str
    runs: Sequence[int]
    workers: Sequence[str]
    dealmill: Sequence[str]
    releases: Sequence[str]
    elsewhere: bool

    def __str__(self) -> str:
        """Say who lacks what."""
        workers = f"{counted(len(self.workers), 'worker')} (Dealmill {', '.join(self.dealmill)})"
        *others, last = map(str, self.runs)
        numbers = f"runs {', '.join(others)} and {last}" if others else f"run {last}"
        needs = "need" if others else "needs"
        known = f" (Dealmill {', '.join(self.releases)})" if self.releases else ""
        rest = "" if self.elsewhere else "; no other worker has it"
        return f"{workers} cannot work on {numbers}, which {needs} {self.engine} {self.version}{known}{rest}"


def missing_engines(database: Database) -> list[MissingEngine]:
    """Return the versions of engines that pending jobs need and workers that report lack, in the order of the runs."""
    with database.reading() as connection:
        needed = connection.execute(NEEDED).all()
    if not needed:
        return []
    reporting = [worker for worker in list_workers(database) if worker.reported is not None]
    lacking_here = lacking_engines(database)
    missing = []
    for engine in dict.fromkeys((row.name, row.version) for row in needed):
        lacking = [worker for worker in reporting if engine in worker.lacks]
        if lacking:
            missing.append(
                MissingEngine(
                    *engine,
                    runs=[row.id for row in needed if (row.name, row.version) == engine],
                    workers=[worker.name for worker in lacking],
                    dealmill=sorted({worker.version or "unknown" for worker in lacking}),
                    releases=releases_with(database, *engine) if engine in lacking_here else [version("dealmill")],
                    elsewhere=len(lacking) < len(reporting),
                )
            )
    return missing
