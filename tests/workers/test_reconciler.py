"""What the reconciler sends, and when."""

from pathlib import Path
from traceback import format_exception

import pytest
from redis import Redis

from dealmill.pipeline.errors import BrokerError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.planning.run_planning import plan_run
from dealmill.workers.broker import LocalBroker
from dealmill.workers.children import kill
from dealmill.workers.reconciler import CLOGGED, Queue, check_broker, queue_of, reconcile
from tests.doing import a_source

ENGINE = "memory/two-pass"


@pytest.mark.slow
def test_an_overlong_queue_is_emptied_before_jobs_are_sent(database: Database, tmp_path: Path) -> None:
    plan_run(database, a_source(database, ENGINE, ["AABB", "ABAB", "ABBA"]), ENGINE, "1", None, chunk=1)
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
    plan_run(database, a_source(database, ENGINE, ["AABB", "ABAB"]), ENGINE, "1", None, chunk=1)
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
