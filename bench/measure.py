"""Input files and timing. The sides of a comparison are run alternately, so that changes in the machine's speed affect
all of them."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from operator import truediv
from pathlib import Path
from statistics import median
from threading import Event, Thread
from time import perf_counter
from types import MappingProxyType
from typing import NamedTuple
from uuid import uuid4

from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.deals import parse_deal_range
from tests.servers import clean_environment, dealmill_command

ROUNDS = 3
SEED = 20261121
GAMES = ("card-pairing", "camelot", "hi-q", "memory", "tantrix")
MARK = "MARK_OF_BENCH"
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


def seconds(work: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def in_turn(
    first: Callable[[], object], second: Callable[[], object], rounds: int = ROUNDS
) -> tuple[float, float, float]:
    """Run both sides alternately, A B A B …. Return their median seconds, and the median ratio of both."""
    ours, theirs = all_in_turn([first, second], rounds)
    return median(ours), median(theirs), median(map(truediv, ours, theirs))


def all_in_turn(sides: Sequence[Callable[[], object]], rounds: int = ROUNDS) -> list[list[float]]:
    """Run all sides in turn, A B C A B C …. Return the seconds of each side in each round."""
    return [list(times) for times in zip(*([seconds(side) for side in sides] for _ in range(rounds)), strict=True)]


def dealt(game: Game, count: int, folder: Path) -> Path:
    """Write a file with `count` deals and return its path."""
    file = folder / f"{game.name}.txt"
    with file.open("w") as lines:
        for layout in parse_deal_range(f"deal:{game.name}:seed={SEED}:1-{count}"):
            lines.write(f"{layout.text}\n")
    return file


def table(columns: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def rounded(number: float) -> str:
    """Format a number with two significant digits; more would be noise."""
    nearest = float(f"{number:.2g}")
    return f"{nearest:,.0f}" if nearest >= 100 else f"{nearest:.2g}"


def watched_command(folder: str, *arguments: str) -> tuple[float, str, int]:
    """Run a command with two workers. Return its seconds, its standard error, and the peak resident memory of its
    largest process in kB."""
    mark = f"{MARK}={uuid4()}"
    env = clean_environment({"DEALMILL_WORKERS": "2", **dict([mark.split("=")])})
    ended = Event()
    peaks: list[int] = []
    watcher = Thread(target=_watch, args=(mark, ended, peaks))
    watcher.start()
    said: list[str] = []

    def command() -> None:
        ran = subprocess.run(
            dealmill_command(arguments), cwd=folder, env=env, check=False, capture_output=True, text=True
        )
        said.append(ran.stderr)

    elapsed = seconds(command)
    ended.set()
    watcher.join()
    return elapsed, said[0], max(peaks, default=0)


def _watch(mark: str, ended: Event, peaks: list[int]) -> None:
    while not ended.wait(0.1):
        for process in Path("/proc").iterdir():
            if process.name.isdigit() and int(process.name) != os.getpid():
                try:
                    if mark.encode() in (process / "environ").read_bytes():
                        status = (process / "status").read_text()
                        peaks.append(int(status.partition("VmHWM:")[2].split()[0]))
                except (OSError, IndexError):
                    continue  # the process has ended


BETWEEN = """
import ctypes, os, resource, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans become children of this process
begun = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
elapsed = time.perf_counter() - begun
try:
    while True:
        os.wait()
except ChildProcessError:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
print(elapsed, spent.ru_utime + spent.ru_stime)
"""
"""A small parent process of a command. It counts the CPU time of all processes of the command, including orphans."""


class NotInstalled(Exception):
    """What a benchmark compares with is not installed. The message says how to install it."""


class Spent(NamedTuple):
    """The cost of a command: its elapsed seconds, the CPU seconds of all its processes, and its standard error."""

    elapsed: float
    cpu: float
    said: str


def spent_by(command: Sequence[str], folder: Path, settings: Mapping[str, str] = NO_SETTINGS) -> Spent:
    """Run a command with two workers in a folder, and return its cost."""
    env = clean_environment({"DEALMILL_WORKERS": "2", **settings})
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    between = [sys.executable, "-S", "-c", BETWEEN, *command]
    ran = subprocess.run(between, cwd=folder, env=env, check=True, capture_output=True, text=True)
    elapsed, cpu = map(float, ran.stdout.split())
    return Spent(elapsed, cpu, ran.stderr)
