"""Reports on runs and single results: one HTML file that needs no network, no script and no other file.

A report reads a few results of a run, whatever its size: the first ones by their nodes or values. Histograms tell in
which range these are, so that jobs without such a number are skipped. A search that takes too long is stopped, and the
report says so.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from heapq import nsmallest
from importlib.metadata import version
from importlib.resources import files
from itertools import chain, islice, zip_longest
from time import monotonic
from typing import Any, Literal

from fastapi import Request
from fastapi.responses import Response
from markupsafe import Markup

import dealmill
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.results.chart_parts import STYLE, Chart
from dealmill.pipeline.results.measures import recorded_numbers
from dealmill.run_charts import distribution_chart, winnability_chart
from dealmill.web.check import TIME_LIMIT, Drawer
from dealmill.web.drawing import Drawing, draw_all
from dealmill.web.site import TEMPLATES
from dealmill.web.steps import is_small

LISTED, DRAWN = 5, 3
"""The results in each list of a run, and the proofs that are drawn."""
HELD = 2_000
"""The results that a search holds in memory."""
SEARCH_SECONDS, PAGE_SECONDS = 20.0, 2.0
"""How long a report searches for each of its lists: for a command, and while a page waits for it."""
HTML = "text/html; charset=utf-8"
MAX_CHARACTERS, MAX_CHARACTERS_OF_MANY = 20_000_000, 2_000_000
"""The longest pictures of a result, added up: if it is the subject of a report, and if it is one of several."""
DECIDED = (Verdict.WINNABLE, Verdict.UNWINNABLE, Verdict.SCORED)
Column = Literal["nodes", "value"]


@dataclass(frozen=True, slots=True)
class Proof:
    """A result with its pictures, its engine and the judgement of the referee. What is missing is None, and `why` is
    the reason; it is None for results that are too large."""

    result: dealmill.Result
    drawing: Drawing | None = None
    engine: Engine | None = None
    judgement: dealmill.Judgement | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """The first results of a run with a verdict, by their values if they have some, else by their nodes. `same` tells
    that these numbers do not differ. `reached` is the position at which the search was stopped because it took too
    long."""

    verdict: Verdict
    descending: bool
    same: bool = False
    results: Sequence[dealmill.Result] = ()
    reached: int | None = None

    @property
    def title(self) -> str:
        """What the results have in common, such as "Hardest wins: most nodes"."""
        things = {Verdict.WINNABLE: "wins", Verdict.UNWINNABLE: "losses"}.get(self.verdict, "layouts")
        if self.same:
            return f"First {things}: all have the same number"
        if self.verdict is Verdict.SCORED:
            return "Highest values" if self.descending else "Lowest values"
        end, number = ("Hardest", "most") if self.descending else ("Easiest", "fewest")
        return f"{end} {things}: {number} nodes"

    @property
    def column(self) -> Column:
        """The number by which results are ordered."""
        return "value" if self.verdict is Verdict.SCORED else "nodes"

    @property
    def numbers(self) -> Sequence[dealmill.Order]:
        """The numbers that are shown of each result, first that by which they are ordered."""
        return recorded_numbers(scored=self.verdict is Verdict.SCORED)

    def key(self, result: dealmill.Result) -> tuple[int, int]:
        """Return the key by which results are sorted."""
        number = result.nodes if result.value is None else result.value
        return -number if self.descending else number, result.position


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a report says of a run. `boards` are small pictures of the layouts in `rankings`, by position."""

    run: dealmill.Run
    rankings: Sequence[Ranking]
    boards: Mapping[int, str | None]
    proofs: Sequence[Proof]

    @property
    def interval(self) -> Chart | None:
        """The winnability with its interval."""
        return winnability_chart([self.run])

    @property
    def values(self) -> Chart | None:
        """The distribution of the values."""
        return distribution_chart(self.run, "value")

    @property
    def nodes(self) -> Chart | None:
        """The distribution of the node counts."""
        return distribution_chart(self.run, "nodes")


def document(
    subjects: Iterable[dealmill.Run | dealmill.Result],
    drawer: Drawer,
    *,
    retracted: bool = False,
    unfinished: bool = False,
    seconds: float = SEARCH_SECONDS,
) -> str:
    """Return the report on runs and results as an HTML document. The search for each list of results stops after some
    `seconds`.

    Raises
    ------
    RetractedError
        If the engine version of a run was retracted, and `retracted` is false.
    UnfinishedError
        If a run is not finished, and `unfinished` is false.
    DamagedError
        If part of a run, or a result that is needed, cannot be read.
    """
    runs, proofs = list[RunReport](), list[Proof]()
    for subject in subjects:
        if isinstance(subject, dealmill.Run):
            runs.append(_report_of(subject, drawer, retracted, unfinished, seconds))
        else:
            proofs.append(_proof(subject, drawer, MAX_CHARACTERS))
    sheets = [(files("dealmill.web") / "static" / name).read_text() for name in ("style.css", "report.css")]
    style = "".join([*sheets, STYLE])
    digest = b64encode(sha256(style.encode()).digest()).decode()
    return TEMPLATES.get_template("report.html").render(
        runs=runs,
        proofs=proofs,
        title=_title(runs, proofs),
        style=Markup(style),  # noqa: S704 -- our own style sheets
        policy=f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        version=version("dealmill"),
        citation=_citation(),
        comparison=winnability_chart([report.run for report in runs]) if len(runs) > 1 else None,
    )


def attached(
    request: Request,
    subject: dealmill.Run | dealmill.Result,
    name: str,
    *,
    retracted: bool = False,
    unfinished: bool = False,
) -> Response:
    """Return the report on a run or a result as a file of this name."""
    drawer = request.app.state.drawer
    text = document([subject], drawer, retracted=retracted, unfinished=unfinished, seconds=PAGE_SECONDS)
    return Response(text, media_type=HTML, headers={"Content-Disposition": f'attachment; filename="{name}.html"'})


def _title(runs: Sequence[RunReport], proofs: Sequence[Proof]) -> str:
    numbers = ", ".join(str(report.run.id) for report in runs)
    names = [f"Run{'s' * (len(runs) > 1)} {numbers}"] if runs else []
    return "; ".join([*names, *(f"Layout {proof.result.item or proof.result.line}" for proof in proofs)])


def _report_of(run: dealmill.Run, drawer: Drawer, retracted: bool, unfinished: bool, seconds: float) -> RunReport:
    run.results(retracted=retracted)  # raises the error of a retracted run
    run.progress.check_exportable(unfinished=unfinished)
    verdicts = [verdict for verdict in DECIDED if verdict in run.progress.counts]
    empty = [ranking for verdict in verdicts for ranking in _rankings(run, verdict)]
    rankings = [_filled(run, ranking, retracted, seconds) for ranking in empty]
    listed = {result.position: result for ranking in rankings for result in ranking.results}
    boards = {position: _board(result, drawer) for position, result in listed.items()}
    return RunReport(run, rankings, boards, list(islice(_proofs(rankings, drawer), DRAWN)))


def _rankings(run: dealmill.Run, verdict: Verdict) -> list[Ranking]:
    """Return the rankings of a verdict without results: both ends of the order, or one list if all numbers are equal or
    there are few results."""
    if run.progress.counts[verdict] <= LISTED:
        return [Ranking(verdict, descending=True)]
    histogram = run.histogram(Ranking(verdict, False).column)
    if histogram and histogram.bars[0].low == histogram.bars[-1].high:
        return [Ranking(verdict, descending=False, same=True)]
    return [Ranking(verdict, descending) for descending in (True, False)]


def _filled(run: dealmill.Run, ranking: Ranking, retracted: bool, seconds: float) -> Ranking:
    """Return a ranking with its results."""
    end, column = monotonic() + seconds, ranking.column
    for ends in _ranges(run.histogram(column), ranking.descending):
        first = list[dealmill.Result]()
        reached: int | None = 0
        numbers: dict[str, Any] = {column: ends}
        while reached is not None and monotonic() < end:
            query = run.results(verdict=ranking.verdict, after=reached, limit=HELD, retracted=retracted, **numbers)
            searched = query.search(end - monotonic())
            first = nsmallest(LISTED, [*first, *searched.results], ranking.key)
            reached = searched.reached[1] if searched.reached else None
            if len(searched.results) == HELD:
                reached = searched.results[-1].position
        if len(first) == LISTED or reached is not None:
            break
    return replace(ranking, results=first, reached=reached)


def _ranges(histogram: dealmill.Histogram | None, descending: bool) -> Iterator[tuple[int | None, int | None]]:
    """Yield ranges at one end of a distribution, each with several times as many numbers as the one before, and at last
    all numbers. A range has numbers of other verdicts, too, so the first one need not suffice."""
    counted, needed = 0, LISTED
    bars = histogram.bars if histogram else []
    for bar in reversed(bars) if descending else bars:
        counted += bar.count
        if counted >= needed:
            yield (bar.low, None) if descending else (None, bar.high)
            needed = 8 * counted
    yield None, None


def _proofs(rankings: Sequence[Ranking], drawer: Drawer) -> Iterator[Proof]:
    """Yield the results that can be drawn: in turns of each verdict, those with the least numbers first."""
    easiest_first = sorted(rankings, key=lambda ranking: ranking.descending)
    drawn = set[int]()
    for result in chain.from_iterable(zip_longest(*(ranking.results for ranking in easiest_first))):
        if result is not None and result.position not in drawn:
            drawn.add(result.position)
            proof = _proof(result, drawer, MAX_CHARACTERS_OF_MANY)
            if proof.drawing:
                yield proof


def _proof(result: dealmill.Result, drawer: Drawer, max_characters: int) -> Proof:
    if not is_small(result):
        return Proof(result)
    drawing = engine = judgement = why = None
    try:
        _, engine = result.game_and_engine
        judgement = drawer.call(TIME_LIMIT, dealmill.Result.check, result)
        drawing = drawer.call(TIME_LIMIT, draw_all, result, max_characters)
    except dealmill.DealmillError as error:
        why = str(error)
    return Proof(result, drawing, engine, judgement, why)


def _board(result: dealmill.Result, drawer: Drawer) -> str | None:
    """Return the picture of a layout; None if it is too large, or its game is not installed here or cannot draw it."""
    with suppress(dealmill.DealmillError):
        return drawer.layout(result) if is_small(result) else None
    return None


def _citation() -> dict[str, str]:
    """Return the fields of the citation, by name; "name" is that of the authors."""
    text = (files("dealmill") / "CITATION.cff").read_text()
    return dict(re.findall(r'^(?:  - )?([a-z-]+): "?(.*?)"?$', text, re.MULTILINE))
