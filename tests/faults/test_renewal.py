"""Long jobs in real worker processes: each is done once, however short its lease, and only `cancel` ends it."""

import pytest
from sqlalchemy import text

from tests.faults.farm import UP_SECONDS, Farm
from tests.forks.slow import JOB_SECONDS

LEASES = 10


def attempts(farm: Farm) -> set[int]:
    """Return how often jobs were claimed."""
    with farm.store.reading() as connection:
        return set(connection.execute(text("SELECT attempt FROM jobs")).scalars())


@pytest.mark.long
@pytest.mark.parametrize("run", [1, 2], ids=["rows", "compact"])
def test_a_job_of_ten_leases_is_done_once(farm: Farm, run: int) -> None:
    farm.plan()
    assert farm.command("cancel", str(3 - run)).returncode == 0
    lease = 0.4
    settings = {JOB_SECONDS: str(LEASES * lease), "DEALMILL_LEASE_SECONDS": str(lease)}
    working = farm.start("work", env=settings)
    farm.until_solved(6)
    working.terminate()
    assert working.wait(UP_SECONDS) == 0, farm.output
    assert attempts(farm) == {0, 1}
    assert "taken over" not in farm.output


def test_a_cancelled_run_ends_its_jobs_at_once(farm: Farm) -> None:
    working = farm.start("work", env={JOB_SECONDS: "3600"})
    farm.until(lambda: attempts(farm) == {0, 1})
    assert farm.command("cancel", "1").returncode == 0
    farm.until(lambda: attempts(farm) == {0})
    working.terminate()
    assert working.wait(UP_SECONDS) == 0, farm.output
    assert "was ended, because its run was cancelled" in farm.output
    assert farm.command("resume", "1").returncode == 0
    assert farm.command("work", "--drain").returncode == 0
    farm.check()
