"""``python -m dealmill.workers PROCESSES [engines]``: a Celery worker. With `engines`, what all engines need is loaded
once, and not in each of its processes.

Celery's own command line takes half a second longer to load (docs/decisions/0016-reading-is-the-bottleneck.md).
"""

import gc
import sys

COLLECTION_THRESHOLD = 10_000
"""Objects allocated between two garbage collections. With Python's default of 700, collections take a sixth of the
time that imports take."""

if __name__ == "__main__":
    gc.set_threshold(COLLECTION_THRESHOLD)
    from dealmill.workers.process import main

    sys.exit(main(int(sys.argv[1]), engines="engines" in sys.argv[2:]))
