"""A database that is away for longer than leases, while jobs are held: on SQLite, another program keeps its lock."""

import time

import pytest
from sqlalchemy import text

from tests.faults.farm import LEASE_SECONDS, UP_SECONDS, Farm


def take_away(farm: Farm, seconds: float) -> None:
    """Keep all workers from the jobs for a while."""
    with farm.store.writing() as connection:  # on SQLite, this locks the database
        if connection.dialect.name == "postgresql":
            connection.execute(text("LOCK TABLE jobs"))
        time.sleep(seconds)


@pytest.mark.long
def test_a_database_that_is_away_past_leases_loses_and_duplicates_nothing(farm: Farm) -> None:
    farm.plan()  # compact
    working = farm.start("work")
    for solved in (40, len(farm.layouts) + 40):  # in each of the two runs
        farm.until_solved(solved)
        take_away(farm, LEASE_SECONDS + 2)
        assert farm.until_more() < LEASE_SECONDS + 5
        assert working.poll() is None
    farm.until_solved(farm.planned)
    working.terminate()
    assert working.wait(UP_SECONDS) == 0, farm.output
    farm.check()
