"""A command says what it waits for."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from tests.servers import clean_environment, dealmill_command

DEALS = "deal:memory:seed=1:1-9"


@pytest.mark.parametrize("silent", ["database", "broker", "named pipe"])
def test_a_command_says_what_it_waits_for_and_can_be_ended(silent: str, tmp_path: Path) -> None:
    pipe = tmp_path / "memory.txt"
    os.mkfifo(pipe)
    with socket.create_server(("127.0.0.1", 0)) as server:  # it accepts connections, but never responds
        address = f"127.0.0.1:{server.getsockname()[1]}"
        database, broker = f"postgresql://me:secret@{address}/x", f"redis://:secret@{address}/1"
        source, env, waited = {
            "database": (DEALS, {"DEALMILL_DATABASE_URL": database}, f"database postgresql://me:***@{address}"),
            "broker": (DEALS, {"DEALMILL_BROKER_URL": broker}, f"broker redis://:**@{address}"),
            "named pipe": (str(pipe), {}, f"a program that writes to {pipe}"),
        }[silent]
        waiting = subprocess.Popen(
            dealmill_command(["run", source]),
            cwd=tmp_path,
            env=clean_environment(env),
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert waiting.stderr is not None
            told = waiting.stderr.readline()
            assert told.startswith("waiting for ") and waited in told
            waiting.terminate()
            told = "dealmill: interrupted; repeat the command to continue where it stopped"
            assert waiting.stderr.read().strip() == told
            assert waiting.wait() == 128 + signal.SIGINT
        finally:
            waiting.kill()
            waiting.communicate()
