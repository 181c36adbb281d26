"""``python -m dealmill.workers PROCESSES [engines]``: a Celery worker. With `engines`, what all engines need is loaded
once, and not in each of its processes.

Celery's own command line takes half a second longer to load (docs/decisions/0016-reading-is-the-bottleneck.md).
"""

import gc
import sys

LOADED_AT_ONCE = 10_000
"""Objects that are made before Python looks for garbage; while it loads code, a sixth of the time is for that."""

if __name__ == "__main__":
    gc.set_threshold(LOADED_AT_ONCE)
    from dealmill.workers.process import main

    sys.exit(main(int(sys.argv[1]), engines="engines" in sys.argv[2:]))
