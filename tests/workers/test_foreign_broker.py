"""A broker into which others write: messages that are not ours are dropped with one line each, and the work goes on."""

import re
from collections.abc import Iterator
from pathlib import Path
from socket import gethostname
from tempfile import TemporaryDirectory

import pytest
from redis import Redis

from dealmill.pipeline.store.database.revisions import open_store
from dealmill.workers.app import TASK, app
from dealmill.workers.broker import LocalBroker
from dealmill.workers.reconciler import queue_of
from tests.servers import dealmill

JSON: dict[str, object] = {"content_type": "application/json", "content_encoding": "utf-8"}
PICKLE: dict[str, object] = {"content_type": "application/x-python-serialize", "content_encoding": "utf-8"}
OURS = {"task": TASK, "id": "1", "lang": "py"}
MESSAGES: list[tuple[object, dict[str, object]]] = [
    ("not JSON {", JSON),
    ("pickled", PICKLE),
    ({"a": 1}, {}),
    ([1], {"headers": OURS}),
    ([1], {"headers": OURS | {"task": ["unhashable"]}}),
    ([1], {"headers": OURS | {"task": "unknown"}}),
    ([[1], {}, {}], {"headers": OURS | {"eta": "never"}}),
    ("not JSON {", {"headers": OURS, **JSON}),
    ("pickled", {"headers": OURS, **PICKLE}),
]
RAW = [
    b"text",
    b"1",
    b"[]",
    b"{}",
    b"\xff",
    b'{"properties": {}}',
    b'{"body": "!", "properties": {"delivery_tag": "1", "delivery_info": {}, "body_encoding": "base64"}}',
]


@pytest.fixture
def server() -> Iterator[tuple[str, Redis]]:
    """A broker, and a connection past Celery."""
    with TemporaryDirectory() as folder, LocalBroker(Path(folder)) as broker:
        yield broker.url, Redis(unix_socket_path=f"{folder}/broker.sock")


@pytest.fixture
def queue(tmp_path: Path) -> str:
    """The queue of a new store in the working directory."""
    assert dealmill("db", "upgrade", cwd=tmp_path).returncode == 0
    return queue_of(open_store(f"sqlite:///{tmp_path}/dealmill.db"))


def run(url: str, folder: Path) -> list[str]:
    """Run with this broker; what the workers said."""
    env = {"DEALMILL_BROKER_URL": url, "DEALMILL_WORKERS": "1"}
    ran = dealmill("run", "deal:memory:seed=1:1-9", cwd=folder, env=env)
    assert ran.returncode == 0, ran.stderr
    ours = ("source 1: ", "all verdicts:", "step by step:")
    return [line for line in ran.stderr.splitlines() if not line.startswith(ours)]


def test_messages_of_other_programs_are_dropped_with_a_line_in_the_log(
    server: tuple[str, Redis], queue: str, tmp_path: Path
) -> None:
    url, broker = server
    with app.connection_for_write(url) as connection:
        app.send_task("somebody.else", (1, 2), connection=connection, queue=queue)
        app.send_task(TASK, (1, 2, 3), connection=connection, queue=queue)
        producer = connection.Producer()
        for body, options in MESSAGES:
            producer.publish(body, routing_key=queue, **options)
    broker.lpush(queue, *RAW)
    told = run(url, tmp_path)
    assert len(told) == 2 + len(MESSAGES) + len(RAW), told
    assert all(re.match(rf"\d+-\d\d-\d\d \d\d:\d\d:\d\d {gethostname()}:\d+: ", line) for line in told)
    assert broker.llen(queue) == broker.hlen("unacked") == 0


@pytest.mark.parametrize("name", ["{}", "_kombu.binding.{}", "_kombu.binding_deadlines", "unacked"])
def test_a_key_of_another_program_is_reported_and_not_changed(
    server: tuple[str, Redis], queue: str, tmp_path: Path, name: str
) -> None:
    url, broker = server
    key = name.format(queue)
    broker.set(key, "x")
    ran = dealmill("run", "deal:memory:seed=1:1-9", cwd=tmp_path, env={"DEALMILL_BROKER_URL": url})
    assert (ran.returncode, broker.get(key)) == (1, b"x")
    assert f"dealmill: the broker has a string at the key {key}, but the queue needs a " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_workers_do_not_read_the_messages_of_another_store(server: tuple[str, Redis], tmp_path: Path) -> None:
    url, broker = server
    folders = [tmp_path / name for name in ("one", "other")]
    queues = []
    for folder in folders:
        folder.mkdir()
        assert dealmill("queue", "deal:memory:seed=1:1-9", cwd=folder).returncode == 0
        queues.append(queue_of(open_store(f"sqlite:///{folder}/dealmill.db")))
    with app.connection_for_write(url) as connection:
        app.send_task("somebody.else", (1, 2), connection=connection, queue=queues[1])
    env = {"DEALMILL_BROKER_URL": url, "DEALMILL_WORKERS": "1"}
    drained = dealmill("work", "--drain", cwd=folders[0], env=env)
    assert (drained.returncode, drained.stderr, broker.llen(queues[1])) == (0, "", 1)
    drained = dealmill("work", "--drain", cwd=folders[1], env=env)
    assert drained.returncode == 0 and "somebody.else" in drained.stderr
    assert broker.llen(queues[0]) == broker.llen(queues[1]) == broker.hlen("unacked") == 0


def test_a_copy_and_a_backup_are_other_stores(tmp_path: Path, queue: str) -> None:
    for words, file in ((("copy", f"sqlite:///{tmp_path}/copy.db"), "copy"), (("backup", "backup.db"), "backup")):
        assert dealmill("db", *words, cwd=tmp_path).returncode == 0
        assert queue_of(open_store(f"sqlite:///{tmp_path}/{file}.db")) != queue
