"""The statements of a job, sent to PostgreSQL by pgbench, which takes so little of the processors that the server is what
ends the growth."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy import event
from sqlalchemy.engine import Engine

from bench.fleet import Sleeping, plan_jobs
from bench.measure import table
from bench.scale_servers import cpu_seconds, new_store
from dealmill.pipeline.fingerprint import BLOCK
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.record.packed.solving import solve
from dealmill.pipeline.store.runs.status import find_run
from dealmill.workers import tasks
from dealmill.workers.kinds import KINDS
from tests.servers import Postgres

CLIENTS = (1, 2, 8, 32, 128, 400)
JOBS = 8_000
JOB = 2
"""The number of the job whose statements are taken; that of its first item, and of the one behind its last, stand for
nothing else in them."""
HEAD = f"""\\set done :done + 1
\\set job :client_id * :each + :done
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
    each = JOBS // clients
    run = plan_jobs(store, JOBS + JOB)
    script = server.folder / "job.sql"
    script.write_text(HEAD + "".join(f"{statement};\n" for statement in _statements(store, run)))
    used = cpu_seconds(server.process.pid)
    said = _pgbench(server, store, script, clients, each)
    used = cpu_seconds(server.process.pid) - used
    if find_run(store, run).done < each * clients:
        raise RuntimeError(f"some jobs were not done: {said}")
    store.close()
    rate, latency = (re.findall(rf"{name} = ([\d.]+)", said)[0] for name in ("tps", "latency average"))
    return [str(clients), f"{float(rate):.0f}", latency, f"{used / (each * clients) * 1e3:.2f}"]


def _statements(store: Database, run: int) -> list[str]:
    """What is sent for a job, with variables in place of what differs from job to job. A row of blocks, which is
    copied, is inserted."""
    sent: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, parameters: Any, *_rest: object) -> None:
        sent.append(_written(statement, parameters))

    found = solve(store, find_run(store, run), 1, BLOCK + 1)
    hooks = {
        "before_cursor_execute": note,
        "begin": lambda _: sent.append("BEGIN"),
        "commit": lambda _: sent.append("COMMIT"),
    }
    with patch.dict(KINDS, solve=Sleeping(lambda: 0.0, found)), patch.object(tasks, "configured_store", lambda: store):
        for name, hook in hooks.items():
            event.listen(Engine, name, hook)
        tasks.do_job.run("solve", JOB)
        for name, hook in hooks.items():
            event.remove(Engine, name, hook)
    return [*sent[:-1], DIGEST, sent[-1]]


def _written(statement: str, parameters: Mapping[str, Any]) -> str:
    variables = {JOB: ":job", (JOB - 1) * BLOCK + 1: ":first", JOB * BLOCK + 1: ":stop"}

    def value(name: re.Match[str]) -> str:
        match parameters[name[1]]:
            case None:
                return "NULL"
            case bytes(data):
                return f"'\\x{data.hex()}'"
            case str(text):
                return f"'{text.replace(':', '.')}'"
            case number:
                return str(number)

    return " ".join(re.sub(r"%\((\w+)\)s", value, statement).split())


def _pgbench(server: Postgres, store: Database, script: Path, clients: int, each: int) -> str:
    command = [
        "pgbench",
        "--no-vacuum",
        "--protocol=prepared",
        f"--file={script}",
        f"--define=each={each}",
        "--define=done=0",
    ]
    options = [f"--client={clients}", f"--transactions={each}", "--host", server.folder, "--username=dealmill"]
    program, *words = [*command, *options, store.url.database or ""]
    return subprocess.run([server.programs / program, *words], check=True, capture_output=True, text=True).stdout
