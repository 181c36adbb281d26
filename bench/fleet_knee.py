"""The statements of a job, sent to PostgreSQL by pgbench, which leaves so much of the processors to the server that the
server is what ends the growth."""

import re
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from psycopg import Binary
from sqlalchemy import event
from sqlalchemy.engine import Engine

from bench.fleet import Sleeping, plan_jobs
from bench.measure import table
from bench.scale_servers import cpu_seconds, new_store
from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import open_store
from dealmill.pipeline.store.job_kinds import KINDS
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.pipeline.store.runs.planned import deals_of
from dealmill.pipeline.store.storages.compact_solving import solve_blocks
from dealmill.workers import tasks
from tests.servers import Postgres

CLIENTS = (1, 2, 8, 32, 128, 400)
LEAST, COUNT = 100, 8_000
"""Jobs: of each client at least, since a connection is slow until it has plans; of all."""
JOB = 777
"""The number of the job whose statements are taken. Neither this number nor those of its first item and of the one
behind its last are anything else in them."""
VARIABLES = {JOB: ":job", (JOB - 1) * BLOCK + 1: ":first", JOB * BLOCK + 1: ":stop"}
HEAD = f"""\\set done :done + 1
\\set job {JOB} + :client_id * :each + :done
\\set first (:job - 1) * {BLOCK} + 1
\\set stop :job * {BLOCK} + 1
\\set block :job - 1
"""
DIGEST = "INSERT INTO blocks (run_id, number, digest) VALUES (1, :block, decode(repeat('ab', 32), 'hex'))"


def knee(server: Postgres) -> str:
    """A row for each number of clients, which do one job after the other."""
    rows = [_row(server, clients) for clients in CLIENTS]
    return table(["clients", "jobs/s", "ms a job takes", "PostgreSQL, CPU ms/job"], rows)


def _row(server: Postgres, clients: int) -> list[str]:
    store = new_store(server)
    each = max(COUNT // clients, LEAST)
    run = plan_jobs(store, JOB + each * clients)
    script = server.folder / "job.sql"
    script.write_text(HEAD + "".join(f"{statement};\n" for statement in _statements(store, run)))
    used = cpu_seconds(server.process.pid)
    said = _pgbench(server, store, script, clients, each)
    time.sleep(0.5)  # until its connections have ended
    used = cpu_seconds(server.process.pid) - used
    if find_run(store, run).done < each * clients:
        raise RuntimeError(f"some jobs were not done: {said}")
    store.close()
    rate, latency = (re.findall(rf"{name} = ([\d.]+)", said)[0] for name in ("tps", "latency average"))
    return [str(clients), f"{float(rate):.0f}", latency, f"{used / (each * clients) * 1e3:.2f}"]


def _statements(database: Database, run: int) -> list[str]:
    """What is sent for a job, with variables in place of what differs from job to job. A row of blocks, which is
    copied, is inserted."""
    sent: list[str] = []
    url = database.url.render_as_string(hide_password=False)

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_rest: object) -> None:
        sent.append(_written(statement, parameters))

    planned = find_run(database, run)
    solution = solve_blocks(deals_of(planned), planned, 1, BLOCK + 1, {})
    opened = patch.object(tasks, "configured_database", lambda: open_store(url))
    hooks: dict[str, Callable[..., object]] = {
        "before_cursor_execute": note,
        "begin": lambda _: sent.append("BEGIN"),
        "commit": lambda _: sent.append("COMMIT"),
    }
    with patch.dict(KINDS, solve=Sleeping(lambda: 0.0, solution)), opened:
        for name, hook in hooks.items():
            event.listen(Engine, name, hook)
        tasks.do_job.run("solve", JOB)
        for name, hook in hooks.items():
            event.remove(Engine, name, hook)
    return [*sent[:-1], DIGEST, sent[-1]]


def _written(statement: str, parameters: Mapping[str, Any]) -> str:
    def value(name: re.Match[str]) -> str:
        match parameters[name[1]]:
            case None:
                return "NULL"
            case Binary() as data:
                return f"'\\x{bytes(data.obj).hex()}'"
            case str(text):
                return f"'{text.replace(':', '.')}'"
            case float(number):
                return str(number)
            case number:
                return VARIABLES.get(number, str(int(number)))

    return " ".join(re.sub(r"%\((\w+)\)s", value, statement).split())


def _pgbench(server: Postgres, database: Database, script: Path, clients: int, each: int) -> str:
    command = [
        str(server.programs / "pgbench"),
        "--no-vacuum",
        "--protocol=prepared",
        f"--file={script}",
        f"--define=each={each}",
        "--define=done=0",
    ]
    options = [f"--client={clients}", f"--transactions={each}", f"--host={server.folder}", "--username=dealmill"]
    words = [*command, *options, str(database.url.database)]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
