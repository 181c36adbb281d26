"""Run a Celery worker: ``python -m dealmill.workers PROCESSES QUEUE [engines]``.

With ``engines``, what all engines need is loaded once in the parent, rather than in each child process.
Celery's own command line takes half a second longer to start (docs/decisions/0016-reading-is-the-bottleneck.md).
"""

import gc
import sys

COLLECTION_THRESHOLD = 200_000
"""The number of object allocations between two garbage collections: more than modules allocate, so that
none happens while they are loaded."""

if __name__ == "__main__":
    gc.set_threshold(COLLECTION_THRESHOLD)
    from dealmill.workers.parent import main

    sys.exit(main(int(sys.argv[1]), sys.argv[2], engines="engines" in sys.argv[3:]))
