"""What a person sees on a terminal while a command works."""

import os
import pty
import subprocess
from pathlib import Path
from threading import Thread

from pipeline.cli.output import GAP, LEAST, _widths
from tests.servers import clean_environment, dealmill_command


def seen(*arguments: str, cwd: Path) -> str:
    """All that a command writes to a terminal that is its standard error."""
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
    env = clean_environment({"TERM": "xterm-256color", "COLUMNS": "200"})
    ran = subprocess.run(dealmill_command(arguments), cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=its, check=False)
    os.close(its)
    reader.join()
    os.close(ours)
    assert ran.returncode == 0, written
    return written.decode()


def test_a_terminal_shows_every_step_and_no_sign_of_a_file_that_steers_it(tmp_path: Path) -> None:
    name = "memory-\x1b[7m.txt"
    (tmp_path / name).write_text("AABB\nABAB\n")
    told = seen("run", name, cwd=tmp_path)
    assert "\x1b[7m" not in told
    steps = ["opening", "solving", "source 1: memory-", "a run's verdicts", "one, step by step"]
    assert steps == sorted(steps, key=told.index)
    assert "2 layouts, 0 duplicates, 0 rejected" in told
    assert "opening" in seen("ingest", name, cwd=tmp_path)


def test_a_table_is_cut_where_it_is_widest_and_never_to_nothing() -> None:
    row = ["1:1", "winnable", "x" * 300, "y" * 40]
    assert _widths([row], 80) == [3, 8, 31, 31]
    assert sum(_widths([row], 80)) + 3 * GAP <= 80
    assert _widths([row], 20) == [3, 8, LEAST, LEAST]
    assert _widths([row], 400) == [3, 8, 300, 40]
