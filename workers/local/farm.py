"""The farm of one command: broker, Celery workers and reconciler, kept up until the command has what it wants."""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Self

from dealmill.pipeline.errors import BrokerError, StoreError, WorkerError
from dealmill.pipeline.extras import check_extra
from dealmill.pipeline.settings import settings
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.opening import check_tables
from dealmill.pipeline.store.database.patience import patiently
from dealmill.workers.local.broker import LocalBroker
from dealmill.workers.local.folder import work_folder
from dealmill.workers.local.interrupts import ignored_interrupts
from dealmill.workers.local.processes import kill, start, stop
from dealmill.workers.logs import line_of
from dealmill.workers.reconciler import check_broker, reconcile, unfinished

Tell = Callable[[str], object]
"""Called with every line that the workers print, in the thread of whoever keeps the farm up."""

METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that must name a folder before a worker loads the library for metrics."""
QUIET = "ignore:unknown setting:UserWarning"
"""Our own process has warned of unknown settings."""
TICK = 0.5
"""Seconds between two looks at the queue; each takes some milliseconds from whoever reads a source meanwhile."""
QUICK_DEATH = 5.0
QUICK_DEATHS = 3


class Farm:
    """Celery workers on this machine, with a broker of their own unless one is configured. `engines` says whether the
    jobs need engines, which the workers then load before they are told of one.

    Raises
    ------
    BrokerError
        On entry, if the configured broker does not answer or a local one cannot be started.
    UsageError
        On entry, if metrics are to be served and the extra ``metrics`` is missing.
    """

    def __init__(self, store: Database, tell: Tell, *, engines: bool) -> None:
        self._store = store
        self._tell = tell
        self._engines = engines
        self._said: deque[str] = deque(maxlen=20)
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._quick_deaths = 0
        self._broker_answers = True
        self._broker: LocalBroker | None = None
        self._opened = ExitStack()
        self._ticked = 0.0

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            self._check_interrupted = opened.enter_context(ignored_interrupts())
            self._folder = opened.enter_context(work_folder())
            if settings().metrics_port:
                check_extra("metrics")
            configured = settings().broker_url
            if configured is None:
                self._broker = opened.enter_context(LocalBroker(self._folder))
                self._broker_url = self._broker.url
            else:
                self._broker_url = configured.get_secret_value()
                check_broker(self._broker_url)
            self._start_worker()
            opened.callback(self._stop_worker)
            self._opened = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._opened:  # also if whoever is told raises an exception
            self._tell_lines()

    def tick(self, *, at_once: bool = False) -> None:
        """To be called again and again: keeps everything up, and the workers in work. It does so every half a second,
        and `at_once` where there is news.

        Raises
        ------
        WorkerError
            If the workers die as soon as they are started.
        StoreError
            If the tables of the store are not those of this code any more.
        KeyboardInterrupt
            If Python has ignored one since.
        """
        self._check_interrupted()
        self._tell_lines()
        if time.monotonic() - self._ticked < TICK and not at_once:
            return
        self._ticked = time.monotonic()
        if self._broker:
            self._broker.keep_up()
        if self._worker.poll() is not None:
            self._restart_worker()
        patiently(partial(check_tables, self._store), self.say)
        try:
            patiently(partial(reconcile, self._store, self._broker_url), self.say)
            self._broker_answers = True
        except BrokerError as error:
            if self._broker_answers:
                self.say(str(error))
            self._broker_answers = False

    def say(self, message: str) -> None:
        """Tell something among what the workers log, in the same form."""
        self._tell(line_of(message))

    def _start_worker(self) -> None:
        self._worker_started = time.monotonic()
        loaded = ["engines"] if self._engines else []
        self._worker = start(
            (sys.executable, "-P", "-W", QUIET, "-m", "dealmill.workers", str(settings().workers), *loaded),
            environment={
                "DEALMILL_DATABASE_URL": self._store.url.render_as_string(hide_password=False),
                "DEALMILL_BROKER_URL": self._broker_url,
                **({METRICS_FOLDER: self._folder_for_metrics()} if settings().metrics_port else {}),
                "TMPDIR": str(self._folder),  # what a killed worker leaves behind goes with us
            },
        )
        Thread(target=self._listen, args=(self._worker.stdout,), daemon=True).start()

    def _folder_for_metrics(self) -> str:
        """It stays when workers are started again, so that nothing is counted anew."""
        folder = self._folder / "metrics"
        folder.mkdir(exist_ok=True)
        return str(folder)

    def _stop_worker(self) -> None:
        """Let workers finish what they have in hand; that takes them seconds, so not if there is nothing, or if the
        database cannot be used."""
        try:
            busy = unfinished(self._store) > 0
        except StoreError:
            busy = False
        if busy:
            stop(self._worker)
        else:
            kill(self._worker)

    def _restart_worker(self) -> None:
        gave_up = (self._worker.returncode or 0) > 0  # by itself, and not killed
        quick = gave_up and time.monotonic() - self._worker_started < QUICK_DEATH
        self._quick_deaths = self._quick_deaths + 1 if quick else 0
        if self._quick_deaths >= QUICK_DEATHS:
            raise WorkerError("\n".join(["the workers die as soon as they are started; they said:", *self._said]))
        self.say("the workers died; starting them again")
        self._start_worker()

    def _listen(self, output: Iterable[str]) -> None:
        for line in output:
            self._said.append(line.rstrip())
            self._lines.put(line.rstrip())

    def _tell_lines(self) -> None:
        while not self._lines.empty():
            self._tell(self._lines.get())
