"""Inject each fault into runs for a number of seconds and print a table: ``python -m tests.faults 300 "worker
killed"``."""

import sys
import time
import traceback

from tests.faults.catalogue import FAULTS
from tests.faults.trial import Endured, as_table, endure
from tests.servers import running_postgres

SECONDS = 60.0
TIMES = 10


def main(seconds: float, names: list[str]) -> int:
    """Inject the faults with the given names, or all, ten times per run, for as many runs as the time allows. Return
    the number of failed runs."""
    told: list[Endured] = []
    failures: list[str] = []
    for name in names or FAULTS:
        until = time.monotonic() + seconds
        seed = 0
        while time.monotonic() < until:
            seed += 1
            try:
                with running_postgres() as postgres:
                    told.append(endure(postgres, [name] * TIMES, seed))
            except Exception:  # noqa: BLE001 -- go on with the other runs
                failures.append(f"{name}, seed {seed}:\n{traceback.format_exc()}")
                print(f"{name}, seed {seed}: FAILED", flush=True)
            else:
                print(as_table(told[-1:]), flush=True)
    print(*failures, sep="\n\n")
    print(f"\n{as_table(told)}\n{len(failures)} of {len(told) + len(failures)} runs failed")
    return len(failures)


if __name__ == "__main__":
    given, *chosen = sys.argv[1:] or [str(SECONDS)]
    sys.exit(main(float(given), chosen) > 0)
