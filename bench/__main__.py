"""Run the benchmarks, print the results and write them to docs/performance.md: ``python -m bench [HEADING…]``.

Without headings, all benchmarks are run that together take half an hour; ``python -m bench --scale`` runs those
with millions of layouts, which take hours.
"""

import os
import platform
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

from bench import (
    audits,
    checkers,
    checks,
    copies,
    covering,
    engines,
    finding,
    freecell,
    growth,
    imports,
    jobs,
    kernels,
    page,
    pages,
    pairing,
    patiences,
    programs,
    quotient,
    room,
    scripts,
    startup,
    streams,
    surveys,
    waits,
)
from bench.measure import NotInstalled

Section = tuple[str, str, Callable[[], str]]
"""A heading, a description, and the function that measures."""
SECTIONS: list[Section] = [
    (
        "The whole way",
        "Total time of `dealmill run` on a file with two workers, compared with two single-process scripts that read "
        "the same file, call the same engine, and insert the same rows with the database driver: a plain script "
        "(`bench/bare.py`), and a fully optimized one (`bench/clever.py`).",
        scripts.against_scripts,
    ),
    (
        "Engines",
        "`dealmill.pipeline.solving.solve` on one core, including evidence, compared with the naive implementations of "
        "the tests. These produce the same evidence, except for the engines `winnable` and `fewest`, where they only "
        "give the answer.",
        engines.against_naive,
    ),
    (
        "Kernels",
        "The compiled kernels alone on one core, including evidence in its stored form, compared with naive Python and "
        "with our own C++ programs (`bench/cpp`, -O3): one written as in a programming contest, and ports of the same "
        "algorithms. The naive Python produces the same evidence, except for card pairing and Camelot, where it only "
        "decides whether a deal is winnable. Before each measurement, the results of both sides are checked to agree.",
        kernels.kernels,
    ),
    (
        "Card pairing of any size",
        "The CPU time of one core for a deal, and how many times as long other solvers take at the median and at p99 "
        "(with fewer than a hundred deals, the slowest), with goals in parentheses. A ratio that misses its goal is in "
        "bold type. "
        "All verdicts agree. Ours is the time of a call with 20 copies of a deal, divided by 20, and includes reading "
        "it and writing its evidence; that of the others includes building their models, but not working out the "
        "options, and they give no proofs. Each deal may take 10 s; if more than half take longer, the rest are left "
        "out. clingo has `#edge` constraints; given rule by rule, it needs no text to be parsed and grounded. CP-SAT "
        "has one worker, and a number for the move of each card. CaDiCaL gets a clause for each cycle that its answers "
        "have, until they have none (lazy SAT). The search over states is depth-first, compiled by numba, and "
        "remembers lost states. `make bench-rivals DEALS=50` repeats it with 50 deals of each size (more than an "
        "hour).",
        pairing.against_rivals,
    ),
    (
        "Checks",
        "The compiled check for canonical text, which every layout passes before it is solved, as a share of the "
        "kernel's time; and the game's parser in Python, as a multiple of the check.",
        checks.against_kernels,
    ),
    (
        "Programs",
        "Engines that are programs: the two examples for Memory. Through the protocol, a program gets one layout at a "
        "time, and its answers are checked. This is compared with the same program that gets all layouts at once, and "
        "whose answers are only counted.",
        programs.against_at_once,
    ),
    (
        "FreeCell",
        "Freecell Solver through the protocol, on one core, compared with its own range solver, which keeps no moves "
        "(`freecell-solver-range-parallel-solve -l lg`), on the same deals; the engine of Dealmill, and both referees.",
        freecell.against_range_solver,
    ),
    (
        "Patiences",
        "The engine of patiences on deals 1 to 100 of seed 1, with a limit of 100,000 nodes, on one core, in processor "
        "time, including evidence. A list names the cards that prove a loss; other losses are proved by the number of "
        "all positions. The referee is the one in plain Python, for losses that it can check.",
        patiences.evidence,
    ),
    (
        "Around the engine",
        "Dealing, and parsing canonical layouts (one per line), as multiples of the time of the default engine.",
        engines.around_the_engine,
    ),
    (
        "On disk",
        "Size of the embedded database after a run, in bytes per layout, by table, column and index. The difference "
        "between a table and its columns is row headers and free space in pages.",
        room.on_disk,
    ),
    (
        "Ten times as many",
        "`dealmill run` on a file of card-pairing layouts with two workers and SQLite, an export of all verdicts, and "
        "queries (in one process, with the store open).",
        growth.ten_times,
    ),
    (
        "More runs",
        "Stores with runs of one layout each, on SQLite. What concerns one run, or one page, should not "
        "depend on their number: whole commands, and pages of `dealmill web`. What lists or solves all of them should "
        "grow in proportion, with a slope of 1 on logarithmic scales: `dealmill run`, without the time of a single "
        "range or file, and calls in one process. The runs are made a day older first, because the list of workers is "
        "about the jobs of the last hour.",
        growth.more_runs,
    ),
    (
        "Finding a layout",
        "Searches in one process, with the store on SQLite open.",
        finding.searches,
    ),
    (
        "Imports",
        "`dealmill import` of an export into SQLite in one process, compared with an ingest of the same layouts, which "
        "writes half as many rows, and with an ingest and a run.",
        imports.imports,
    ),
    (
        "Copies",
        "`dealmill db copy` of a store with 100,000 layouts of each of two games in one process, with all comparisons, "
        "against inserting the same rows, which are in memory, into new tables: one COPY or one INSERT per table.",
        copies.copies,
    ),
    (
        "Pages",
        "Pages of `dealmill web` over one store, requested one by one; the CPU time is that of the web server and of "
        "PostgreSQL. Then two workers solve another run while 50 tabs poll every two seconds, half of them the list of "
        "runs and half of them the page of that run. Finished runs are not polled.",
        pages.pages,
    ),
    (
        "Pages of patiences",
        "Pages of `dealmill web` over runs of patiences on SQLite, requested one by one. The first view of a proof or "
        "a play draws it, and starts to check it; that of a pasted layout loads its engine and solves it. Both are "
        "kept. The CPU time is that of later views, in all processes of the server.",
        pages.patiences,
    ),
    (
        "Small jobs",
        "A thousand jobs of two layouts by a worker, in one process, compared with a script that claims them, reads, "
        "solves and writes their layouts, and finishes them with the database driver alone. The script checks neither "
        "engine nor revision, and writes no totals and digests.",
        jobs.small_jobs,
    ),
    ("Starting", "Total time of a command, with and without compiled engines in the cache.", startup.start_up),
    (
        "Surveys",
        "Total time of `dealmill survey` with two workers, compared with two processes that deal and solve the same "
        "number of deals without storing anything: half of them before the survey, and half after it.",
        surveys.against_bare_kernels,
    ),
    ("A stream", "`dealmill answer` on canonical layouts from a pipe.", streams.stream),
    ("Evidence", "Size of the evidence of random deals, in bytes.", engines.evidence_sizes),
    (
        "The referee",
        "The referee in plain Python compared with compiled engines, on one core each: the time to check a verdict as "
        "a multiple of the time to solve the layout.",
        audits.against_solving,
    ),
    (
        "Audits",
        "Total time of `dealmill audit` of all verdicts with two workers and SQLite, compared with the single-process "
        "script (`bench/bare.py`) that reads the file, solves it and inserts the rows.",
        audits.against_a_script,
    ),
    (
        "Checkers",
        "Rows that a checker (`dealmill export --with-checker`) proves per second, on one core with the same Python, "
        "from start to end.",
        checkers.rates,
    ),
]

BY_HEADING: list[Section] = [
    (
        "Waits",
        "What people wait for first: ratios of the processor time of all processes of a command, both sides in turn, "
        "medians of seven rounds.",
        waits.waits,
    ),
    (
        "Games decided completely",
        "TriPeaks, Pyramid and other covering games, Golf and Black Hole: deals 1 to 500 of seed 1, with the default "
        "limit, on one core, in processor time, including evidence. The referee is the one in plain Python, for losses "
        "that it can check.",
        covering.decided,
    ),
    (
        "Audits of patiences",
        "Solving the first deals of seed 1 of each patience and covering game with the default limit, and judging all "
        "verdicts as an audit does, on one core, in processor time: up to 2,000 deals, until five seconds are spent on "
        "solving.",
        audits.of_games_by_rules,
    ),
]
"""What is measured only if its heading is given."""

AT_SCALE: list[Section] = [
    (
        "Klondike by node limits",
        "Deals 1 to 1,000 of seed 1 on one core, in processor time, including evidence. All are solved with the "
        "default limit: a lower one changes nothing but where the search ends. Auditing a verdict replays the moves of "
        "a win, or counts the positions of a loss by the compiled referee, and some of them in plain Python.",
        quotient.by_limits,
    ),
    (
        "Losses of patiences",
        "As *Patiences*, on deals 1 to 200 of each patience of which a list can prove a loss.",
        lambda: patiences.evidence(200, names=list(patiences.games_with_lists())),
    ),
    (
        "Ten million layouts",
        "As *The whole way*: the time of `dealmill run` on a file with two workers, compared with two scripts.",
        scripts.against_scripts_at_scale,
    ),
    (
        "Ten million against one million",
        "As *Ten times as many*.",
        partial(growth.ten_times, 1_000_000),
    ),
    (
        "Ten thousand runs",
        "As *More runs*.",
        partial(growth.more_runs, (300, 1_000, 3_000, 10_000)),
    ),
    (
        "Finding one of ten million layouts",
        "As *Finding a layout*.",
        partial(finding.searches, 10_000_000),
    ),
    (
        "Pages over ten million verdicts",
        "As *Pages*.",
        partial(pages.pages, 10_000_000, 100_000_000),
    ),
    (
        "Surveys of two minutes",
        "As *Surveys*.",
        partial(surveys.against_bare_kernels, 1.0),
    ),
    (
        "To a hundredth of a per cent",
        "`dealmill survey --half-width 0.01%` with two workers and SQLite; disk space per hundred million deals; and "
        "the time of queries for the first hundred unwinnable deals, for those among the last thousand deals, and for "
        "a single deal.",
        surveys.to_a_hundredth_of_a_per_cent,
    ),
    (
        "Audits of a million verdicts",
        "As *Audits*.",
        partial(audits.against_a_script, 1_000_000),
    ),
]


SCALE = "--scale"
"""The argument for the benchmarks of `AT_SCALE`."""


def machine() -> str:
    """Return a description of the machine and the versions of the main packages."""
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

`make bench` measures the first sections in half an hour, and `make bench-scale` all others, with millions of
layouts, in hours; `python -m bench "The whole way"` repeats one section, and `python -m bench Waits` or
`python -m bench "Games decided completely"` measures one of those that neither includes. Both sides of a ratio are
measured alternately in the same run. Figures are medians of three rounds, of five for kernels, and of nine for
starting; surveys, runs and games are measured once. Each section names its
machine: the Intel one takes about twice as long as the AMD one for the same work. Both are shared and noisy, so the
ratios are more reliable than the rates."""


def main(headings: Sequence[str]) -> None:
    """Run the benchmarks with the given headings, or all of a kind, and write the page."""
    every = (*SECTIONS, *BY_HEADING, *AT_SCALE)
    titles = [title for title, _, _ in every]
    if unknown := {*headings} - {*titles, SCALE}:
        sys.exit(f"unknown heading: {', '.join(sorted(unknown))}; the headings are: {', '.join(titles)}")
    for title, meaning, measured in AT_SCALE if SCALE in headings else every if headings else SECTIONS:
        if title in headings or not {*headings} - {SCALE}:
            begun = perf_counter()
            try:
                figures = measured()
            except NotInstalled as missing:
                sys.stdout.write(f"## {title}\n\nnot measured again: {missing}\n\n")
                continue
            text = f"{figures}\n\n{meaning}\n\n{datetime.now(UTC):%Y-%m-%d}, {machine()}."
            sys.stdout.write(f"## {title}\n\n{text}\n\n")
            sys.stdout.flush()
            sys.stderr.write(f"{title}: {perf_counter() - begun:.0f} s\n")
            page.write(titles, page.parts() | {title: text}, END)


main(sys.argv[1:])
