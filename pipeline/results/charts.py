"""Seven charts as SVG: histograms, intervals, how an interval narrows, curves, bars, node counts of two runs, and a bar
of shares. Their parts are in `chart_parts`."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import ceil, log2, log10, sqrt
from typing import TYPE_CHECKING, NamedTuple

from dealmill.pipeline.games.pictures import Style, element
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import counted, decimal, percentage
from dealmill.pipeline.results.chart_parts import (
    BLUE,
    GRID,
    GRIDLINE,
    HALO,
    HEIGHT,
    INK,
    LINE_HEIGHT,
    MARK,
    TICKS,
    WHISKER,
    WIDTH,
    Chart,
    Scale,
    across,
    chart,
    dot,
    hit_area,
    labelled,
    labels,
    line,
    log_ticks,
    mark_lines,
    number_label,
    text,
    ticks,
    x_axis,
    y_axis,
)

if TYPE_CHECKING:
    from dealmill.pipeline.store.distributions.histograms import Bar

LEAST_REACH = 0.0005
"""The least part of the axis of shares on either side of them, so that its labels have few digits."""
MAX_NUMBERED_POINTS = 20
"""The most points of a curve that show their numbers."""
ROW_HEIGHT = 56
"""The height of a row of intervals, with two lines of text."""
MAX_LABEL_LETTERS = 40
"""The letters of a label that fit on a phone."""
BAR_HEIGHT = 18
"""The height of a bar with the room below it."""
SHARE_FOR_NAMES = 0.4
"""The share of the width on the right of the longest bar, for its name."""
SCATTER_HEIGHT = 320
"""The height of a scatter plot."""
PER_DECADE = 6
"""The dots of a scatter plot for a tenfold number of nodes."""
COLOURS = ("#0072b2", "#b36b00", "#007a5a", "#a8437f", "#56697a")
"""The colours of curves and bars, each of which is readable on white."""
FILLS = {
    Verdict.WINNABLE: "#0072b2",
    Verdict.UNWINNABLE: "#d55e00",
    Verdict.SCORED: "#4b7f72",
    Verdict.UNDECIDED: "#8a9099",
    Verdict.FAILED: "#b3261e",
}
"""The colours of verdicts."""


def histogram(
    bars: "Sequence[Bar]",
    unit: str,
    *,
    doubling: bool = False,
    marks: Mapping[str, float] | None = None,
    link: Callable[[int, int], str] | None = None,
) -> Chart:
    """Return a histogram of bars without gaps.

    Parameters
    ----------
    bars
        At least one, not all of them empty. They are equally wide, or `doubling` in width: 0, 1, 2 to 3, 4 to 7, …
    unit
        What the numbers count, such as ``nodes``; empty if there is no word for it.
    marks
        Numbers to mark on the axis, by their label, such as the mean.
    link
        The address of the page of a bar's layouts, by its least and greatest number.
    """
    low, high, single = bars[0].low, bars[-1].high, bars[0].low == bars[0].high

    def at(number: float) -> float:
        if doubling:
            return (_slot(number) - _slot(low)) / len(bars)
        return (number - low + (0.5 if single else 0)) / (high + 1 - low)

    highest = max(bar.count for bar in bars)
    total = sum(bar.count for bar in bars)
    top = LINE_HEIGHT * len(marks or {})
    step = 1 / len(bars)

    def height_of(count: float) -> float:
        return (HEIGHT - top) * count / highest

    def drawn(index: int, bar: "Bar") -> str:
        span = f"{bar.low:,}" if bar.low == bar.high else f"{bar.low:,} to {bar.high:,}"
        label = f"{unit or 'value'} {span}: {counted(bar.count, 'layout')}, {percentage(bar.count / total)}"
        height, gap = max(height_of(bar.count), 1), min(step / 8, 0.003)
        column = element(
            "rect",
            class_="column",
            x=across(step * index + gap),
            width=across(step - 2 * gap),
            y=HEIGHT - height,
            height=height,
            fill=BLUE,
        )
        reach = hit_area(step * index, step, 0, HEIGHT)
        return labelled(label, reach, column, link=link and link(bar.low, bar.high))

    return chart(
        f"Histogram of {total:,} layouts by {unit or 'value'}",
        HEIGHT,
        y_axis({number_label(count): HEIGHT - height_of(count) for count in ticks(0, highest, whole=True)}, "layouts"),
        *(drawn(index, bar) for index, bar in enumerate(bars) if bar.count),
        x_axis({number_label(number): at(number) for number in _marked(low, high, doubling)}, HEIGHT, unit or "value"),
        mark_lines({label: at(number) for label, number in (marks or {}).items()}, HEIGHT),
    )


def _marked(low: int, high: int, doubling: bool) -> list[float]:
    """Return the numbers that are marked below the bars from `low` to `high`."""
    if doubling and high > 1:
        numbers = [*([0.0] if not low else []), *log_ticks(max(low, 1), high)]
    else:
        numbers = ticks(low, high + 1, whole=True)
    return [number for number in numbers if number <= high]


def _slot(number: float) -> float:
    """Return where a number is among bars that double, in widths of a bar: bar 0 is at 0, bar 1 at 1, bar 2 at 2."""
    return 1 + log2(number) if number >= 1 else number


class SampleInterval(NamedTuple):
    """The confidence interval of a share or a mean, and the value in the sample; None if that is not known."""

    value: float | None
    low: float
    high: float

    def scaled(self, scale: Callable[[float], float]) -> "SampleInterval":
        """Return where all three are on a chart."""
        return SampleInterval(None if self.value is None else scale(self.value), scale(self.low), scale(self.high))


class IntervalRow(NamedTuple):
    """An estimate, what it is of in two lines of text, and the address of its page."""

    label: str
    source: str
    estimate: SampleInterval
    link: str | None = None


def intervals(rows: Sequence[IntervalRow], exact: float | None = None) -> Chart:
    """Return shares with their confidence intervals on one scale: a row for each, at least one, and the exact share if
    it is known."""
    shares = [*(end for row in rows for end in row.estimate[1:]), *([] if exact is None else [exact])]
    reach = max((max(shares) - min(shares)) * 0.1, LEAST_REACH)
    scale = Scale(max(min(shares) - reach, 0.0), min(max(shares) + reach, 1.0))
    marks = {} if exact is None else {f"exactly {percentage(exact)}": scale.at(exact)}
    top = LINE_HEIGHT * len(marks)
    height = top + ROW_HEIGHT * len(rows)

    def drawn(index: int, row: IntervalRow) -> str:
        y = top + ROW_HEIGHT * index
        value, *ends = row.estimate
        low, high = map(scale.at, ends)
        return labelled(
            f"95 % interval {' to '.join(map(percentage, ends))}{_sampled(value, percentage)}",
            hit_area(0, 1, y, ROW_HEIGHT),
            text(_shortened(row.label), 0, y + 14, class_="label halo", fill=INK, **HALO),
            text(_shortened(row.source), 0, y + 30, class_="tick halo", **HALO),
            line(low, high, y + 43, y + 43, WHISKER),
            "" if value is None else dot(scale.at(value), y + 43),
            link=row.link,
        )

    marked = ticks(scale.low, scale.high)
    places = dict(zip(labels(marked, 100, " %"), map(scale.at, marked), strict=True))
    return chart(
        f"The winnability of {counted(len(rows), 'run')} with 95 % confidence intervals",
        height,
        *(line(share, share, top, height, GRIDLINE) for share in places.values()),
        *(drawn(index, row) for index, row in enumerate(rows)),
        x_axis(places, height, "of layouts are winnable"),
        mark_lines(marks, height),
    )


def _sampled(value: float | None, figure: Callable[[float], str]) -> str:
    """Return what a label says of the value in the sample, after its interval."""
    return "" if value is None else f" ({figure(value)})"


def _shortened(label: str) -> str:
    """Return a label that fits; a long one loses its middle, because the ends tell labels apart."""
    return label if len(label) <= MAX_LABEL_LETTERS else f"{label[: MAX_LABEL_LETTERS - 19]}…{label[-18:]}"


def narrowing(points: Mapping[int, SampleInterval], exact: float | None = None, *, unit: str | None = None) -> Chart:
    """Return how a confidence interval narrows.

    Parameters
    ----------
    points
        At least one estimate, by the number of layouts, which is on a logarithmic scale.
    exact
        The exact value, if it is known.
    unit
        What the values count of which the estimates are means; None for shares of winnable layouts.
    """
    first, last = min(points), max(points)
    ends = [*(end for point in points.values() for end in point[1:]), *([] if exact is None else [exact])]
    room = 0.0 if min(ends) < max(ends) else 0.5
    x = Scale(first, last, logarithmic=True) if first < last else Scale(first / 2, first * 2, logarithmic=True)
    y = Scale(min(ends) - room, max(ends) + room)
    figure = percentage if unit is None else decimal

    def down(value: float) -> float:
        return HEIGHT * (1 - y.at(value))

    def drawn(layouts: int, left: float, right: float) -> str:
        value, *ends = points[layouts]
        label = f"{counted(layouts, 'layout')}: {' to '.join(map(figure, ends))}{_sampled(value, figure)}"
        value_dot = "" if value is None else dot(x.at(layouts), down(value), class_="dot shown", visibility="hidden")
        return labelled(label, hit_area(left, right - left, 0, HEIGHT), value_dot)

    end, (value, low, high) = x.at(last), points[last]
    exactly = exact is not None and (
        line(0, 1, down(exact), down(exact), MARK)
        + text("exact", "100%", down(exact) + 4, dx=8, class_="label", fill=INK)
    )
    named = list(points)[:: ceil(len(points) / MAX_NUMBERED_POINTS)]
    middles = [x.at((left + right) / 2) for left, right in pairwise(named)]
    marked = ticks(y.low, y.high)
    names = labels(marked, 100, " %") if unit is None else labels(marked)
    known = "" if exact is None else f"; the exact value is {figure(exact)}"
    return chart(
        f"The confidence interval after {first:,} to {last:,} layouts{known}",
        HEIGHT,
        y_axis(dict(zip(names, map(down, marked), strict=True)), "winnable" if unit is None else f"mean {unit}"),
        _band([point.scaled(down) for point in points.values()], [x.at(layouts) for layouts in points]),
        exactly or "",
        line(end, end, down(low), down(high), WHISKER) + ("" if value is None else dot(end, down(value))),
        *map(drawn, named, [0.0, *middles], [*middles, 1.0]),
        x_axis({number_label(layouts): x.at(layouts) for layouts in log_ticks(x.low, x.high)}, HEIGHT, "layouts"),
    )


def _band(points: Sequence[SampleInterval], shares: Sequence[float]) -> str:
    """Return a curve through the values that are known and the band around it: heights at these shares of the width."""

    def path(ends: Iterable[tuple[float, float]]) -> str:
        return "L".join(f"{WIDTH * x:.1f} {y:.1f}" for x, y in ends)

    upper = [(x, point.high) for x, point in zip(shares, points, strict=True)]
    lower = [(x, point.low) for x, point in zip(shares, points, strict=True)]
    band = element("path", class_="band", d=f"M{path(upper + lower[::-1])}Z", fill=BLUE, fill_opacity=0.25)
    look: Style = {"stroke": INK, "stroke_width": 2, "vector_effect": "non-scaling-stroke"}
    values = [(x, point.value) for x, point in zip(shares, points, strict=True) if point.value is not None]
    curve = element("path", class_="curve", d=f"M{path(values)}", fill="none", **look) if values else ""
    stretched: Style = {
        "viewBox": f"0 0 {WIDTH} {HEIGHT}",
        "preserveAspectRatio": "none",
        "width": "100%",
        "height": HEIGHT,
    }
    return element("svg", band, curve, **stretched)


def curves(series: Mapping[str, Mapping[float, SampleInterval]], title: str) -> Chart:
    """Return shares with their intervals as curves against a number, which `title` says what it counts. There are at
    most five series, each with at least one estimate; its name, of a few letters, stands at the end of its curve. All
    values are known."""
    x = Scale(0.0, max(number for points in series.values() for number in points))
    y = Scale(0.0, 1.0)

    def down(share: float) -> float:
        return HEIGHT * (1 - y.at(share))

    def height(estimate: SampleInterval) -> float:
        assert estimate.value is not None  # noqa: S101 -- see above
        return down(estimate.value)

    def point(name: str, number: float, estimate: SampleInterval, colour: str) -> str:
        at = x.at(number)
        ends = f"{percentage(estimate.low)} to {percentage(estimate.high)}"
        return labelled(
            f"{name}, {number:,.0f} {title}: {ends}{_sampled(estimate.value, percentage)}",
            hit_area(at - 0.01, 0.02, height(estimate) - 8, 16),
            line(at, at, down(estimate.low), down(estimate.high), {"stroke": colour, "stroke_width": 2}),
            dot(at, height(estimate), r=3.5, class_="end", fill=colour),
        )

    drawn = []
    ends = {name: height(points[max(points)]) for name, points in series.items()}
    for (name, points), colour, label_y in zip(series.items(), COLOURS, _apart(list(ends.values())), strict=False):
        look: Style = {"stroke": colour, "stroke_width": 1.5}
        for (left, before), (right, after) in pairwise(sorted(points.items())):
            drawn.append(line(x.at(left), x.at(right), height(before), height(after), look))
        drawn.append(line(x.at(max(points)), 1, ends[name], label_y, {"stroke": colour, "stroke_dasharray": "1 3"}))
        drawn.append(text(name, "100%", label_y + 4, dx=6, class_="end", fill=colour))
        drawn += [point(name, number, estimate, colour) for number, estimate in points.items()]
    marked = ticks(y.low, y.high)
    return chart(
        f"Shares of winnable layouts by {title}",
        HEIGHT,
        y_axis(dict(zip(labels(marked, 100, " %"), map(down, marked), strict=True)), "winnable"),
        *drawn,
        x_axis({number_label(number): x.at(number) for number in ticks(x.low, x.high)}, HEIGHT, title),
    )


def _apart(heights: Sequence[float]) -> list[float]:
    """Return heights for labels as near to these as possible without overlaps, in the same order."""
    order = sorted(range(len(heights)), key=lambda index: heights[index])
    placed = list(heights)
    for above, below in pairwise(order):
        placed[below] = max(placed[below], placed[above] + LINE_HEIGHT)
    for rank, index in enumerate(reversed(order)):
        placed[index] = min(placed[index], HEIGHT - LINE_HEIGHT * rank)
    return placed


def bars(groups: Mapping[str, Mapping[str, float]], title: str) -> Chart:
    """Return positive numbers as bars, each with its number and its name at its end, in groups below their names;
    `title` says what the numbers are. A group has at most five bars, and the bars of a name have one colour."""
    x = Scale(0.0, max(number for group in groups.values() for number in group.values()) / (1 - SHARE_FOR_NAMES))
    drawn, y = list[str](), 0
    for group, numbers in groups.items():
        drawn.append(text(group, 0, y + 15, class_="label", fill=INK, font_weight="bold"))
        y += BAR_HEIGHT + 4
        for (name, number), colour in zip(numbers.items(), COLOURS, strict=False):
            end = across(x.at(number))
            drawn.append(element("rect", width=end, y=y, height=BAR_HEIGHT - 4, fill=colour))
            drawn.append(text(f"{number:.2f} {name}", end, y + 11, dx=6, class_="label halo", fill=INK, **HALO))
            y += BAR_HEIGHT
        y += BAR_HEIGHT // 2
    marked = ticks(0.0, x.high * (1 - SHARE_FOR_NAMES))
    places = dict(zip(labels(marked), map(x.at, marked), strict=True))
    return chart(
        f"Bars of {title}",
        y,
        *(line(share, share, 0, y, GRIDLINE) for share in places.values()),
        *drawn,
        x_axis(places, y, title),
    )


def scatter(counts: Sequence[tuple[int, int, int]], name: str, other_name: str) -> Chart:
    """Return the node counts of two runs on logarithmic scales: a position, and the counts of both runs, for at least
    one layout. Layouts with about the same counts are one dot, whose area grows with their number; counts of 0 are
    drawn as 1. Dots above each other show their numbers together, so that a keyboard needs few steps."""
    dots = Counter(tuple(round(PER_DECADE * log10(max(count, 1))) for count in pair) for _, *pair in counts)
    decades = max(ceil(max(map(max, dots)) / PER_DECADE), 1)
    scale = Scale(-1, decades * PER_DECADE + 1)  # the largest dots at its ends do not reach the labels
    cell = scale.at(0)
    largest = max(dots.values())

    def down(y: float) -> float:
        return SCATTER_HEIGHT * (1 - scale.at(y))

    def circle(x: int, y: int) -> str:
        count = dots[x, y]
        title = element("title", f"{counted(count, 'layout')}: about {_nodes(x)} and {_nodes(y)} nodes")
        radius = max(0.75 * SCATTER_HEIGHT * cell * sqrt(count / largest), 1.5)
        return element("circle", title, class_="dot", cx=across(scale.at(x)), cy=down(y), r=radius)

    def drawn(x: int) -> str:
        heights = sorted(y for column, y in dots if column == x)
        number = sum(dots[x, y] for y in heights)
        span = " to ".join(dict.fromkeys((_nodes(heights[0]), _nodes(heights[-1]))))
        label = f"{counted(number, 'layout')}: about {_nodes(x)} nodes, {other_name} {span}"
        return labelled(label, hit_area(scale.at(x - 0.5), cell, 0, SCATTER_HEIGHT), *(circle(x, y) for y in heights))

    marked = {
        number_label(10.0**decade): PER_DECADE * decade for decade in range(0, decades + 1, ceil(decades / TICKS))
    }
    return chart(
        f"Node counts of {name} and {other_name} on logarithmic scales",
        SCATTER_HEIGHT,
        y_axis({label: down(y) for label, y in marked.items()}, f"nodes of {other_name}"),
        *(line(scale.at(x), scale.at(x), 0, SCATTER_HEIGHT, GRIDLINE) for x in marked.values()),
        line(0, 1, SCATTER_HEIGHT, 0, MARK),
        element("g", *map(drawn, sorted({x for x, _ in dots})), fill=BLUE, fill_opacity=0.75),
        x_axis({label: scale.at(x) for label, x in marked.items()}, SCATTER_HEIGHT, f"nodes of {name}"),
    )


def _nodes(cell: int) -> str:
    """Return the number of nodes of a cell on an axis of a scatter plot, in two digits."""
    return number_label(float(f"{10 ** (cell / PER_DECADE):.2g}"))


def verdict_bar(counts: Mapping[Verdict, int], total: int) -> Chart:
    """Return a bar of the shares of each verdict in a `total`; the rest is empty."""
    shapes, start = [element("rect", class_="fill-none", width="100%", height=10, fill=GRID)], 0.0
    for verdict in Verdict:
        if count := counts.get(verdict, 0):
            share = count / max(total, 1)
            width = across(max(share - 0.0015, 0.003))
            look = {"class_": f"fill-{verdict.word}", "fill": FILLS[verdict]}
            shapes.append(element("rect", x=across(start), width=width, height=10, **look))
            start += share
    label = ", ".join(f"{counts[verdict]:,} {verdict.word}" for verdict in Verdict if counts.get(verdict)) or "none yet"
    return Chart(element("svg", *shapes, class_="bar", width="100%", height=10, role="img", aria_label=label), 10)
