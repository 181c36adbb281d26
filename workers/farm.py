"""Local workers: a broker, worker processes and the reconciler, started and stopped by a command."""

import fcntl
import os
import shutil
import sys
import tempfile
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Thread, current_thread, main_thread
from types import TracebackType
from typing import IO, Self, TypeVar

from dealmill.pipeline.errors import BrokerError, StoreError, WorkerError
from dealmill.pipeline.games.caches import caches
from dealmill.pipeline.store.database.connections import WAITING, Database, patiently
from dealmill.pipeline.store.database.revisions import check_tables
from dealmill.pipeline.store.job_kinds import KINDS, ParentsByKind
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.pipeline.store.runs.incidents import DEATH, OUTAGE, record_incident
from dealmill.pipeline.store.runs.leases import give_back, leased
from dealmill.pipeline.store.runs.workers import end_reports, local_process, worker_name
from dealmill.pipeline.system.extras import check_extra
from dealmill.pipeline.system.log_lines import in_log_format
from dealmill.pipeline.system.settings import settings
from dealmill.workers.broker import LocalBroker
from dealmill.workers.children import (
    STOP_SECONDS,
    WORKER_NAME,
    Process,
    fork,
    forks_allowed,
    has_ended,
    kill,
    start,
    stop,
)
from dealmill.workers.logs import line_of
from dealmill.workers.reconciler import Queue, check_broker, queue_of, reconcile

T = TypeVar("T")

PREFIX = "dealmill-"
OWNED = "owned"
"""The name of the file that the command keeps locked while it runs."""
LONGEST_PARENT = 73
"""The longest path, in bytes, of the folder that work folders are in: the path of the broker's socket has 30 more, and
may have 103 on macOS and 107 on Linux."""


@contextmanager
def work_folder() -> Iterator[Path]:
    """Create a temporary folder, and delete it at the end. Delete the folders of killed commands first."""
    parent = tempfile.gettempdir()
    if len(os.fsencode(parent)) > LONGEST_PARENT:
        parent = "/tmp"  # noqa: S108 -- a folder in it is private
    _remove_orphans(parent)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=parent) as name:
        unlocked = Path(name) / f"not-yet-{OWNED}"
        with unlocked.open("w") as owned:
            fcntl.flock(owned, fcntl.LOCK_EX)
            unlocked.rename(Path(name) / OWNED)  # so that no other command finds it before it is locked
            yield Path(name)


def _remove_orphans(parent: str) -> None:
    for owned in Path(parent).glob(f"{PREFIX}*/{OWNED}"):
        with suppress(OSError), owned.open() as lock:  # raised if it belongs to a running command or to another user
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(owned.parent, ignore_errors=True)


@contextmanager
def ignored_interrupts() -> Iterator[Callable[[], None]]:
    """Record interrupts that Python ignores. Yield a function that raises KeyboardInterrupt if one was ignored since
    its last call. Signal handlers are not changed."""
    ignored = Event()
    before = sys.unraisablehook

    def remember(unraisable: "sys.UnraisableHookArgs") -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            ignored.set()
        else:
            before(unraisable)

    def check() -> None:
        if ignored.is_set():
            ignored.clear()
            raise KeyboardInterrupt

    if current_thread() is not main_thread():  # interrupts arrive in the main thread only
        yield check
        return
    sys.unraisablehook = remember
    try:
        yield check
    finally:
        sys.unraisablehook = before


Tell = Callable[[str], object]
"""A function that is called with every line of the workers' output, in the thread that calls `Farm.tick`."""

METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable of the metrics folder, which must be set before a worker imports the metrics library."""
QUIET = (
    *("-W", "ignore:unknown setting:UserWarning"),
    *("-W", "ignore:DEALMILL_ENGINES names:UserWarning"),
    *("-W", "ignore:DEALMILL_RULES offers:UserWarning"),
)
"""Filters for warnings that the command itself has already issued."""
TICK = 0.5
"""Seconds between two checks of the queue. Each check costs some milliseconds, during which no source is read."""
LISTEN_SECONDS = 10.0
"""How long to wait for the last lines of killed workers. Without load they are read at once."""
QUICK_DEATH = 5.0
QUICK_DEATHS = 3


def _run_worker(processes: int, queue: str, *, engines: bool) -> int:
    """Run a worker in a forked process, as ``python -m dealmill.workers`` does in a new one."""
    from dealmill.workers.parent import main  # connects Celery's signals

    for message in QUIET[1::2]:
        warnings.filterwarnings("ignore", message.split(":")[1], UserWarning)
    return main(processes, queue, engines=engines)


class Farm:
    """A context manager that runs Celery workers on this machine, with a local broker unless one is configured. With
    `engines`, the workers load what all engines need when they start. They get the jobs that `installation` can do, of
    all runs and audits, or `only` of some.

    Raises
    ------
    BrokerError
        On entry, if the configured broker is not available or a local one cannot be started.
    UsageError
        On entry, if metrics are to be served and the extra ``metrics`` is not installed.
    CacheError
        On entry, if compiled engines cannot be cached.
    """

    def __init__(self, database: Database, tell: Tell, *, engines: bool, only: ParentsByKind | None = None) -> None:
        self._database = database
        self._only = only
        self._tell = tell
        self._engines = engines
        self.installation = Installation()
        self._last_lines: deque[str] = deque(maxlen=20)
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._quick_deaths = 0
        self._broker_trouble, self._broker_left = "", 0.0
        self._broker: LocalBroker | None = None
        self._opened = ExitStack()
        self._ticked = 0.0

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            self._check_interrupted = opened.enter_context(ignored_interrupts())
            if self._engines:
                caches()  # before each worker fails for want of it
            self._folder = opened.enter_context(work_folder())
            if settings().metrics_port:
                check_extra("metrics")
            configured, queue = settings().broker_url, queue_of(self._database)
            if configured is None:
                self._broker = opened.enter_context(LocalBroker(self._folder))
                self._broker_url = self._broker.url
            else:
                self._broker_url = configured
                check_broker(self._broker_url, queue)
            self._queue = opened.enter_context(Queue(self._broker_url, queue))
            self._start_worker(forked=self._can_fork())
            opened.callback(self._stop_worker)
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._opened:  # also if `tell` raises an exception
            self._tell_lines()

    def tick(self, *, at_once: bool = False) -> None:
        """Restart what has died, and send pending jobs to the workers. Call this repeatedly; it acts at most every
        `TICK` seconds, or immediately with `at_once`."""
        self._check_interrupted()
        self._tell_lines()
        if time.monotonic() - self._ticked < TICK and not at_once:
            return
        self._ticked = time.monotonic()
        if self._broker:
            self._broker.keep_up()
        if self._worker.poll() is not None:
            self._restart_worker()
        self.patiently(partial(check_tables, self._database))
        try:
            self.patiently(partial(reconcile, self._database, self._queue, self.installation, self._only))
            if self._broker_trouble:
                self.say("the broker is available again")
                self._record(OUTAGE, self._broker_trouble, time.monotonic() - self._broker_left)
            self._broker_trouble = ""
        except BrokerError as error:
            if not self._broker_trouble:
                self._broker_left = time.monotonic()
            if (reason := str(error)) != self._broker_trouble:
                self.say(reason)
            self._broker_trouble = reason

    def patiently(self, step: Callable[[], T]) -> T:
        """Call a step and return its result; wait while the database is not available. Record the outage when it is
        over."""
        begun, reasons = time.monotonic(), list[str]()

        def report(message: str) -> None:
            reasons.append(message)
            self.say(message)

        result = patiently(step, report)
        if reasons:
            self._record(OUTAGE, reasons[-2], time.monotonic() - begun)
        return result

    def _record(self, kind: str, what: str, seconds: float = 0.0) -> None:
        record = partial(record_incident, self._database, kind, what.removesuffix(WAITING), seconds=seconds)
        with suppress(StoreError):  # the log has it, too
            patiently(record, self.say)  # a database that has just come back may go away again

    def say(self, message: str) -> None:
        """Report a message in the format of the workers' log."""
        self._tell(line_of(message))

    def _can_fork(self) -> bool:
        """Whether workers can be forked from this process. If metrics are to be served, it has loaded their library,
        which reads the name of their folder when it is imported."""
        return forks_allowed() and not settings().metrics_port and self._database.disconnect()

    def _start_worker(self, *, forked: bool = False) -> None:
        self._worker_started = time.monotonic()
        processes = settings().workers
        environment = {
            "DEALMILL_DATABASE_URL": self._database.url.render_as_string(hide_password=False),
            "DEALMILL_BROKER_URL": self._broker_url,
            **({METRICS_FOLDER: self._folder_for_metrics()} if settings().metrics_port else {}),
            "TMPDIR": str(self._folder),  # so that files of a killed worker are removed with the folder
        }
        if forked:
            run = partial(_run_worker, processes, self._queue.name, engines=self._engines)
            self._worker: Process = fork(run, name=WORKER_NAME, environment=environment)
        else:
            loaded = ["engines"] if self._engines else []
            self._worker = start(
                (sys.executable, "-P", *QUIET, "-m", "dealmill.workers", str(processes), self._queue.name, *loaded),
                environment=environment,
            )
        self._listener = Thread(target=self._listen, args=(self._worker.stdout,), daemon=True)
        self._listener.start()

    def _folder_for_metrics(self) -> str:
        """Return the folder for metrics. It is kept when workers are restarted, so that counters continue."""
        folder = self._folder / "metrics"
        folder.mkdir(exist_ok=True)
        return str(folder)

    def _stop_worker(self) -> None:
        """Stop the workers. They get a second to finish their jobs. Then other workers can claim the unfinished ones at
        once, also those of workers of other commands that have died."""
        try:
            with suppress(StoreError):
                if count := sum(map(self._is_ours, self._at_work().values())):
                    jobs_left = "1 job" if count == 1 else f"{count} jobs"
                    self.say(
                        f"waiting up to {STOP_SECONDS:g} s for {jobs_left}; what is not finished will be done again"
                    )
                    stop(self._worker)
                else:
                    kill(self._worker)
                    self._listener.join(LISTEN_SECONDS)  # to report what the workers wrote, even on a busy machine
                    self._tell_lines()
        finally:  # also if `tell` raises an exception
            kill(self._worker)
            with suppress(StoreError):  # read again: a worker may have claimed a job since
                for worker, process in self._at_work().items():
                    if self._is_ours(process) or has_ended(process):
                        for kind in KINDS.values():
                            give_back(self._database, kind.jobs, worker)
                end_reports(self._database, worker_name(self._worker.pid))

    def _at_work(self) -> dict[str, int]:
        """Return the processes of this machine that hold leases, by the names of the workers."""
        workers = set().union(*(leased(self._database, kind.jobs) for kind in KINDS.values()))
        return {worker: process for worker in workers if (process := local_process(worker)) is not None}

    def _is_ours(self, process: int) -> bool:
        """Whether this farm has started a process, which may be dying."""
        try:
            return os.getpgid(process) == self._worker.pid
        except OSError:
            return False

    def _restart_worker(self) -> None:
        gave_up = (self._worker.returncode or 0) > 0  # it exited by itself and was not killed
        quick = gave_up and time.monotonic() - self._worker_started < QUICK_DEATH
        self._quick_deaths = self._quick_deaths + 1 if quick else 0
        if self._quick_deaths >= QUICK_DEATHS:
            raise WorkerError("\n".join(["the workers exit right after they start; their output:", *self._last_lines]))
        self.say("the workers died; restarting them")
        self._record(DEATH, "all worker processes of a command died, and were started again")
        self._start_worker()

    def _listen(self, output: IO[str]) -> None:
        with output:
            for line in output:
                self._last_lines.append(line.rstrip())
                self._lines.put(in_log_format(line.rstrip()))

    def _tell_lines(self) -> None:
        while not self._lines.empty():
            self._tell(self._lines.get())
