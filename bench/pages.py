"""Benchmark of the pages of `dealmill web`: ``python -m bench.pages [VERDICTS DEALS]``, or ``python -m bench.pages
patiences``.

The store has a run of VERDICTS layouts, stored as rows, and a survey of DEALS deals. Each page is requested alone; then
two workers solve another run while 50 tabs poll, half of them the list of runs and half of them the page of that run,
every two seconds; and the same run is solved without tabs.

The store of patiences has pages with many cards, long plays, and proofs that take long to check.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from random import Random
from statistics import median, quantiles
from threading import Event, Thread
from time import perf_counter, sleep
from typing import NamedTuple
from urllib.parse import urlencode

import dealmill
from bench.measure import rounded, seconds, table
from bench.scale_servers import cpu_seconds
from tests.servers import Postgres, clean_environment, dealmill_command, running_postgres

GAME, SURVEYED = "card-pairing", "hi-q"
VERDICTS, DEALS = 100_000, 1_000_000
SOLVED = 300_000
"""Layouts of the run that is solved meanwhile."""
TABS, POLL_SECONDS = 50, 2.0
TIMES, ROUNDS = 15, 3
RUN, SURVEY = "/runs/1", "/runs/2"


def paths(verdicts: int, deals: int) -> list[tuple[str, str]]:
    """Return the pages, each with a name. Some filters match no layout, and some match very few."""
    middle, half = f"after={verdicts // 2}", f"after={deals // 2}"
    return [
        ("runs", "/"),
        ("run", RUN),
        ("survey", SURVEY),
        ("layouts, in the middle", f"{RUN}/layouts?{middle}"),
        ("previous page", f"{RUN}/layouts?before={verdicts // 2}"),
        ("one verdict", f"{RUN}/layouts?verdict=unwinnable&{middle}"),
        ("a verdict that never occurs", f"{RUN}/layouts?verdict=failed"),
        ("nodes, rare", f"{RUN}/layouts?nodes=500.."),
        ("nodes, none", f"{RUN}/layouts?nodes=1000000.."),
        ("verdict and nodes, none", f"{RUN}/layouts?verdict=unwinnable&nodes=0"),
        ("a layout", f"{RUN}/layouts/{verdicts // 2}"),
        ("a layout under a filter", f"{RUN}/layouts/{verdicts // 2}?nodes=500.."),
        ("deals, in the middle", f"{SURVEY}/layouts?{half}"),
        ("deals, values", f"{SURVEY}/layouts?value=100..105&{half}"),
        ("deals, values, rare", f"{SURVEY}/layouts?value=240..&{half}"),
        ("deals, values, none", f"{SURVEY}/layouts?value=100000.."),
        ("a deal", f"{SURVEY}/layouts/{deals // 2}"),
        ("API, one verdict", f"/api{RUN}/results?verdict=unwinnable&{middle}"),
    ]


def pages(verdicts: int = VERDICTS, deals: int = DEALS) -> str:
    """Return a table of the pages alone, and a table of 50 tabs, on both databases."""
    with running_postgres() as server, tempfile.TemporaryDirectory() as folder:
        urls = {"SQLite": f"sqlite:///{folder}/dealmill.db", "PostgreSQL": server.new_database()}
        for url in urls.values():
            _command(url, "db", "upgrade")
            _command(url, "run", f"deal:{GAME}:seed=1:1-{verdicts}")
            _command(url, "survey", SURVEYED, "--count", str(deals))
        return measured(urls, server, verdicts, deals)


def measured(urls: dict[str, str], server: Postgres, verdicts: int, deals: int) -> str:
    """Return the tables for stores that have the run and the survey."""
    rows: dict[str, list[str]] = {name: [name] for name, _ in paths(verdicts, deals)}
    together, slowest = [], dict[str, float]()
    for database, url in urls.items():
        others = [server.process.pid] if database == "PostgreSQL" else []
        with serving(url) as (port, process):
            for name, path in paths(verdicts, deals):
                views = alone(port, path, [process, *others])
                rows[name] += [rounded(views.later), rounded(views.cpu)]
                slowest[database] = max(slowest.get(database, 0), views.later)
            together.append([database, *_together(port, url)])
    heads = [f"{database}, {what}" for database in urls for what in ("ms", "ms of CPU time")]
    longest = " and ".join(f"{rounded(time)} ms on {database}" for database, time in slowest.items())
    return "\n\n".join(
        (
            f"The slowest page over {verdicts:,} verdicts and {deals:,} deals takes {longest}.",
            table([f"page ({verdicts:,} verdicts, {deals:,} deals)", *heads], list(rows.values())),
            table(
                [
                    f"{TABS} tabs",
                    "median, ms",
                    "p99, ms",
                    f"run of {SOLVED:,} with tabs, s",
                    "without, s",
                    "ratio",
                ],
                together,
            ),
        )
    )


class Views(NamedTuple):
    """The views of a page: the ms of the first, the median ms of the later ones, their mean ms of CPU time of all
    processes, and the bytes of the page."""

    first: float
    later: float
    cpu: float
    size: int


def alone(port: int, path: str, processes: list[int], times: int = TIMES) -> Views:
    """View a page. Each request has another URL, with more ampersands that separate nothing, so that none gets a page
    that was made for another one."""
    first = seconds(partial(_get, port, path)) * 1e3
    _settle(port, path)
    before = sum(map(cpu_seconds, processes))
    query = "" if "?" in path else "?"
    waited = [seconds(partial(_get, port, path + query + "&" * time)) * 1e3 for time in range(1, times + 1)]
    cpu = (sum(map(cpu_seconds, processes)) - before) / times * 1e3
    return Views(first, median(waited), cpu, _get(port, path).size)


def _settle(port: int, path: str) -> None:
    """Wait until the verdicts on a page have been checked."""
    while "being checked" in _get(port, path).text:
        sleep(0.2)


def _together(port: int, url: str) -> list[str]:
    """Solve runs without and with tabs, in turn. Return the latencies of the tabs and the times of the runs."""
    latencies: list[float] = []
    with_tabs, without = list[float](), list[float]()
    for number in range(3, 3 + 2 * ROUNDS, 2):
        without.append(seconds(partial(_solve, url, number)))
        with _polling(port, ["/", f"/runs/{number + 1}"], latencies):
            with_tabs.append(seconds(partial(_solve, url, number + 1)))
    cuts = quantiles(latencies, n=100)
    ratio = median(busy / idle for busy, idle in zip(with_tabs, without, strict=True))
    return [
        rounded(cuts[49]),
        rounded(cuts[98]),
        rounded(median(with_tabs)),
        rounded(median(without)),
        f"{ratio:.2f} ×",
    ]


@contextmanager
def _polling(port: int, tabs: list[str], latencies: list[float]) -> Iterator[None]:
    """Poll pages from `TABS` threads for the duration of the `with` block; add the ms of each request to
    `latencies`."""
    ended = Event()
    threads = [Thread(target=_tab, args=(port, path, latencies, ended)) for path in islice(cycle(tabs), TABS)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _tab(port: int, path: str, latencies: list[float], ended: Event) -> None:
    tag = ""
    ended.wait(Random(path).uniform(0, POLL_SECONDS))  # noqa: S311 -- no secret
    while not ended.is_set():
        begun = perf_counter()
        tag = _get(port, path, tag, allowed=(200, 304, 404)).tag  # 404 until the run is planned
        latencies.append((perf_counter() - begun) * 1e3)
        ended.wait(POLL_SECONDS)


class Page(NamedTuple):
    """A page, its ETag and the number of its bytes."""

    text: str
    tag: str
    size: int


def _get(port: int, path: str, tag: str = "", *, allowed: tuple[int, ...] = (200, 304)) -> Page:
    """Request a page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"If-None-Match": tag} if tag else {})
    answer = connection.getresponse()
    body = answer.read()
    text = body.decode()
    if answer.status not in allowed and "try again" not in text:  # the next poll does, when a file gets a writer
        raise RuntimeError(f"{path}: {answer.status} {text}")
    return Page(text, answer.getheader("ETag") or "", len(body))


@contextmanager
def serving(url: str) -> Iterator[tuple[int, int]]:
    """Serve the pages for the duration of the `with` block, and yield the port and the number of the process."""
    process = subprocess.Popen(
        dealmill_command(["web", "--port", "0"]), env=_environment(url), stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr is not None  # noqa: S101 -- it is piped
        yield int(process.stderr.readline().partition("/ serves")[0].rpartition(":")[2]), process.pid
    finally:
        process.terminate()
        process.wait()


def _solve(url: str, number: int) -> None:
    """Solve the run with this number, over deals that no other run has."""
    _command(url, "run", f"deal:{GAME}:seed={number}:1-{SOLVED}")


def _command(url: str, *arguments: str) -> None:
    subprocess.run(dealmill_command(arguments), env=_environment(url), check=True, capture_output=True)


def _environment(url: str) -> dict[str, str]:
    return clean_environment({"DEALMILL_DATABASE_URL": url, "DEALMILL_WORKERS": "2"})


PATIENCES = {
    "klondike": ("deal:klondike:seed=1:1-60",),
    "klondike, 100 nodes": ("deal:klondike:seed=1:1-60", "--max-nodes", "100"),
    "freecell": ("deal:freecell:seed=1:1-30",),
    "spider": ("deal:spider:seed=1:1-50", "--max-nodes", "20000"),
    "spider-1-suit": ("deal:spider-1-suit:seed=1:1-10",),
    "black-hole": ("deal:black-hole:seed=1:1-20",),
    "chances": ("deal:klondike:seed=1:1-5", "--engine", "klondike/chances"),
}
"""Runs of patiences, in the order of their numbers; the next one is of a solver that says the opposite of the run with
`CONTRADICTED`."""
CONTRADICTED = "spider-1-suit"


def patiences() -> str:
    """Return a table of pages of patiences, on SQLite."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/dealmill.db"
        for words in PATIENCES.values():
            _command(url, "run", *words)
        with dealmill.open(url) as store:
            runs = {name: store.find_run(number) for number, name in enumerate(PATIENCES, start=1)}
            _contradict(store, runs[CONTRADICTED], Path(folder) / f"{CONTRADICTED}.jsonl")
            paths = _paths_of_patiences(runs)
        rows = []
        with serving(url) as (port, process):
            for name, path in paths.items():
                views = alone(port, path, [process])
                rows.append([name, *map(rounded, (views.first, views.later, views.cpu, views.size / 1e3))])
    return table(["page", "first view, ms", "later views, ms", "ms of CPU time", "kB"], rows)


def _contradict(store: dealmill.Store, run: dealmill.Run, path: Path) -> None:
    """Store the opposite of the verdicts of a run, without evidence, by way of a file."""
    opposite = {"winnable": "unwinnable", "unwinnable": "winnable"}
    with path.open("w") as file:
        for result in run.results():
            row = {"layout": result.layout, "verdict": opposite.get(result.verdict.word, "undecided")}
            file.write(f"{json.dumps(row)}\n")
    store.import_verdicts(path, engine="rival", version="1")


def _paths_of_patiences(runs: dict[str, dealmill.Run]) -> dict[str, str]:
    """Return the addresses of pages, by name."""
    numbers = {name: run.progress.id for name, run in runs.items()}
    contradicting = len(runs) + 1

    def longest(name: str, verdict: str) -> dealmill.Result:
        results = (result for result in runs[name].results() if result.verdict.word == verdict)
        return max(results, key=lambda result: len(result.evidence or ""))

    def page_of(result: dealmill.Result, step: str = "") -> str:
        return f"/runs/{result.run}/layouts/{result.position}{step}"

    def check(name: str, layout: str, address: str = "check") -> str:
        return f"/{address}?{urlencode({'game': name, 'layout': layout})}"

    klondike, freecell = longest("klondike", "winnable"), longest("freecell", "winnable")
    spider, plays = (runs[name].result(1) for name in ("spider", "chances"))
    return {
        "a run of Klondike": f"/runs/{numbers['klondike']}",
        "layouts of Klondike": f"/runs/{numbers['klondike']}/layouts",
        "layouts of Spider": f"/runs/{numbers['spider']}/layouts",
        "layouts of Black Hole": f"/runs/{numbers['black-hole']}/layouts",
        "a board in the list of Spider": page_of(spider, "/board.svg"),
        "the longest win of Klondike": page_of(klondike),
        "the longest win of FreeCell": page_of(freecell),
        "its step 100": page_of(freecell, "?step=100"),
        "a win of Spider with one suit": page_of(longest("spider-1-suit", "winnable")),
        "a loss of Klondike": page_of(longest("klondike", "unwinnable")),
        "a loss of Black Hole": page_of(longest("black-hole", "unwinnable")),
        "an undecided layout of Spider": page_of(spider),
        "1,000 plays of Klondike": page_of(plays, "?step=1"),
        "two runs of Klondike": f"/compare?run={numbers['klondike']}&run={numbers['klondike, 100 nodes']}",
        "two runs of Spider, contradictions": f"/compare?run={numbers[CONTRADICTED]}&run={contradicting}",
        "two verdicts side by side": f"/compare/{numbers[CONTRADICTED]}/1/{contradicting}/1",
        "the form to check a layout": "/check",
        "a pasted layout of Klondike": check("klondike", klondike.layout),
        "a pasted layout of FreeCell": check("freecell", freecell.layout),
        "a pasted layout of Spider": check("spider", spider.layout),
        "Klondike in play": check("klondike", klondike.layout, "play"),
        "Spider in play": check("spider", spider.layout, "play"),
    }


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.stdout.write((patiences() if words == ["patiences"] else pages(*map(int, words))) + "\n")
