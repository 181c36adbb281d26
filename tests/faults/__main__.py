"""Have runs suffer each fault for so many seconds: ``python -m tests.faults 300 "worker killed"``. Prints a table."""

import sys
import time

from tests.faults.catalogue import FAULTS
from tests.faults.trial import Endured, as_table, endure
from tests.servers import running_postgres

SECONDS = 60.0
TIMES = 10


def main(seconds: float, names: list[str]) -> None:
    """Try the faults of these names, or all, each ten times in a run, for as many runs as there is time for."""
    told: list[Endured] = []
    for name in names or FAULTS:
        until = time.monotonic() + seconds
        seed = 0
        while time.monotonic() < until:
            seed += 1
            with running_postgres() as postgres:
                told.append(endure(postgres, [name] * TIMES, seed))
            print(as_table(told[-1:]), flush=True)
    print(f"\n{as_table(told)}")


if __name__ == "__main__":
    given, *chosen = sys.argv[1:] or [str(SECONDS)]
    main(float(given), chosen)
