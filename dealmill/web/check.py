"""Solve a pasted layout in a process of its own, which ends if it takes too much time or memory."""

import resource
import signal
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from threading import BoundedSemaphore, Lock
from typing import Any

import dealmill
from dealmill.pipeline.deals import is_deal_range, parse_deal

MOST_SECONDS = 10
"""The longest time for one layout; compiling an engine for the first time takes part of it."""
WARM_SECONDS = 60
"""The longest time for loading an engine, which may have to be compiled."""
MOST_BYTES = 4 * 2**30
"""The largest address space of the process."""
MOST_WAIT = 15
"""How long a request waits for the one before it, in seconds."""
MOST_WAITING = 8
"""The most requests that wait; each of them takes one of the threads that make pages."""
NODES, MOST_NODES = 1_000_000, 100_000_000
"""The node limit if none is given, and the largest one."""
BUSY = "other layouts are being solved; try again in a minute"
MOST_LAYOUT = 10_000
"""The longest layout, in characters."""


@dataclass(frozen=True, slots=True)
class Task:
    """A layout or the name of a numbered deal, to solve with the default engine of a game, or another one, within a
    node limit."""

    game: str
    layout: str
    engine: str | None
    max_nodes: int


class TooMuch(dealmill.UsageError):
    """A layout that takes more time or memory than a request may take."""


class Busy(dealmill.UnavailableError):
    """Too many requests at once."""


class Checker:
    """One process that solves layouts one after the other. It is started for the first one, and after it has ended."""

    def __init__(self) -> None:
        self.lock = Lock()
        self._room = BoundedSemaphore(1 + MOST_WAITING)
        self.process: SpawnProcess | None = None
        self._connection: Connection[Task, Any] | None = None

    def check(self, task: Task) -> tuple[dealmill.Result, dealmill.Judgement]:
        """Solve a layout, and check its evidence with the referee.

        Raises
        ------
        BadLayout, UsageError, NotFoundError
            If the layout or the engine is not valid, or it takes too much time or memory.
        Busy
            If the process does not become free in time, or too many requests wait for it.
        """
        if len(task.layout) > MOST_LAYOUT:
            raise dealmill.UsageError(
                f"the layout has more than {MOST_LAYOUT:,} characters; solve it with: dealmill run"
            )
        if not self._room.acquire(blocking=False):
            raise Busy(BUSY)
        try:
            if not self.lock.acquire(timeout=MOST_WAIT):
                raise Busy(BUSY)
            try:
                return self._ask(task)
            finally:
                self.lock.release()
        finally:
            self._room.release()

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()

    def _ask(self, task: Task) -> tuple[dealmill.Result, dealmill.Judgement]:
        connection = self._started()
        try:
            connection.send(task)
            answer = connection.recv()
        except (EOFError, OSError) as error:
            self._connection = None
            raise TooMuch(
                f"the layout took more than {MOST_SECONDS} seconds or {MOST_BYTES // 2**30} GB of memory; "
                "lower the node limit, or solve it with: dealmill run"
            ) from error
        if isinstance(answer, dealmill.DealmillError):
            raise answer
        found: tuple[dealmill.Result, dealmill.Judgement] = answer
        return found

    def _started(self) -> "Connection[Task, Any]":
        if self._connection is None:
            self.close()
            ours, theirs = get_context("spawn").Pipe()
            self.process = get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
            self.process.start()
            theirs.close()
            self._connection = ours
        return self._connection


def serve(connection: "Connection[Any, Task]") -> None:
    """Solve the layouts that arrive until the other end is closed. SIGALRM ends the process if one takes too long."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which closes the connection
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    loaded: set[tuple[str, str | None]] = set()
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        new = (task.game, task.engine) not in loaded
        signal.alarm(WARM_SECONDS if new else MOST_SECONDS)
        connection.send(_answer(task))
        signal.alarm(0)
        loaded.add((task.game, task.engine))


def _answer(task: Task) -> tuple[dealmill.Result, dealmill.Judgement] | dealmill.DealmillError:
    try:
        layouts = parse_deal(task.layout) if is_deal_range(task.layout) else [task.layout]
        [result] = dealmill.solve(task.game, layouts, engine=task.engine, max_nodes=task.max_nodes)
        return result, result.check()
    except dealmill.BadLayout as error:
        return dealmill.UsageError(str(error))  # a BadLayout cannot be pickled
    except dealmill.DealmillError as error:
        return error
    except MemoryError:
        return TooMuch("the layout took too much memory; lower the node limit, or solve it with: dealmill run")
