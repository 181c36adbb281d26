"""Exports of every engine with their checkers, made once."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.outputs.checker.build import READERS
from dealmill.pipeline.outputs.checker.writing import export_with_checker
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.urls import database_url
from tests.checker.loaded import ENGINES
from tests.conftest import with_tables
from tests.doing import a_run

LAYOUTS = 30
MAX_NODES = 60
"""Leaves a few deals of card pairing undecided."""


@pytest.fixture(scope="session")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with an export ``GAME-ENGINE.SUFFIX`` of each engine in each format, and ``GAME.txt``, its source."""
    folder = tmp_path_factory.mktemp("exports")
    database = with_tables(Database(database_url(f"sqlite:///{folder / 'store.db'}")))
    for engine in ENGINES:
        game, _, name = engine.partition("/")
        with (games()[game].examples / f"{game}-deals.txt").open() as deals:
            layouts = [line.strip() for line in islice(deals, LAYOUTS)]
        run = a_run(database, engine, layouts, max_nodes=MAX_NODES, name=f"{game}.txt")
        for suffix in READERS:
            export_with_checker(database, run, folder / f"{game}-{name}{suffix}")
    yield folder
    database.close()
