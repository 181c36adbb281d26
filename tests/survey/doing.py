"""Making surveys, and what goes wrong with them."""

from dealmill.pipeline.arguments import MAX_INTEGER
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.jobs import grow
from dealmill.pipeline.store.runs.planned import deals_of
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.store.sources.writing import append_deals
from dealmill.pipeline.survey.growth import open_survey
from tests.doing import do_runs

PAIRING = "card-pairing/winnable"
MEMORY = "memory/incremental"


def endless(engine: str, **parameters: int) -> DealRange:
    game, _ = find_engine(engine)
    return DealRange(game, 7, 1, MAX_INTEGER, parameters)


def a_survey(
    database: Database, engine: str, deals: int, *, max_nodes: int | None = None, chunk: int = 1_000, **parameters: int
) -> RunStatus:
    """A survey of so many deals."""
    run = open_survey(database, endless(engine, **parameters), engine, max_nodes)
    if run.storage.stores_layouts:
        append_deals(database, deals_of(run), deals)
    grow(database, run.id, deals, chunk)
    do_runs(database)
    return find_run(database, run.id)
