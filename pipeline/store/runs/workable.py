"""The runs and audits that an installation can work on."""

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    exists,
    func,
    literal,
    or_,
    select,
    tuple_,
)

from dealmill.pipeline.games import games_of
from dealmill.pipeline.games.descriptions import GENERATOR
from dealmill.pipeline.games.installed import families
from dealmill.pipeline.store.database.tables import (
    STORES_LAYOUTS,
    Control,
    audits,
    blocks,
    engines,
    runs,
    sources,
)
from dealmill.pipeline.store.runs.leases import Installed

OVER = runs.join(sources).join(engines)
ACTIVE = runs.c.control == Control.ACTIVE


def workable_runs(installed: Installed) -> Select[tuple[int]]:
    """Select the active runs of installed engines that are not retracted. If their layouts are not stored, the
    installed generator of their deals must be the one recorded."""
    readable = STORES_LAYOUTS | _dealt_here(installed)
    not_retracted = engines.c.retracted_why.is_(None)
    return select(runs.c.id).select_from(OVER).where(_known(installed), readable, not_retracted, ACTIVE)


def unlisted_runs(installed: Installed) -> Select[int, str, str]:
    """Select the numbers, engines and versions of the runs whose layouts are not stored and whose blocks cannot be
    solved again with these engines and the installed generators."""
    solvable = and_(_known(installed), _dealt_here(installed))
    of_run = exists().where(blocks.c.run_id == runs.c.id)
    columns = select(runs.c.id, engines.c.name, engines.c.version).select_from(OVER)
    return columns.where(~STORES_LAYOUTS, of_run, ~solvable).order_by(runs.c.id)


def workable_audits(installed: Installed) -> Select[tuple[int]]:
    """Select the audits that can be worked on, including those of retracted engines. If the layouts of the run are
    stored, an audit only needs the referee, which depends on the name of the engine, or on that of the engine as which
    imported verdicts are checked. Otherwise it needs the same version of the engine and the same generator."""
    referee_engine = func.coalesce(engines.c.checked_as, engines.c.name)
    has_referee = referee_engine.in_(sorted({name for name, _ in installed})) | sources.c.rules.is_not(None)
    workable = (STORES_LAYOUTS & has_referee) | (~STORES_LAYOUTS & _known(installed) & _dealt_here(installed))
    return select(audits.c.id).select_from(audits.join(OVER, audits.c.run_id == runs.c.id)).where(workable)


def _known(installed: Installed) -> ColumnElement[bool]:
    return tuple_(engines.c.name, engines.c.version).in_(sorted(installed))


def _dealt_here(installed: Installed) -> ColumnElement[bool]:
    """Return the condition that the deals of a source of these engines can be dealt here."""
    recorded = [
        sources.c.generator
        == literal(f"{GENERATOR} ").concat(sources.c.game).concat(f"/{family.deals.version}-").concat(sources.c.rules)
        for family in families().values()
    ]
    return or_(sources.c.generator.in_([game.generator for game in games_of(name for name, _ in installed)]), *recorded)
