"""What a person sees on a terminal while a command works."""

import os
import pty
import subprocess
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest

from tests.servers import clean_environment, dealmill_command


def seen(*arguments: str, cwd: Path, columns: int = 200, codes: Sequence[int] = (0,)) -> str:
    """All that a command writes to a terminal of so many columns."""
    ours, its = pty.openpty()
    written = bytearray()

    def read() -> None:
        while True:
            try:
                block = os.read(ours, 1 << 16)
            except OSError:  # its end was closed
                return
            written.extend(block)

    reader = Thread(target=read)
    reader.start()
    env = clean_environment({"TERM": "xterm-256color", "COLUMNS": str(columns)})
    ran = subprocess.run(dealmill_command(arguments), cwd=cwd, env=env, stdout=its, stderr=its, check=False)
    os.close(its)
    reader.join()
    os.close(ours)
    assert ran.returncode in codes, written
    return written.decode()


def test_a_terminal_shows_every_step_and_escapes_file_names(tmp_path: Path) -> None:
    name = "memory-\x1b[7m.txt"
    (tmp_path / name).write_text("AABB\nABAB\n")
    told = seen("run", name, cwd=tmp_path)
    assert "\x1b[7m" not in told
    steps = ["opening", "reading", "source 1: memory-", "solving", "all verdicts", "step by step"]
    assert steps == sorted(steps, key=told.index)
    assert "2 layouts, 0 duplicates, 0 rejected" in told
    assert "opening" in seen("ingest", name, cwd=tmp_path)


@pytest.mark.slow
def test_a_narrow_terminal_shows_complete_records(tmp_path: Path) -> None:
    layout = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" * 2
    (tmp_path / "memory.txt").write_text(f"{layout}\n")
    seen("run", "memory.txt", cwd=tmp_path)
    records = seen("query", "1", cwd=tmp_path, columns=40)
    rows = [line.split(maxsplit=1) for line in records.splitlines() if line.strip()]
    assert [row[0] for row in rows[:4]] == ["item", "line", "verdict", "value"]
    assert ["item", "1:1"] in rows and ["verdict", "scored"] in rows and ["layout", layout] in rows
    wide = seen("query", "1", cwd=tmp_path, columns=400)
    assert [line.split()[:3] for line in wide.splitlines() if "1:1" in line] == [["1:1", "1", "scored"]]
