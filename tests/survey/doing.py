"""Making surveys, and what goes wrong with them."""

from collections.abc import Sequence

from sqlalchemy import text

from dealmill.pipeline import solve as room
from dealmill.pipeline.arguments import MOST
from dealmill.pipeline.deals import DealRange
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Solved, Texts, unpack
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning import installed_engines
from dealmill.pipeline.store.runs import leases
from dealmill.pipeline.store.runs.jobs import SOLVING, grow
from dealmill.pipeline.store.runs.status import RunStatus, find_run
from dealmill.pipeline.survey.growth import open_survey
from tests.doing import do_runs

PAIRING = "card-pairing/winnable"
MEMORY = "memory/incremental"


def endless(engine: str, **parameters: int) -> DealRange:
    game, _ = find_engine(engine)
    return DealRange(game, 7, 1, MOST, parameters)


def a_survey(
    store: Database, engine: str, deals: int, *, max_nodes: int | None = None, chunk: int = 1_000, **parameters: int
) -> RunStatus:
    """A survey of so many deals."""
    run = open_survey(store, endless(engine, **parameters), engine, max_nodes)
    grow(store, run.id, deals, chunk)
    do_runs(store)
    return find_run(store, run.id)


def pending(store: Database) -> list[int]:
    return leases.pending(store, SOLVING, installed_engines(), 1_000)


def alter(store: Database, statement: str, **values: object) -> None:
    """Change the database behind its back."""
    with store.writing() as connection:
        assert connection.execute(text(statement), values).rowcount > 0


class Brittle:
    """An engine that breaks down on some deals."""

    def __init__(self, engine: str, bad: Sequence[str]) -> None:
        self._solve = room.load(engine)
        self._bad = set(bad)

    def __call__(self, layouts: Texts, max_nodes: int | None = None) -> Solved:
        if self._bad & set(unpack(layouts)):
            raise ValueError('it says "no\\way" to \x7f')
        return self._solve(layouts, max_nodes)
