"""Which runs can be worked on with the engines of an installation, which may be one of several in a farm."""

from sqlalchemy import ColumnElement, Select, or_, select, tuple_

from dealmill.pipeline.games import games
from dealmill.pipeline.store.database.tables import Storage, audits, engines, runs, sources
from dealmill.pipeline.store.queue.leases import Installed

OVER = runs.join(sources).join(engines)


def runs_of(installed: Installed) -> Select[tuple[int]]:
    """Runs by installed engines that are not retracted; where they are stored packed, over deals that are dealt here as
    they were."""
    dealt = (runs.c.storage == Storage.PACKED) & _dealt_here()
    known = _known(installed) & or_(runs.c.storage == Storage.ROWS, dealt)
    return select(runs.c.id).select_from(OVER).where(known, engines.c.retracted.is_(None))


def audits_of(installed: Installed) -> Select[tuple[int]]:
    """Audits of runs that are rows and whose referee is known here, which goes by the name of the engine alone; and of
    packed ones that are dealt and solved here as they were. Those of retracted engines too."""
    judged = (runs.c.storage == Storage.ROWS) & engines.c.name.in_(sorted({name for name, _ in installed}))
    again = (runs.c.storage == Storage.PACKED) & _known(installed) & _dealt_here()
    return select(audits.c.id).select_from(audits.join(OVER, audits.c.run_id == runs.c.id)).where(judged | again)


def _known(installed: Installed) -> ColumnElement[bool]:
    return tuple_(engines.c.name, engines.c.version).in_(sorted(installed))


def _dealt_here() -> ColumnElement[bool]:
    return sources.c.generator.in_([game.generator for game in games().values()])
