"""Tables for papers: runs with their confidence intervals, in LaTeX with the package booktabs.

The same runs give the same text, byte for byte.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.survey.figures import WINNABILITY, format_figure

ESCAPES = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
}
Row = Mapping[str, Any]
NOTHING = "--"
"""What a cell has without a figure."""
SHARES = ("Game", "Deals", "Winnable", "Unwinnable", "Not decided", "Share in \\%", "95\\,\\% interval in \\%")
MEANS = ("Engine", "Deals", "Mean", "95\\,\\% interval")


def latex_table(rows: Sequence[Row]) -> str:
    """Return runs as tables: one of shares of winnable deals, one of mean values, those that there are.

    A row has the keys of `survey.report.survey_facts`. Its interval is None if the layouts are no random sample, and
    its fingerprint if the run is not finished. Comments say how the rows can be repeated.
    """
    shares = [row for row in rows if row["estimate"] == WINNABILITY]
    means = [row for row in rows if row["estimate"] != WINNABILITY]
    lines = [f"% Written by dealmill {version('dealmill')}; it needs \\usepackage{{booktabs}}.", *map(_comment, rows)]
    if shares:
        lines += ["% Intervals: Wilson score; what is not decided counts both ways.", *_tabular(SHARES, shares, _share)]
    if means:
        lines += ["% Intervals of means: normal.", *_tabular(MEANS, means, _mean)]
    return "\n".join([*lines, ""])


def _comment(row: Row) -> str:
    limit = "no node limit" if row["max_nodes"] is None else f"at most {row['max_nodes']:,} nodes"
    fingerprint = row["fingerprint"] or "not finished"
    words = (
        f"{row['engine']} {row['version']}, {row['deals']:,} of {row['source']}, {limit}, fingerprint: {fingerprint}"
    )
    return f"% {' '.join(words.split())}"


def _tabular(heads: Sequence[str], rows: Sequence[Row], cells: Callable[[Row], list[str]]) -> Iterator[str]:
    yield f"\\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}"
    yield "\\toprule"
    yield _line(heads)
    yield "\\midrule"
    yield from (_line(cells(row)) for row in rows)
    yield "\\bottomrule"
    yield "\\end{tabular}"


def _line(cells: Sequence[str]) -> str:
    return f"{' & '.join(cells)} \\\\"


def _share(row: Row) -> list[str]:
    undecided = row[Verdict.UNDECIDED.word] + row[Verdict.FAILED.word]
    counts = (row["deals"], row[Verdict.WINNABLE.word], row[Verdict.UNWINNABLE.word], undecided)
    return [escaped(_title(row["engine"])), *map(_number, counts), _figure(row, "value"), _interval(row)]


def _mean(row: Row) -> list[str]:
    return [f"\\texttt{{{escaped(row['engine'])}}}", _number(row["deals"]), _figure(row, "value"), _interval(row)]


def _title(engine: str) -> str:
    """Return the title of the game of an engine, or its name if it is not installed here."""
    try:
        return find_engine(engine)[0].full_title
    except DealmillError:
        return engine.partition("/")[0]


def _interval(row: Row) -> str:
    return NOTHING if row["low"] is None else f"{_figure(row, 'low')}--{_figure(row, 'high')}"


def _figure(row: Row, key: str) -> str:
    return NOTHING if row[key] is None else format_figure(row, key).removesuffix(" %").replace(",", "\\,")


def _number(number: int) -> str:
    return f"{number:,}".replace(",", "\\,")


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it."""
    return "".join(ESCAPES.get(sign, sign) for sign in text)
