"""``python -m bench.scale``: how much one PostgreSQL and one Valkey carry: the tables that docs/scale.md goes by."""

import sys

from bench.fleet import ENGINE, sleeping
from bench.fleet_broker import messages
from bench.fleet_knee import knee
from bench.scale_partitions import partitions
from bench.scale_queue import asked
from bench.scale_rows import growth
from bench.scale_servers import large_postgres
from dealmill.pipeline.solving.loading import load

PARTS = {
    "Workers whose jobs sleep": sleeping,
    "The same statements from a quick client": knee,
    "Messages": messages,
    "A million jobs": asked,
    "Rows": growth,
    "Partitions": partitions,
}


def main() -> None:
    """Measure, and print."""
    load(ENGINE)
    for title, measured in PARTS.items():
        with large_postgres() as server:
            sys.stdout.write(f"## {title}\n\n{measured(server)}\n\n")
            sys.stdout.flush()


main()
