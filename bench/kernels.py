"""Benchmarks of kernels, including evidence in its stored form, against naive Python and our own C++ programs.

`bench/cpp` holds two kinds of programs: ports of our kernels, which must produce identical results, byte for byte; and
a search over states as in a programming contest, which must find the same verdicts. The program for Camelot is a port
of an earlier kernel with identical results. Both sides are checked to agree before they are measured.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple, cast

import numba
import numpy as np

from bench.engines import NAIVE, SEED
from bench.measure import rounded, seconds, table
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.batch import Batch, Bytes, Kernel, Results, to_texts
from dealmill.pipeline.games.camelot import engine as camelot
from dealmill.pipeline.games.card_pairing.classic.kernel import solve_each
from dealmill.pipeline.games.card_pairing.classic.search import LONGEST_CERTIFICATE, POSSIBLE
from dealmill.pipeline.games.functions import NO_LIMIT
from dealmill.pipeline.games.hi_q import engine as hi_q
from dealmill.pipeline.games.memory import engine as memory
from dealmill.pipeline.games.tantrix import engine as tantrix
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.loading import load
from dealmill.pipeline.solving.solve import solve
from tests.doing import deal

MANY = 100_000
"""The number of layouts for our kernels and for the ports."""
FEWER = 20_000
"""The number of layouts for the search over states in C++."""
ROUNDS = 5
COMPILERS = ("g++", "c++", "clang++")
OPTIONS = ("-O3", "-march=native", "-std=c++20")
SOURCES = Path(__file__).parent / "cpp"
STATES = "card_pairing_states"
FNV_BASIS, FNV_PRIME = 0xCBF29CE484222325, 0x100000001B3


class Subject(NamedTuple):
    """A kernel with the signature that `run_kernel` expects, the size of its longest evidence in bytes, and its
    goals."""

    kernel: Kernel
    longest: int
    naive: float | None
    """The goal for its rate, as a multiple of naive Python's; None without a goal."""
    ports: dict[str, tuple[str, float, int]]
    """Programs in `bench/cpp`: a description, the goal as a multiple of its rate, and the number of layouts."""


SAME = "C++, same method"
ARRAY = "C++, formula, then a play in an array"
_CARD_PAIRING = {
    STATES: ("C++, search over states, memo", 25.0, FEWER),
    "card_pairing": (SAME, 0.9, MANY),
}
SUBJECTS: dict[str, Subject] = {
    "card-pairing/winnable": Subject(
        cast(Kernel, partial(solve_each, POSSIBLE)),
        LONGEST_CERTIFICATE,
        1_000,
        _CARD_PAIRING,
    ),
    "camelot/winnable": Subject(camelot._solve_each, camelot.LONGEST_EVIDENCE, None, {"camelot": (ARRAY, 1.2, MANY)}),
    "hi-q/greedy": Subject(hi_q._play_each, hi_q.LONGEST_EVIDENCE, None, {"hi_q": (SAME, 0.9, MANY)}),
    "tantrix/legal-moves": Subject(tantrix._solve_each, tantrix.LONGEST_EVIDENCE, 300, {}),
    **{
        f"memory/{name}": Subject(cast(Kernel, partial(memory._play_each, number)), memory.LONGEST_EVIDENCE, 100, {})
        for number, name in enumerate(("two-pass", "two-pass-last-card", "incremental"))
    },
}


class Said(NamedTuple):
    """A summary of results for comparison: a hash, and the number of verdicts of each kind."""

    hash: int
    counts: list[int]


class Arrays:
    """Layouts and buffers for results, as `run_kernel` creates them for a kernel."""

    def __init__(self, subject: Subject, layouts: list[str]) -> None:
        self.subject = subject
        self.layouts = to_texts(layouts)
        count = len(layouts)
        self.results = Results(
            verdicts=np.zeros(count, dtype=np.int8),
            values=np.zeros(count, dtype=np.int64),
            nodes=np.zeros(count, dtype=np.int64),
            ends=np.zeros(count, dtype=np.int64),
            evidence=np.empty(max(1 << 20, subject.longest), dtype=np.uint8),
        )

    def solve(self, seen: Callable[[int], None] = lambda _: None) -> None:
        """Solve all layouts. After each call of the kernel, call `seen` with the number of layouts solved so far."""
        first = 0
        while first < len(self.results.verdicts):
            first = self.subject.kernel(self.layouts.text, self.layouts.starts, first, NO_LIMIT, self.results)
            seen(first)

    def said(self) -> Said:
        """Solve all layouts, and hash the evidence and then the verdicts, values and nodes, as ``farm.hpp`` does."""
        hashes = [FNV_BASIS]
        verdicts, values, nodes, ends, evidence = self.results
        self.solve(lambda reached: hashes.append(_fnv1a(evidence[: ends[reached - 1]], np.uint64(hashes[-1]))))
        for numbers in (verdicts, values, nodes):
            hashes.append(_fnv1a(numbers.view(np.uint8), np.uint64(hashes[-1])))
        return Said(hashes[-1], _counts(verdicts))

    def said_of_states(self) -> Said:
        """Solve all layouts, and hash only what every search finds: the verdicts, and the lengths of winning plays."""
        lengths: list[int] = []
        self.solve(lambda reached: lengths.extend(np.diff(self.results.ends[len(lengths) : reached], prepend=0)))
        verdicts = self.results.verdicts
        plays = np.where(verdicts == int(Verdict.WINNABLE), np.array(lengths, dtype=np.int64), 0)
        halfway = _fnv1a(verdicts.view(np.uint8), np.uint64(FNV_BASIS))
        return Said(_fnv1a(plays.view(np.uint8), np.uint64(halfway)), _counts(verdicts))


def kernels() -> str:
    """Return a table with a row per kernel and opponent."""
    rows = [row for name in SUBJECTS for row in (_against_python(name), *_against_programs(name))]
    columns = ["engine", "against", "ours, layouts/s", "theirs, layouts/s", "ratio", "goal", "met"]
    return table(columns, rows)


def _against_python(name: str) -> list[str]:
    subject, (naive, few, what) = SUBJECTS[name], NAIVE[name]
    layouts = _layouts(name, MANY)
    arrays = Arrays(subject, layouts)
    arrays.solve()
    _agree(name, "naive Python", list(map(naive, layouts[:few])), _answers(solve(name, layouts[:few])))
    rates = _in_turn(
        lambda: MANY / seconds(arrays.solve), lambda: few / seconds(lambda: [naive(layout) for layout in layouts[:few]])
    )
    return _row(name, f"Python, {what}", rates, subject.naive)


def _against_programs(name: str) -> list[list[str]]:
    subject = SUBJECTS[name]
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        nothing = ["–", "–", "–"]
        return [
            [f"`{name}`", f"{what}: skipped, no C++ compiler", *nothing, _goal(goal), "–"]
            for what, goal, _ in subject.ports.values()
        ]
    return [_against_program(compiler, name, program) for program in subject.ports]


def _against_program(compiler: str, name: str, program: str) -> list[str]:
    subject = SUBJECTS[name]
    what, goal, count = subject.ports[program]
    layouts = _layouts(name, count)
    arrays = Arrays(subject, layouts)
    with tempfile.TemporaryDirectory() as folder:
        built, listed = Path(folder) / program, Path(folder) / "layouts"
        subprocess.run([compiler, *OPTIONS, str(SOURCES / f"{program}.cpp"), "-o", str(built)], check=True)
        listed.write_text("\n".join(layouts) + "\n")
        ours = arrays.said_of_states() if program == STATES else arrays.said()
        _agree(name, program, _run(built, listed)[1], ours)
        rates = _in_turn(lambda: count / seconds(arrays.solve), lambda: count / _run(built, listed)[0])
    return _row(name, what, rates, goal)


def _run(program: Path, listed: Path) -> tuple[float, Said]:
    """Run a program. Return the seconds it reports, without startup and reading, and its summary."""
    told = subprocess.run([str(program), str(listed)], check=True, capture_output=True, text=True)
    elapsed, digest, *counts = told.stdout.split()
    return float(elapsed), Said(int(digest, 16), list(map(int, counts)))


def _in_turn(ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float, float]:
    """Return the median rates of both sides, measured A B A B …, and the median of their ratios; see
    `bench.measure`."""
    pairs = [(ours(), theirs()) for _ in range(ROUNDS)]
    return median(a for a, _ in pairs), median(b for _, b in pairs), median(a / b for a, b in pairs)


def _layouts(name: str, count: int) -> list[str]:
    """Compile the engine's kernels, and return deals for it."""
    load(name)
    return deal(find_engine(name)[0], SEED, 1, count)


def _answers(said: Batch) -> list[object]:
    """Convert the results of an engine to the form of the naive implementations."""
    triples = zip(said.verdicts, said.values, said.evidence, strict=True)
    return [
        (value, evidence) if verdict is Verdict.SCORED else verdict is Verdict.WINNABLE
        for verdict, value, evidence in triples
    ]


def _agree(name: str, program: str, theirs: object, ours: object) -> None:
    if theirs != ours:
        raise ValueError(f"{name} and {program} disagree: {ours} and {theirs}")


def _counts(verdicts: object) -> list[int]:
    """Return the number of verdicts of each kind that a kernel can give."""
    times = np.bincount(np.asarray(verdicts), minlength=int(Verdict.UNDECIDED) + 1)
    return [int(times[kind]) for kind in range(int(Verdict.WINNABLE), int(Verdict.UNDECIDED) + 1)]


def _row(name: str, what: str, rates: tuple[float, float, float], goal: float | None) -> list[str]:
    ours, theirs, ratio = rates
    met = "–" if goal is None else "yes" if ratio >= goal else "no"
    return [f"`{name}`", what, rounded(ours), rounded(theirs), f"{rounded(ratio)} ×", _goal(goal), met]


def _goal(goal: float | None) -> str:
    return "–" if goal is None else f"{goal:,g} ×"


def _hash_on(data: Bytes, value: np.uint64) -> np.uint64:
    for byte in data:
        value = (value ^ np.uint64(byte)) * np.uint64(FNV_PRIME)
    return value


_compiled: Callable[[Bytes, np.uint64], np.uint64] = numba.njit(cache=False)(_hash_on)


def _fnv1a(data: Bytes, value: np.uint64) -> int:
    """Return the 64-bit FNV-1a hash of `data`, continuing from the hash `value` of the preceding bytes."""
    return int(_compiled(data, value))
