"""What the reconciler sends, and when."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import sleep
from traceback import format_exception
from typing import Any

import pytest
from redis import Redis

from dealmill.pipeline.errors import BrokerError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs import leases
from dealmill.workers.broker import LocalBroker
from dealmill.workers.children import kill
from dealmill.workers.reconciler import CLOGGED, Queue, check_broker, queue_of, reconcile
from tests.doing import a_source

ENGINE = "memory/two-pass"


@pytest.mark.slow
def test_an_overlong_queue_is_emptied_before_jobs_are_sent(database: Database, tmp_path: Path) -> None:
    insert_run(database, a_source(database, ENGINE, ["AABB", "ABAB", "ABBA"]), ENGINE, "1", None, chunk=1)
    with LocalBroker(tmp_path) as broker, Queue(broker.url, queue_of(database)) as sender:
        queue = Redis(unix_socket_path=str(tmp_path / "broker.sock"))
        reconcile(database, sender, Installation())
        assert queue.llen(sender.name) == 3
        reconcile(database, sender, Installation())
        assert queue.llen(sender.name) == 3
        queue.rpush(sender.name, *[b"stale"] * (CLOGGED - 3))
        reconcile(database, sender, Installation())
        assert queue.llen(sender.name) == CLOGGED
        queue.rpush(sender.name, b"stale")
        reconcile(database, sender, Installation())
        assert queue.llen(sender.name) == 3


@pytest.mark.slow
def test_the_queue_is_opened_again_after_the_broker_was_restarted(database: Database, tmp_path: Path) -> None:
    insert_run(database, a_source(database, ENGINE, ["AABB", "ABAB"]), ENGINE, "1", None, chunk=1)
    with LocalBroker(tmp_path) as broker, Queue(broker.url, queue_of(database)) as sender:
        reconcile(database, sender, Installation())
        kill(broker._process)
        with pytest.raises(BrokerError, match="the broker is not available"):
            reconcile(database, sender, Installation())
        broker.keep_up()
        reconcile(database, sender, Installation())
        kill(broker._process)
        broker.keep_up()
        reconcile(database, sender, Installation())  # the connection that broke meanwhile is no error
        assert Redis(unix_socket_path=str(tmp_path / "broker.sock")).llen(sender.name) == 2


@pytest.mark.slow
def test_the_queue_is_opened_again_if_its_connection_breaks_while_jobs_are_sent(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library would send the rest on a connection of its own, and leave a closed one behind."""
    insert_run(database, a_source(database, ENGINE, ["AABB", "ABAB"]), ENGINE, "1", None, chunk=1)
    pending, restarted, over = leases.pending, Event(), Event()
    with LocalBroker(tmp_path) as broker, Queue(broker.url, queue_of(database)) as sender:

        def restart() -> None:
            sleep(0.3)
            broker.keep_up()
            restarted.set()
            over.wait()  # the broker ends with the thread that started it

        def interrupted(*arguments: Any) -> Iterator[int]:
            for job in pending(*arguments):
                yield job
                if broker._process.poll() is None and not restarted.is_set():
                    kill(broker._process)
                    Thread(target=restart, daemon=True).start()

        with monkeypatch.context() as patch:
            patch.setattr(leases, "pending", interrupted)
            with suppress(BrokerError):
                reconcile(database, sender, Installation())
        assert restarted.wait(10)
        reconcile(database, sender, Installation())
        over.set()


@pytest.mark.parametrize(
    "url",
    [
        "redis",
        ":secret@127.0.0.1:1/0",
        "redis:/:secret@127.0.0.1:1/0",
        "foo://:secret@127.0.0.1",
        "mongodb://:secret@127.0.0.1",
        "redis://127.0.0.1:secret/0",
        "redis://127.0.0.1:1/secret",
        "redis://:secret/x@127.0.0.1:1/0",
        "redis://:secret#x@127.0.0.1:1/0",
        "redis://[secret/0",
        "redis://:secret@127.0.0.1:99999/0",
        "redis://127.0.0.1:1/0?password=secret",
        "redis://127.0.0.1:1/0?what=secret",
    ],
)
def test_an_invalid_broker_url_is_reported_without_its_password(url: str) -> None:
    with pytest.raises(BrokerError, match="DEALMILL_BROKER_URL is not a valid broker URL") as told:
        check_broker(url)
    assert "secret" not in "".join(format_exception(told.value))
