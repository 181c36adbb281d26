"""Long jobs in real worker processes: each is done once, however short its lease, and only `cancel` ends it."""

import pytest
from sqlalchemy import text

from tests.faults.place import UP_SECONDS, Place
from tests.forks.slow import JOB_SECONDS

LEASES = 10


def attempts(place: Place) -> set[int]:
    """Return how often jobs were claimed."""
    with place.store.reading() as connection:
        return set(connection.execute(text("SELECT attempt FROM jobs")).scalars())


@pytest.mark.long
@pytest.mark.parametrize("run", [1, 2], ids=["rows", "packed"])
def test_a_job_of_ten_leases_is_done_once(place: Place, run: int) -> None:
    place.plan()
    assert place.command("cancel", str(3 - run)).returncode == 0
    lease = 0.4
    settings = {JOB_SECONDS: str(LEASES * lease), "DEALMILL_LEASE_SECONDS": str(lease)}
    working = place.start("work", env=settings)
    place.until_solved(6)
    working.terminate()
    assert working.wait(UP_SECONDS) == 0, place.output
    assert attempts(place) == {0, 1}
    assert "taken over" not in place.output


def test_a_cancelled_run_ends_its_jobs_at_once(place: Place) -> None:
    working = place.start("work", env={JOB_SECONDS: "3600"})
    place.until(lambda: attempts(place) == {0, 1})
    assert place.command("cancel", "1").returncode == 0
    place.until(lambda: attempts(place) == {0})
    working.terminate()
    assert working.wait(UP_SECONDS) == 0, place.output
    assert "was ended, because its run was cancelled" in place.output
    assert place.command("resume", "1").returncode == 0
    assert place.command("work", "--drain").returncode == 0
    place.check()
