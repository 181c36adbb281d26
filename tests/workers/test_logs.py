"""What workers log: JSON lines that name run and job, and no tracebacks of Celery's own."""

import io
import json
import logging
import re
import select
import subprocess
import sys
from pathlib import Path
from threading import Event
from typing import IO

import billiard
import pytest
from celery.signals import after_setup_logger

from dealmill.pipeline.games.deals import parse_deal_range
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.system import log_lines
from dealmill.pipeline.system.log_lines import in_log_format
from dealmill.workers import farm, logs, parent
from dealmill.workers.children import kill, start
from dealmill.workers.farm import Farm
from tests.servers import dealmill

ROOT = Path(__file__).parent.parent.parent
SABOTAGE = Path(__file__).parent / "sabotage"
SOURCE = "deal:memory:seed=9:1-50"


def test_json_lines_name_run_and_job(tmp_path: Path) -> None:
    bad = list(parse_deal_range(SOURCE))[6].text
    env = {
        "PYTHONPATH": f"{SABOTAGE}:{ROOT}",
        "DEADLY_LAYOUTS": f"{bad}=0",
        "DEALMILL_WORKERS": "1",
        "DEALMILL_LOG_FORMAT": "json",
    }
    ran = dealmill("run", SOURCE, "--json", cwd=tmp_path, env=env)
    assert (ran.returncode, json.loads(ran.stdout)[0]["failed"]) == (0, 1), ran.stderr
    logged = [json.loads(line) for line in ran.stderr.splitlines()]  # also what the command says
    [failed] = [line for line in logged if "failed on" in line["event"]]
    assert failed["event"].startswith("memory/two-pass failed on ")
    assert (failed["level"], failed["logger"], failed["run"], failed["job"]) == (
        "error",
        "dealmill.pipeline.solving.solve",
        1,
        1,
    )
    assert "ValueError" in failed["exception"]
    assert failed["timestamp"].endswith("Z") and failed["process"] > 0


def test_the_last_lines_of_workers_are_reported_however_late_they_are_read(
    sqlite_store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that reads them gets no processor time before the workers are killed."""
    listen, killed = Farm._listen, Event()

    def start_talking(*_command: object, **_more: object) -> subprocess.Popen[str]:
        return start(("sh", "-c", "echo said at last; exec sleep 300"))

    def listen_late(self: Farm, output: IO[str]) -> None:
        killed.wait(60)
        listen(self, output)

    def kill_and_tell(process: subprocess.Popen[str]) -> None:
        kill(process)
        killed.set()

    monkeypatch.setattr(farm, "start", start_talking)
    monkeypatch.setattr(farm, "kill", kill_and_tell)
    monkeypatch.setattr(Farm, "_listen", listen_late)
    told: list[str] = []
    with Farm(sqlite_store, told.append, engines=False) as running:
        output = running._worker.stdout
        assert output and select.select([output], [], [], 60)[0]
    assert told == ["said at last"]


def test_what_the_command_says_of_its_workers_is_in_the_same_form(monkeypatch: pytest.MonkeyPatch) -> None:
    from dealmill.pipeline.system.settings import Settings

    assert re.fullmatch(r"\d+-\d\d-\d\d \d\d:\d\d:\d\d the broker is away", logs.line_of("the broker is away"))
    assert in_log_format("a warning of the interpreter") == "a warning of the interpreter"
    for module in (logs, log_lines):
        monkeypatch.setattr(module, "settings", lambda: Settings(log_format="json"))
    told = json.loads(logs.line_of("the broker is away"))
    assert (told["event"], told["level"]) == ("the broker is away", "warning")
    assert json.loads(in_log_format("Traceback (most recent call last):"))["event"].startswith("Traceback")
    assert in_log_format(json.dumps(told)) == json.dumps(told)


@pytest.mark.parametrize(
    ("logger", "error", "traced"),
    [
        ("celery.bootsteps", ConnectionError("gone"), False),
        ("kombu.transport.redis", TimeoutError("silent"), False),
        ("celery.worker.consumer.consumer", KeyError("unknown task"), False),
        ("celery.worker.worker", KeyError("a mistake"), True),
        ("celery.worker.components", TypeError("a mistake in what a timer calls"), True),
        ("celery.app.trace", ConnectionError("met by a task"), True),
        ("dealmill.workers", ConnectionError("met by us"), True),
    ],
)
def test_tracebacks_about_the_broker_are_left_out(logger: str, error: Exception, traced: bool) -> None:
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    root = logging.Logger("root")
    root.addHandler(handler)
    logs.connect_logs()
    after_setup_logger.send(sender=None, logger=root)
    try:
        raise error
    except type(error):
        handler.handle(logging.LogRecord(logger, logging.ERROR, "", 0, "the broker is away", None, sys.exc_info()))
    assert "the broker is away" in written.getvalue()
    assert ("Traceback" in written.getvalue()) == traced


def test_workers_that_cannot_create_semaphores_say_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(billiard, "Lock", refuse)
    assert parent.main(1, "dealmill-1", engines=False) == 1
    assert capsys.readouterr().err == (
        "worker processes need semaphores, which cannot be created (Read-only file system); mount a writable file "
        "system at /dev/shm\n"
    )
