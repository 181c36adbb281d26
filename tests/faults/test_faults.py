"""All faults in a row, with real processes and servers: no result is lost or duplicated."""

from collections.abc import Callable

import pytest

from tests.faults.catalogue import FAULTS
from tests.faults.trial import as_table, endure
from tests.servers import running_postgres

SEED = 5


@pytest.mark.long
@pytest.mark.timeout(900)  # one after the other, each with time to recover; one of them waits for ten leases
def test_no_fault_loses_or_duplicates_a_result(record_property: Callable[[str, object], None]) -> None:
    with running_postgres() as postgres:  # a separate server, because it is killed
        endured = endure(postgres, list(FAULTS), SEED)
    record_property("table", as_table([endured]))
    assert (endured.lost, endured.doubled) == (0, 0)
    assert set(endured.injected) == set(FAULTS)
