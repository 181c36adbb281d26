"""Our transport to the broker: messages name their tasks, and none stays in hand for ever."""

import os
import signal
from pathlib import Path

import pytest
from redis import Redis

from dealmill.workers import tasks
from dealmill.workers.app import TASK, app
from dealmill.workers.broker import LocalBroker
from dealmill.workers.transport import patch_redis_transport

patch_redis_transport()


def test_messages_name_the_task_that_workers_register() -> None:
    ours = {name for name, task in app.tasks.items() if task.__module__ == tasks.__name__}
    assert ours == {TASK}


@pytest.mark.slow
def test_a_message_counts_as_acknowledged_even_if_the_broker_is_away(tmp_path: Path) -> None:
    with LocalBroker(tmp_path) as broker:
        server = Redis(unix_socket_path=str(tmp_path / "broker.sock")).info()["process_id"]
        with app.connection_for_write(broker.url, transport_options={"socket_timeout": 0.5}) as connection:
            channel = connection.channel()
            channel.basic_qos(0, 1, False)
            connection.SimpleQueue("q").put("done")
            message = channel.basic_get("q")
            assert not channel.qos.can_consume()
            os.kill(server, signal.SIGSTOP)
            with pytest.raises(connection.connection_errors):
                message.ack()
            assert channel.qos.can_consume()
            os.kill(server, signal.SIGCONT)


def test_a_broken_connection_can_be_closed(tmp_path: Path) -> None:
    with LocalBroker(tmp_path) as broker:
        connection = app.connection_for_read(broker.url)
        connection.SimpleQueue("q").put("in hand")
        assert connection.default_channel.basic_get("q")
        for channel in (connection.default_channel, connection.channel()):
            channel.basic_consume("q", False, print, "consumer")
            channel.connection.cycle._register_BRPOP(channel)  # waits for more
    connection.collect()  # what Celery does to a connection that broke, before it closes it
    connection.close()
    assert not connection.connected
