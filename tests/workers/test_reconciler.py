"""What the reconciler sends, and when."""

from pathlib import Path

import pytest
from redis import Redis

from pipeline.games.contract import NO_LIMIT
from pipeline.store.database import Store
from pipeline.store.runs import plan_run
from tests.doing import a_source
from workers.app import QUEUE, app
from workers.broker import LocalBroker
from workers.reconciler import CLOGGED, reconcile

ENGINE = "memory/two-pass"


def test_a_queue_that_is_clogged_is_emptied_before_jobs_are_sent(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_run(store, a_source(store, ENGINE, ["AABB", "ABAB", "ABBA"]), ENGINE, "1", NO_LIMIT, chunk=1)
    with LocalBroker(tmp_path) as broker:
        monkeypatch.setattr(app.conf, "broker_url", broker.url)
        queue = Redis(unix_socket_path=str(tmp_path / "broker.sock"))
        reconcile(store)
        assert queue.llen(QUEUE) == 3
        reconcile(store)
        assert queue.llen(QUEUE) == 3
        queue.rpush(QUEUE, *[b"stale"] * (CLOGGED - 3))
        reconcile(store)
        assert queue.llen(QUEUE) == CLOGGED
        queue.rpush(QUEUE, b"stale")
        reconcile(store)
        assert queue.llen(QUEUE) == 3
