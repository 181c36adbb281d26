"""Everything that can go wrong, in one night, with real processes and servers: nothing is lost, and nothing doubled."""

from collections.abc import Callable

from tests.faults.catalogue import FAULTS
from tests.faults.trial import as_table, endure
from tests.servers import running_postgres

SEED = 5


def test_runs_that_suffer_all_of_them(record_property: Callable[[str, object], None]) -> None:
    with running_postgres() as postgres:  # one of its own, for others would miss it
        endured = endure(postgres, list(FAULTS), SEED)
    record_property("table", as_table([endured]))
    assert (endured.lost, endured.doubled) == (0, 0)
    assert set(endured.injected) == set(FAULTS)
