"""``python -m dealmill.workers PROCESSES``: a Celery worker.

Celery's own command line takes half a second longer to load (docs/decisions/0016-reading-is-the-bottleneck.md).
"""

import sys

# Imported here and not by Celery's `include`, which would look for everything in the working directory first.
from dealmill.workers import logs, metrics, tasks  # noqa: F401
from dealmill.workers.app import app


def main(processes: int) -> int:
    """Work until told to stop; returns the exit code."""
    worker = app.Worker(
        pool="prefork",
        concurrency=processes,
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
