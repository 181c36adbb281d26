"""The reconciler: the only sender of messages. It frees jobs whose lease has expired, and sends pending jobs
whenever the queue is empty. So it need not remember what it has sent, and the broker may lose all messages."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

from kombu.connection import Connection
from kombu.exceptions import OperationalError
from kombu.transport.redis import Channel
from redis import AuthenticationError

from dealmill.pipeline.errors import BrokerError
from dealmill.pipeline.progress.waiting import waiting_for
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import identity_of
from dealmill.pipeline.store.job_kinds import KINDS, ParentsByKind
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.runs import leases
from dealmill.workers.app import TASK, app
from dealmill.workers.transport import BROKER_ERRORS

WINDOW = 10_000
"""The most messages sent at once: minutes of work for fast engines, and a few megabytes of the broker's memory."""

CLOGGED = 10 * WINDOW
"""The number of waiting messages above which most must be useless, so the queue is purged to spare the workers."""

URL_ERRORS = (ImportError, KeyError, TypeError, ValueError)
"""The exceptions for a URL that cannot be parsed, or that needs a client which is not installed."""

NO_URL = (
    "DEALMILL_BROKER_URL is not a valid broker URL; write redis://HOST:6379/0 or redis://:PASSWORD@HOST:6379/0, and "
    "percent-encode special characters of the password, such as / as %2F"
)


REFUSED = (
    "the broker refuses this user or password; correct DEALMILL_BROKER_URL, and start the command again: it is read "
    "only at the start"
)


def _unavailable(broker: str, error: Exception) -> BrokerError:
    """Return an error that says why a broker is not available, and what to do."""
    causes: list[BaseException | None] = [error, error.__cause__, error.__context__]
    refused = any(isinstance(cause, AuthenticationError) for cause in causes)
    hint = REFUSED if refused else "is it running, and is DEALMILL_BROKER_URL right?"
    return BrokerError(f"{broker} is not available: {error}; {hint}")


def queue_of(database: Database) -> str:
    """Return the name of the queue of a store: workers of other stores that share the broker do not read it."""
    return f"dealmill-{identity_of(database)}"


def check_broker(url: str, queue: str | None = None) -> None:
    """Check that the broker at a URL is available, and that no other program uses the keys of a `queue`, if it is
    known.

    Raises
    ------
    BrokerError
        If that is not so, or the URL is not valid.
    """
    if "://" not in url:
        raise BrokerError(NO_URL)
    try:
        connection = app.connection_for_write(url, connect_timeout=5)
        with connection, waiting_for(f"the broker {connection.as_uri()}"):
            connection.ensure_connection(max_retries=1, interval_start=0.2)
            with connection.channel() as channel:
                if queue is not None:
                    _check_keys(channel, queue)
    except OperationalError as error:
        raise _unavailable(f"the broker {connection.as_uri()}", error) from error
    except URL_ERRORS:  # its message may contain parts of a password
        raise BrokerError(NO_URL) from None


class Queue:
    """A queue of messages at a broker, by its URL: that of the app is not used, because a process may use several
    brokers. The connection stays open until it fails or is closed."""

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        self._url = url
        self._opened: tuple[Connection, Any] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    @contextmanager
    def channel(self) -> Iterator[Any]:
        """Yield a channel of a connection that works.

        Raises
        ------
        BrokerError
            If the broker is not available, or another program uses its keys.
        """
        try:
            yield self._open_channel()
        except BROKER_ERRORS as error:
            self._close()
            raise _unavailable("the broker", error) from error

    def _open_channel(self) -> Any:
        if self._opened is not None:
            connection, channel = self._opened
            try:
                _check_keys(channel, self.name)
            except BROKER_ERRORS:  # the broker may have been restarted since
                self._close()
            else:
                return channel
        connection = app.connection_for_write(self._url)
        self._opened = connection, connection.channel()
        _check_keys(self._opened[1], self.name)
        return self._opened[1]

    def _close(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            with suppress(*BROKER_ERRORS):
                opened[0].release()  # type: ignore[no-untyped-call]


def reconcile(database: Database, queue: Queue, installation: Installation, only: ParentsByKind | None = None) -> None:
    """Free jobs whose lease has expired, and send the pending jobs that an installation can do to a queue if no
    messages are waiting there: those of all runs and audits, or `only` of some, of whose kinds jobs are freed. A
    clogged queue is purged first; no information is lost, because all jobs are in the database."""
    kinds = {name: kind for name, kind in KINDS.items() if only is None or name in only}
    for kind in kinds.values():
        leases.free_expired(database, kind.jobs)
    with queue.channel() as channel:
        waiting = channel.queue_declare(queue.name, passive=False, durable=True).message_count
        if waiting > CLOGGED:
            channel.queue_purge(queue.name)
        elif waiting:
            return
        engines = installation.engines(database)
        with app.amqp.Producer(channel) as producer:
            for name, kind in kinds.items():
                parents = None if only is None else only[name]
                for job_id in leases.pending(database, kind.jobs, engines, WINDOW, parents):
                    named_only = {"named_only": only is not None}
                    # no retry by the library: it would go on with a channel of its own, and close the one that is kept
                    app.send_task(TASK, (name, job_id), named_only, producer=producer, queue=queue.name, retry=False)


def _check_keys(channel: Any, queue: str) -> None:
    """Check the types of the keys that a queue uses. With a key of another type, every command would fail.

    Raises
    ------
    BrokerError
        If another program uses one of the keys.
    """
    if not isinstance(channel, Channel):
        return
    types = {
        queue: "list",
        channel.keyprefix_queue % queue: "set",
        channel.keyprefix_binding_permanent % queue: "set",
        channel.keyprefix_binding_deadlines: "zset",
        channel.unacked_key: "hash",
        channel.unacked_index_key: "zset",
    }
    with channel.conn_or_acquire() as client, client.pipeline() as pipe:
        for key in types:
            pipe.type(key)
        kinds = [kind.decode() for kind in pipe.execute()]
    for (key, expected), kind in zip(types.items(), kinds, strict=True):
        if kind not in {expected, "none"}:
            raise BrokerError(
                f"the broker has a {kind} at the key {key}, but the queue needs a {expected}; delete the key, or set "
                "DEALMILL_BROKER_URL to another database"
            )
