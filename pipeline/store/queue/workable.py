"""Queries for the runs and audits that an installation can work on. A farm may have installations with different
engines."""

from sqlalchemy import ColumnElement, Select, or_, select, tuple_

from dealmill.pipeline.games import games
from dealmill.pipeline.store.database.tables import Storage, audits, engines, runs, sources
from dealmill.pipeline.store.queue.leases import Installed

OVER = runs.join(sources).join(engines)


def runs_of(installed: Installed) -> Select[tuple[int]]:
    """Select the runs of installed engines that are not retracted. A packed run also needs the installed generator of
    its deals to be the one recorded."""
    dealt = (runs.c.storage == Storage.PACKED) & _dealt_here()
    known = _known(installed) & or_(runs.c.storage == Storage.ROWS, dealt)
    return select(runs.c.id).select_from(OVER).where(known, engines.c.retracted.is_(None))


def audits_of(installed: Installed) -> Select[tuple[int]]:
    """Select the audits that can be worked on, including those of retracted engines. An audit of a run stored as rows
    needs the referee, which depends on the engine's name only. An audit of a packed run needs the same version of the
    engine and the same generator."""
    judged = (runs.c.storage == Storage.ROWS) & engines.c.name.in_(sorted({name for name, _ in installed}))
    again = (runs.c.storage == Storage.PACKED) & _known(installed) & _dealt_here()
    return select(audits.c.id).select_from(audits.join(OVER, audits.c.run_id == runs.c.id)).where(judged | again)


def _known(installed: Installed) -> ColumnElement[bool]:
    return tuple_(engines.c.name, engines.c.version).in_(sorted(installed))


def _dealt_here() -> ColumnElement[bool]:
    return sources.c.generator.in_([game.generator for game in games().values()])
