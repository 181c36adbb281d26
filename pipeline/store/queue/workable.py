"""Which runs can be worked on with the engines of an installation, which may be one of several in a farm."""

from sqlalchemy import Select, select, tuple_

from dealmill.pipeline.games import games
from dealmill.pipeline.store.database.tables import engines, runs, sources
from dealmill.pipeline.store.queue.leases import Installed

Runs = Select[tuple[int]]

EVERY_RUN_OVER_ITEMS = select(runs.c.id).select_from(runs).join(sources).where(sources.c.endless.is_(False))
EVERY_SURVEY = select(runs.c.id).select_from(runs).join(sources).where(sources.c.endless)


def runs_of(installed: Installed) -> Runs:
    """Runs over items, by installed engines that are not retracted."""
    return _by(installed, EVERY_RUN_OVER_ITEMS).where(engines.c.retracted.is_(None))


def surveys_of(installed: Installed) -> Runs:
    """Surveys, the same, whose deals are dealt here as they were."""
    return surveys_dealt_here(installed).where(engines.c.retracted.is_(None))


def surveys_dealt_here(installed: Installed) -> Runs:
    """Surveys whose deals are dealt and solved here as they were, also those of retracted engines."""
    dealt = sources.c.generator.in_([game.generator for game in games().values()])
    return _by(installed, EVERY_SURVEY.where(dealt))


def _by(installed: Installed, every_run: Runs) -> Runs:
    known = tuple_(engines.c.name, engines.c.version).in_(sorted(installed))
    return every_run.join(engines, engines.c.id == runs.c.engine_id).where(known)
