"""A server that runs commands in forked processes: it imports once what each command would spend most of its time on.

A forked command is a process like any other, with its own working directory, environment, streams, signals and exit
code. It starts with the modules of this server and no other state; so do its Celery workers. What differs from a new
interpreter: all of them share the seed of Python's hashes, and /proc shows the command line of the server.
"""

import atexit
import gc
import os
import runpy
import select
import socket
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path

from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import DealRange
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.games.installed import all_offers, offered_games
from dealmill.pipeline.games.kernels import compiling
from dealmill.pipeline.programs.bounds import die_with_parent
from dealmill.pipeline.solving.loading import canonical_mask, function_of, trial_nodes
from dealmill.workers.children import WORKER_NAME
from tests.forks.request import Kind, Request
from tests.forks.slow import slow_jobs_if_wanted
from tests.forks.workers import take_workers_from

ALL_GAMES = "*"
"""What stands for all games and engines of Dealmill."""
ROOT = Path(__file__).parents[2]
SERVER = f"import sys; sys.path.append({str(ROOT)!r}); from tests.forks.server import serve; serve(*sys.argv[1:])()"
STARTING_WORKERS = {"audit", "rerun", "retry", "run", "survey", "work"}
"""The commands that start workers."""
ADOPTION_SECONDS = 60.0
"""How long a worker waits to become a child of the process that asks for it, which takes no time without load."""
MODULES = (
    *(
        "alembic.command",
        "celery.app.amqp",
        "celery.app.control",
        "celery.app.events",
        "celery.app.routes",
        "celery.apps.worker",
        "celery.backends.base",
    ),
    *("celery.bin.worker", "celery.concurrency.prefork", "celery.events.receiver", "celery.fixups.django"),
    *("kombu.transport.pyamqp", "kombu.transport.redis", "numpy.ma", "numpy.typing", "rich.progress"),
    *("sqlalchemy.dialects.sqlite", "tomllib"),
    *("dealmill.cli.progress", "dealmill.db", "dealmill.layouts", "dealmill.progress", "dealmill.stores"),
    *("dealmill.pipeline.solving.answer", "dealmill.pipeline.ingest.sources"),
    *("dealmill.pipeline.ingest.reading", "dealmill.pipeline.programs.solver", "dealmill.pipeline.programs.bounds"),
    *("dealmill.pipeline.outputs.checker", "dealmill.pipeline.outputs.export", "dealmill.pipeline.store.job_kinds"),
    *("dealmill.pipeline.survey.growth", "dealmill.workers.broker"),
    *("dealmill.workers.logs", "dealmill.workers.transport"),
)
"""Modules that most commands and workers import, and whose import reads no settings."""


def serve(address: str, *games: str) -> Callable[[], object]:
    """Do what clients request, with the first engines of some games of Dealmill loaded, or all engines of `ALL_GAMES`.
    Return in each forked process, with what it is to do."""
    from dealmill.cli import COMMANDS
    from dealmill.pipeline.games.kernels import load_runtime
    from dealmill.pipeline.system.settings import settings

    die_with_parent()
    for name in (*MODULES, *(f"dealmill.cli.{module}" for module in COMMANDS.values())):
        import_module(name)
    with suppress(ModuleNotFoundError):  # an extra, which some tests hide
        import_module("psycopg")
    load_runtime()
    loads_all = ALL_GAMES in games
    # `find_game` would keep them, without the engines that settings of a process add.
    for game in offered_games() if games else ():
        if loads_all or game.name in games:
            assert isinstance(game, Game)
            for engine in game.engines if loads_all else game.engines[:1]:
                _load(game, engine)
    assert not settings.cache_info().currsize  # each process reads its own
    gc.freeze()  # a collection in a forked process would copy all memory
    assert "dealmill.workers.app" not in sys.modules  # it reads the settings when it is imported
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{address}-not-yet")
    listener.listen()
    Path(f"{address}-not-yet").rename(address)  # now clients can connect
    return _fork_for_clients(listener)


def _load(game: Game, engine: Engine) -> None:
    """Load a game, an engine and their kernels, as far as they are compiled by checking and solving a deal. If a test
    loads the same engine meanwhile, one of both processes compiles it."""
    with compiling(game.folder, game.full_name(engine)):
        deal = DealRange(game, 1, 1, 1).texts()
        canonical_mask(game, deal)
        function_of(game, engine)(deal, trial_nodes(engine) or NO_LIMIT)


def _fork_for_clients(listener: socket.socket) -> Callable[[], object]:
    """Fork a process for every request. In that process, return what it is to do."""
    running: dict[int, socket.socket] = {}  # the client of each command, by a file descriptor of its process
    while True:
        ready, _, _ = select.select([listener.fileno(), *running], [], [])
        for ended in running.keys() & ready:
            _report_end(ended, running.pop(ended))
        if listener.fileno() not in ready:
            continue
        client, _ = listener.accept()
        request = Request.received(client)
        if not (process := os.fork()):
            for channel in (listener, *running.values()):
                channel.close()
            for descriptor in running:
                os.close(descriptor)
            begin = _begin_command if request.kind is Kind.COMMAND else _begin_worker
            return begin(request, client)
        request.close()
        if request.kind is Kind.COMMAND:
            with suppress(BrokenPipeError):  # nobody waits for it
                client.sendall(b"%8d" % process)
            running[os.pidfd_open(process)] = client
        else:
            client.close()
            os.waitpid(process, 0)  # it has forked the worker


def _report_end(ended: int, client: socket.socket) -> None:
    """Tell a client how its command ended."""
    end = os.waitid(os.P_PIDFD, ended, os.WEXITED)
    os.close(ended)
    assert end
    with client, suppress(OSError):  # nobody waits for it
        client.sendall(b"%d" % (end.si_status if end.si_code == os.CLD_EXITED else -end.si_status))
        client.shutdown(socket.SHUT_RDWR)  # processes forked meanwhile have it too


def _begin_command(request: Request, client: socket.socket) -> Callable[[], object]:
    from dealmill.cli import main

    client.close()
    die_with_parent()
    if not STARTING_WORKERS.isdisjoint(request.arguments):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("")  # a name that the kernel finds, and no file
        listener.listen()
        command = os.getpid()
        if not os.fork():
            os.setsid()  # a signal to the group of the command is not meant for this process
            die_with_parent()
            if os.getppid() != command:  # it was killed before that
                os._exit(0)
            request.close()
            return _fork_for_clients(listener)
        address = listener.getsockname()
        listener.close()
        take_workers_from(lambda _variables: address)
    _take_over(request)
    slow_jobs_if_wanted()  # the command forks its workers
    sys.argv[:] = ["dealmill", *request.arguments]
    return partial(_end_quickly, main)


def _begin_worker(request: Request, client: socket.socket) -> Callable[[], object]:
    """Become what ``python -P -W … -m dealmill.workers`` would be, as a child of the process that asks for it."""
    parent, *arguments = request.arguments
    if os.fork():
        os._exit(0)
    deadline = time.monotonic() + ADOPTION_SECONDS
    while os.getppid() != int(parent):
        if time.monotonic() > deadline:  # it has been killed
            os._exit(1)
        time.sleep(0.001)
    die_with_parent()
    os.setsid()
    client.sendall(b"%d" % os.getpid())
    client.close()
    Path("/proc/self/comm").write_text(WORKER_NAME)
    _take_over(request)
    sys.argv[1:] = arguments
    slow_jobs_if_wanted()
    warnings.filterwarnings("ignore", "unknown setting", UserWarning)
    return partial(_end_quickly, partial(runpy.run_module, "dealmill.workers", run_name="__main__", alter_sys=True))


def _take_over(request: Request) -> None:
    """Take over what a client gave to its process. If it names a folder of rules files, find the games again."""
    request.take_over()
    if "DEALMILL_RULES" in os.environ:
        all_offers.cache_clear()


def _end_quickly(run: Callable[[], object]) -> None:
    """Run a command or a worker. When it exits, end the process as the interpreter would, except that it does not
    destroy all modules and objects: most of them are shared with the server, and that would copy them first."""
    try:
        run()
    except SystemExit as exiting:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(exiting.code or 0))


@contextmanager
def running_server(environment: dict[str, str], *, within: str, games: Iterable[str]) -> Iterator[str]:
    """Run a server for the duration of the `with` block, and yield its address, which is `within` a folder. It loads
    `games` of Dealmill, which must not depend on this environment."""
    with tempfile.TemporaryDirectory(prefix="dealmill-fork-", dir=within) as folder:
        address = f"{folder}/socket"
        pipes = subprocess.PIPE  # as those of the commands: Python finds out about its streams when it starts
        command = [sys.executable, "-P", "-c", SERVER, address, *games]
        with subprocess.Popen(command, env=environment, stdin=pipes, stdout=pipes, stderr=pipes) as server:
            while server.poll() is None and not Path(address).exists():
                time.sleep(0.01)
            try:
                yield address
            finally:
                server.kill()
