"""``python -m bench [HEADING…]``: run all benchmarks, or those of some headings, print them, and write them into
docs/performance.md."""

import os
import platform
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from bench import audits, checks, engines, growth, kernels, page, room, scripts, startup, streams, surveys

SECTIONS: list[tuple[str, str, Callable[[], str]]] = [
    (
        "The whole way",
        "`dealmill run` on a file with two workers, from the start of the command to its end, against two scripts of "
        "one process that read the same file, call the same engine, and insert the same rows with the driver of the "
        "database: a plain one (`bench/bare.py`), and one whose author knows all the tricks (`bench/clever.py`).",
        scripts.against_scripts,
    ),
    (
        "Engines",
        "Through `dealmill.pipeline.solve`, on a core, evidence included, against the naive implementations of the "
        "tests. They write it too, except for card pairing and Camelot, where they only say whether a deal is won.",
        engines.against_naive,
    ),
    (
        "Kernels",
        "The compiled kernels alone, on one core, evidence written as it is stored, against naive Python and against "
        "C++ programs of ours (`bench/cpp`, -O3): one as a contestant would write it, and one of the same method. The "
        "naive Python writes the evidence too, except for card pairing and Camelot, where it only says whether a deal "
        "is won. That both sides say the same is seen to first.",
        kernels.kernels,
    ),
    (
        "Checks",
        "The compiled check that texts are canonical, which every layout passes before it is solved, as a share of the "
        "time of the bare kernel; and the reader of the game, in Python, as a multiple of the check.",
        checks.against_kernels,
    ),
    (
        "Around the engine",
        "Dealing, and reading one canonical layout a line, as multiples of the time the default engine takes.",
        engines.around_the_engine,
    ),
    (
        "On disk",
        "Bytes of the embedded database for each layout after a run, by table, column and index. What a table takes "
        "beyond its columns are the headers of its rows, and room in its pages that is left for more.",
        room.on_disk,
    ),
    (
        "Ten times as many",
        "`dealmill run` on a file of card pairing with two workers and SQLite, exporting all of its verdicts, and "
        "asking for some of them (in one process, with the store opened).",
        growth.ten_times,
    ),
    ("Starting", "From the start of a command to its end, with engines compiled before and not.", startup.start_up),
    (
        "Surveys",
        "`dealmill survey` with two workers, from the start of the command to its end, against two processes that deal "
        "and solve as many and keep nothing, half of the deals before it and half after it.",
        surveys.against_bare_kernels,
    ),
    (
        "To a hundredth of a per cent",
        "`dealmill survey --half-width 0.01%` with two workers and SQLite; bytes on disk for a hundred million deals; "
        "and how long it takes to ask for the first hundred unwinnable deals, for those of the last thousand, for one.",
        surveys.to_a_hundredth_of_a_per_cent,
    ),
    ("A stream", "`dealmill answer` on canonical layouts through a pipe.", streams.stream),
    ("Evidence", "Bytes of evidence over random deals.", engines.evidence_sizes),
    (
        "Certificates",
        "Bytes of the certificates of random lost deals.",
        audits.certificates,
    ),
    (
        "The referee",
        "Plain Python against compiled engines, one core each: how many times as long as solving it takes to check. "
        "The ratio is per layout.",
        audits.against_solving,
    ),
    (
        "Audits",
        "`dealmill audit` of all verdicts with two workers and SQLite, from the start of the command to its end, "
        "against the script of one process (`bench/bare.py`) that reads the file, solves it and inserts the rows.",
        audits.against_a_script,
    ),
    (
        "A million verdicts audited",
        "`dealmill run` and `dealmill audit` on a million random deals with two workers and SQLite, from the start of "
        "the command to its end.",
        audits.a_million,
    ),
]


def machine() -> str:
    """What it ran on."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "numpy", "sqlalchemy", "celery"))
    return f"{os.cpu_count()} cores ({model}), Python {platform.python_version()}, {versions}"


END = """## How it was measured

By `make bench`, which takes hours; `python -m bench "The whole way"` measures one part anew. Both sides of a ratio are
measured in turn in one run, and a median is given: of three, of five for kernels, of nine for starting; surveys and
runs of ten million are done once. Rates are of a shared, noisy machine: the ratios count."""


def main(wanted: Sequence[str]) -> None:
    """Measure and write."""
    titles = [title for title, _, _ in SECTIONS]
    if unknown := set(wanted) - set(titles):
        sys.exit(f"no such heading: {', '.join(sorted(unknown))}; there are: {', '.join(titles)}")
    for title, meaning, measured in SECTIONS:
        if not wanted or title in wanted:
            text = f"{measured()}\n\n{meaning}\n\n{datetime.now(UTC):%Y-%m-%d}, {machine()}."
            sys.stdout.write(f"## {title}\n\n{text}\n\n")
            sys.stdout.flush()
            page.write(titles, page.parts() | {title: text}, END)


main(sys.argv[1:])
