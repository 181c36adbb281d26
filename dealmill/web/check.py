"""Solve a pasted layout, or judge a stored result, in a process of its own, which ends if it takes too much time or
memory."""

import resource
import signal
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
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
JUDGE_SECONDS = 60
"""The longest time for judging a result."""
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
MOST_KEPT = 500
"""The judgements that are kept, and the most that wait to be made."""
PATIENCE = 1.0
"""How long a page waits for a judgement, in seconds."""


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
    """One process that solves layouts and judges results one after the other. It is started for the first of them, and
    after it has ended."""

    def __init__(self) -> None:
        self.lock = Lock()
        self._room = BoundedSemaphore(1 + MOST_WAITING)
        self.process: SpawnProcess | None = None
        self._connection: Connection[Task | dealmill.Result, Any] | None = None

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
                answer: tuple[dealmill.Result, dealmill.Judgement] = self._ask(
                    task, MOST_SECONDS, "lower the node limit, or solve it with: dealmill run"
                )
                return answer
            finally:
                self.lock.release()
        finally:
            self._room.release()

    def judge(self, result: dealmill.Result) -> dealmill.Judgement:
        """Check the evidence of a result with the referee.

        Raises
        ------
        DealmillError
            If the game is not installed, or the referee takes too much time or memory.
        """
        with self.lock:
            judgement: dealmill.Judgement = self._ask(result, JUDGE_SECONDS, f"use: dealmill audit {result.run}")
            return judgement

    def start(self) -> None:
        """Start the process, if it is not running."""
        with self.lock:
            self._started()

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.join()

    def _ask(self, task: Task | dealmill.Result, seconds: int, instead: str) -> Any:
        connection = self._started()
        try:
            connection.send(task)
            answer = connection.recv()
        except (EOFError, OSError) as error:
            self._connection = None
            raise TooMuch(
                f"the layout took more than {seconds} seconds or {MOST_BYTES // 2**30} GB of memory; {instead}"
            ) from error
        if isinstance(answer, dealmill.DealmillError):
            raise answer
        return answer

    def _started(self) -> "Connection[Task | dealmill.Result, Any]":
        if self._connection is None:
            self.close()
            ours, theirs = get_context("spawn").Pipe()
            process = get_context("spawn").Process(target=serve, args=(theirs,), daemon=True)
            process.start()
            self.process = process
            theirs.close()
            self._connection = ours
        return self._connection


class Judge:
    """The judgements on results, each made once in the process of a `Checker` and kept for later views."""

    def __init__(self) -> None:
        self.checker = Checker()
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1)
        self._kept: OrderedDict[dealmill.Result, Future[dealmill.Judgement]] = OrderedDict()

    def start(self) -> None:
        """Start the process, so that the first page need not wait for it."""
        self._thread.submit(self.checker.start)

    def judge(self, result: dealmill.Result) -> dealmill.Judgement | None:
        """Return the judgement on a result; None if it takes longer than a page waits.

        Raises
        ------
        DealmillError
            If the game is not installed, or the referee takes too much time or memory.
        """
        with self._lock:
            judgement = self._kept.get(result)
            if judgement is None or _may_succeed_later(judgement):
                judgement = self._kept[result] = self._thread.submit(self.checker.judge, result)
            self._kept.move_to_end(result)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)[1].cancel()
        try:
            return judgement.result(PATIENCE)
        except TimeoutError:
            return None

    def close(self) -> None:
        """End the process."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self.checker.close()


def _may_succeed_later(judgement: Future[dealmill.Judgement]) -> bool:
    """Return whether a judgement was not made, for another reason than that it takes too long."""
    if judgement.cancelled():
        return True
    return judgement.done() and not isinstance(judgement.exception(), TooMuch | None)


def serve(connection: "Connection[Any, Task | dealmill.Result]") -> None:
    """Answer until the other end is closed. SIGALRM ends the process if an answer takes too long."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which closes the connection
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    loaded: set[tuple[str, str | None]] = set()
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        if isinstance(task, dealmill.Result):
            signal.alarm(JUDGE_SECONDS)
        else:
            signal.alarm(MOST_SECONDS if (task.game, task.engine) in loaded else WARM_SECONDS)
            loaded.add((task.game, task.engine))
        connection.send(_answer(task))
        signal.alarm(0)


def _answer(task: Task | dealmill.Result) -> Any:
    try:
        if isinstance(task, dealmill.Result):
            return task.check()
        layouts = parse_deal(task.layout) if is_deal_range(task.layout) else [task.layout]
        [result] = dealmill.solve(task.game, layouts, engine=task.engine, max_nodes=task.max_nodes)
        return result, result.check()
    except dealmill.BadLayout as error:
        return dealmill.UsageError(str(error))  # a BadLayout cannot be pickled
    except dealmill.DealmillError as error:
        return error
    except MemoryError:
        return TooMuch("the layout took too much memory; use: dealmill run, or dealmill audit")
