"""The reconciler: the only sender of messages. It frees jobs whose worker is gone and sends what is pending whenever
the queue has run dry, so it needs no memory of what it has sent, and a broker may lose everything."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kombu.exceptions import OperationalError
from kombu.transport.redis import Channel

from dealmill.pipeline.errors import BrokerError
from dealmill.pipeline.runs.planning import installed_engines
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.queue import leases
from dealmill.workers.app import QUEUE, TASK, app
from dealmill.workers.kinds import KINDS
from dealmill.workers.messages import BROKER_ERRORS

WINDOW = 10_000
"""Messages sent at once: minutes of work for fast engines, a few megabytes of the broker's memory."""

CLOGGED = 10 * WINDOW
"""Waiting messages of which most must be in vain, whoever sent them; workers would have to look at each."""

URL_ERRORS = (ImportError, KeyError, TypeError, ValueError)
"""What is raised over a URL that cannot be read, or that is one of a broker for which no client is installed."""

NO_URL = (
    "DEALMILL_BROKER_URL is no URL of a broker; write redis://HOST:6379/0 or redis://:PASSWORD@HOST:6379/0, with signs "
    "of the password such as / as %2F"
)


def check_broker(url: str) -> None:
    """See that the broker at a URL answers, and that others do not use the keys of the queue.

    Raises
    ------
    BrokerError
    """
    if "://" not in url:
        raise BrokerError(NO_URL)
    try:
        with app.connection_for_write(url, connect_timeout=5) as connection:
            connection.ensure_connection(max_retries=1, interval_start=0.2)
            with connection.channel() as channel:
                _check_keys(channel)
    except OperationalError as error:
        raise BrokerError(
            f"the broker {connection.as_uri()} does not answer: {error}; is it running, and is DEALMILL_BROKER_URL "
            "right?"
        ) from error
    except URL_ERRORS:  # which may speak of parts of a password
        raise BrokerError(NO_URL) from None


def reconcile(store: Database, broker_url: str) -> None:
    """Free expired jobs; send the pending ones to a broker if no message is waiting there. A clogged queue is emptied
    first, for nothing is known from messages alone.

    Raises
    ------
    BrokerError
        If the broker does not answer just now, or others use its keys.
    """
    for kind in KINDS.values():
        leases.free_expired(store, kind.TABLE)
    with _channel(broker_url) as channel:
        _check_keys(channel)
        waiting = channel.queue_declare(QUEUE, passive=False, durable=True).message_count
        if waiting > CLOGGED:
            channel.queue_purge(QUEUE)
        elif waiting:
            return
        with app.amqp.Producer(channel) as producer:
            for name, kind in KINDS.items():
                for number in leases.pending(store, kind.TABLE, installed_engines(), WINDOW):
                    app.send_task(TASK, (name, number), producer=producer)


def _check_keys(channel: Any) -> None:
    """See that nothing of others stands where the queue belongs: every command on it would fail.

    Raises
    ------
    BrokerError
    """
    if not isinstance(channel, Channel):
        return
    types = {
        QUEUE: "list",
        channel.keyprefix_queue % QUEUE: "set",
        channel.keyprefix_binding_permanent % QUEUE: "set",
        channel.keyprefix_binding_deadlines: "zset",
        channel.unacked_key: "hash",
        channel.unacked_index_key: "zset",
    }
    with channel.conn_or_acquire() as client, client.pipeline() as pipe:
        for key in types:
            pipe.type(key)
        found = [kind.decode() for kind in pipe.execute()]
    for (key, wanted), kind in zip(types.items(), found, strict=True):
        if kind not in {wanted, "none"}:
            raise BrokerError(
                f"the broker has a {kind} under the key {key}, where the queue needs a {wanted}: delete it, or give "
                "DEALMILL_BROKER_URL another database"
            )


@contextmanager
def _channel(url: str) -> Iterator[Any]:
    """A connection to a broker. The app's own URL is not used, for a process may work with several at once."""
    try:
        with app.connection_for_write(url) as connection, connection.channel() as channel:
            yield channel
    except BROKER_ERRORS as error:
        raise BrokerError(f"the broker does not answer just now: {error}") from error


def unfinished(store: Database) -> int:
    """How many jobs there are that the workers here can do."""
    return sum(leases.unfinished(store, kind.TABLE, installed_engines()) for kind in KINDS.values())


def unworkable(store: Database) -> list[tuple[str, str, bool, int]]:
    """The pending jobs that the workers here cannot do; see `leases.unworkable`."""
    return [found for kind in KINDS.values() for found in leases.unworkable(store, kind.TABLE, installed_engines())]
