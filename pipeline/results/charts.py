"""Charts as SVG: histograms, intervals, how an interval narrows, curves, bars, node counts of two runs, and a bar of
shares.

A chart is as wide as its box, and its texts have the same size at every width: positions across it are percentages,
positions down it are pixels. The labels of its axes are outside of it, where `STYLE` makes room for them on a page and
`Chart.document` in a file. Colours are presentation attributes, which `STYLE` changes on dark pages.

A bar, row or strip of a chart shows its numbers above the chart while the pointer is over it or the keyboard has moved
to it. This needs no script.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, floor, log2, log10, sqrt
from typing import TYPE_CHECKING, NamedTuple

from dealmill.pipeline.games.pictures import NAMESPACE, Style, element
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import counted, decimal, percentage

if TYPE_CHECKING:
    from dealmill.pipeline.store.distributions.histograms import Bar

LEFT, RIGHT, ABOVE, BELOW = 56, 48, 44, 42
"""The room for labels on each side of a chart, in pixels."""
WIDTH, HEIGHT = 656, 200
"""The size of a chart in a file, without that room; the height is the same on a page."""
TICKS = 5
"""The most steps between the ticks of an axis, whose labels fit next to each other on a phone."""
LEAST_REACH = 0.0005
"""The least part of the axis of shares on either side of them, so that its labels have few digits."""
STRIPS = 20
"""The most points of a curve that show their numbers."""
ROW = 56
"""The height of a row of intervals, with two lines of text."""
LINE_HEIGHT = 16
INK, QUIET, GRID, BLUE, PAPER = "#1a1a1a", "#5a6068", "#dfe2e5", "#00629b", "#ffffff"
STYLE = f"""\
svg.chart {{ display: block; width: calc(100% - {LEFT + RIGHT}px); margin: {ABOVE}px {RIGHT}px {BELOW}px {LEFT}px; }}
.chart .point:hover .shown, .chart .point:focus .shown {{ visibility: visible; }}
.chart .point:hover .column, .chart .point:focus .column {{ fill: {INK}; }}
.chart .point:hover .reach, .chart .point:focus .reach {{ fill-opacity: 0.07; }}
.chart .point:focus {{ outline: none; }}
.chart .point:focus-visible .reach {{ stroke: {BLUE}; stroke-width: 2; }}
@media screen and (prefers-color-scheme: dark) {{
  .chart .tick {{ fill: #a3abb5; }} .chart .grid {{ stroke: #353b43; }} .chart .label {{ fill: #e8eaed; }}
  .chart .halo {{ stroke: #15181c; }} .chart .curve, .chart .mark {{ stroke: #e8eaed; }}
  .chart .column, .chart .dot, .chart .band {{ fill: #7cc4f4; }} .chart .whisker {{ stroke: #7cc4f4; }}
  .chart .reach {{ fill: #ffffff; }} .chart .point:focus-visible .reach {{ stroke: #7cc4f4; }}
  .chart .point:hover .column, .chart .point:focus .column {{ fill: #e8eaed; }}
}}
"""
"""The style sheet of pages with charts. Printed pages have the colours of light ones."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of `height` pixels, without the room for its labels: an ``svg`` element, which templates write as it
    is."""

    svg: str
    height: float

    def __html__(self) -> str:
        """Return the element."""
        return self.svg

    def document(self, title: str) -> str:
        """Return the chart as an SVG file of its own, on white, below a title."""
        top = ABOVE + 24
        width, height = LEFT + WIDTH + RIGHT, round(top + self.height + BELOW)
        placed = self.svg.replace('width="100%"', f'x="{LEFT}" y="{top}" width="{WIDTH}"', 1)
        heading = _text(title, 8, 24, class_="label", fill=INK, font_family=FONT, font_size=14, font_weight="bold")
        paper = element("rect", width=width, height=height, fill=PAPER)
        return element("svg", paper, heading, placed, xmlns=NAMESPACE, viewBox=f"0 0 {width} {height}")


FONT = "system-ui, sans-serif"


def _chart(label: str, height: float, *parts: str) -> Chart:
    about: Style = {"role": "group", "aria_label": label, "overflow": "visible", "font_family": FONT, "font_size": 12.0}
    return Chart(element("svg", *parts, class_="chart", width="100%", height=height, **about), height)


def _text(words: str, x: float | str, y: float, **look: str | float) -> str:
    return element("text", escape(words), x=x, y=y, **{"class_": "tick", "fill": QUIET, **look})


def _across(share: float) -> str:
    """Return the position of a share of the width."""
    return f"{100 * share:.2f}%"


def _line(x1: float, x2: float, y1: float, y2: float, look: Style) -> str:
    return element("line", x1=_across(x1), x2=_across(x2), y1=y1, y2=y2, **look)


GRIDLINE: Style = {"class_": "grid", "stroke": GRID}
AXIS_LINE: Style = {"class_": "tick-line", "stroke": QUIET}
MARK: Style = {"class_": "mark", "stroke": INK, "stroke_width": 1.5, "stroke_dasharray": "5 4"}


HALO: Style = {"paint_order": "stroke", "stroke": PAPER, "stroke_width": 4}
WHISKER: Style = {"class_": "whisker", "stroke": BLUE, "stroke_width": 4, "stroke_opacity": 0.5}


def _dot(x: float, y: float, **look: str | float) -> str:
    return element("circle", cx=_across(x), cy=y, **{"r": 5, "class_": "dot", "fill": BLUE, **look})


def ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Return the round numbers that are marked from `low` to `high`: multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / TICKS
    unit = 10.0 ** floor(log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= 0.99 * rough)
    if whole:
        step = max(step, 1.0)
    return [number * step for number in range(ceil(round(low / step, 6)), floor(round(high / step, 6)) + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return the round numbers that are marked on a logarithmic axis: powers of ten, and their fivefold and twofold
    where the axis is short."""
    span = log10(high / low)
    factors = (1, 2, 5) if span < 1.7 else (1, 5) if span < 2.2 else (1,)
    decades = range(floor(log10(low)), ceil(log10(high)) + 1)
    marked = [factor * 10.0**decade for decade in decades for factor in factors if low <= factor * 10**decade <= high]
    if len(marked) > 1:
        return marked[:: ceil(len(marked) / (TICKS + 1))]
    linear = ticks(low, high)  # which crowd at the end of a longer axis
    return linear[::2] if high > 2 * low and len(linear) > 3 else linear


def number_label(number: float) -> str:
    """Return a round number in few characters: ``2,000``, ``50k``, ``1.5M``."""
    for power, letter in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if max(10**power, 10_000) <= abs(number) < 1e15:
            return f"{number / 10**power:.4g}{letter}"
    return f"{number:,.4g}"


def labels(marked: Sequence[float], scale: int = 1, unit: str = "") -> list[str]:
    """Return round numbers times `scale` with the fewest decimals that tell them apart: ``51.5 %``."""
    step = min((after - before for before, after in pairwise(marked)), default=0.0001)
    places = max(-floor(log10(scale * step) + 1e-6), 0)
    return [f"{scale * number:,.{places}f}{unit}" for number in marked]


class Scale(NamedTuple):
    """The numbers from `low` to `high`, at the ends of an axis."""

    low: float
    high: float
    logarithmic: bool = False

    def at(self, number: float) -> float:
        """Return where a number is on the axis, as a share of its length."""
        if self.logarithmic:
            return log10(number / self.low) / log10(self.high / self.low)
        return (number - self.low) / (self.high - self.low)


def _x_axis(places: Mapping[str, float], height: float, title: str) -> str:
    """Return an axis below a chart, with labels at shares of the width, and the unit of its numbers."""
    drawn = [_line(0, 1, height, height, AXIS_LINE)]
    for label, share in places.items():
        drawn.append(_line(share, share, height, height + 5, AXIS_LINE))
        drawn.append(_text(label, _across(share), height + 19, text_anchor="middle"))
    return "".join(drawn) + _text(title, "100%", height + 37, text_anchor="end")


def _y_axis(places: Mapping[str, float], title: str) -> str:
    """Return the lines across a chart at some heights, with labels on their left, and the unit of their numbers."""
    drawn = [
        _line(0, 1, y, y, GRIDLINE) + _text(label, 0, y + 4, dx=-8, text_anchor="end") for label, y in places.items()
    ]
    return "".join(drawn) + _text(title, 0, 14 - ABOVE, dx=-LEFT + 8)


def _marks(marks: Mapping[str, float], height: float) -> str:
    """Return dashed lines at shares of the width with labels on them, each in a line of text of its own."""
    drawn = []
    for index, (label, share) in enumerate(marks.items()):
        y = LINE_HEIGHT * index
        anchor, aside = ("start", 6) if share < 0.5 else ("end", -6)
        drawn.append(_line(share, share, y, height, MARK))
        drawn.append(
            _text(label, _across(share), y + 11, text_anchor=anchor, dx=aside, class_="label halo", fill=INK, **HALO)
        )
    return "".join(drawn)


def _point(label: str, *shapes: str, link: str | None = None) -> str:
    """Return a part of a chart that shows its numbers, and leads to a page if there is one."""
    look: Style = {"class_": "label shown", "fill": INK, "text_anchor": "end", "visibility": "hidden"}
    shown = _text(label, "100%", -10, dx=RIGHT - 8, **look)
    if link is not None:
        return element("a", *shapes, shown, class_="point", href=link, aria_label=label)
    return element("g", *shapes, shown, class_="point", tabindex=0, role="img", aria_label=label)


def _reach(x: float, width: float, y: float, height: float) -> str:
    """Return what the pointer must be over for a part to show its numbers."""
    return element(
        "rect", class_="reach", x=_across(x), width=_across(width), y=y, height=height, fill=INK, fill_opacity=0
    )


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
            x=_across(step * index + gap),
            width=_across(step - 2 * gap),
            y=HEIGHT - height,
            height=height,
            fill=BLUE,
        )
        reach = _reach(step * index, step, 0, HEIGHT)
        return _point(label, reach, column, link=link and link(bar.low, bar.high))

    return _chart(
        f"Histogram of {total:,} layouts by {unit or 'value'}",
        HEIGHT,
        _y_axis({number_label(count): HEIGHT - height_of(count) for count in ticks(0, highest, whole=True)}, "layouts"),
        *(drawn(index, bar) for index, bar in enumerate(bars) if bar.count),
        _x_axis({number_label(number): at(number) for number in _marked(low, high, doubling)}, HEIGHT, unit or "value"),
        _marks({label: at(number) for label, number in (marks or {}).items()}, HEIGHT),
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


class Estimate(NamedTuple):
    """The confidence interval of a share or a mean, and the value in the sample; None if that is not known."""

    value: float | None
    low: float
    high: float

    def scaled(self, scale: Callable[[float], float]) -> "Estimate":
        """Return where all three are on a chart."""
        return Estimate(None if self.value is None else scale(self.value), scale(self.low), scale(self.high))


class Row(NamedTuple):
    """An estimate, what it is of in two lines of text, and the address of its page."""

    label: str
    source: str
    estimate: Estimate
    link: str | None = None


def intervals(rows: Sequence[Row], exact: float | None = None) -> Chart:
    """Return shares with their confidence intervals on one scale: a row for each, at least one, and the exact share if
    it is known."""
    shares = [*(end for row in rows for end in row.estimate[1:]), *([] if exact is None else [exact])]
    reach = max((max(shares) - min(shares)) * 0.1, LEAST_REACH)
    scale = Scale(max(min(shares) - reach, 0.0), min(max(shares) + reach, 1.0))
    marks = {} if exact is None else {f"exactly {percentage(exact)}": scale.at(exact)}
    top = LINE_HEIGHT * len(marks)
    height = top + ROW * len(rows)

    def drawn(index: int, row: Row) -> str:
        y = top + ROW * index
        value, *ends = row.estimate
        low, high = map(scale.at, ends)
        return _point(
            f"95 % interval {' to '.join(map(percentage, ends))}{_sampled(value, percentage)}",
            _reach(0, 1, y, ROW),
            _text(_shortened(row.label), 0, y + 14, class_="label halo", fill=INK, **HALO),
            _text(_shortened(row.source), 0, y + 30, class_="tick halo", **HALO),
            _line(low, high, y + 43, y + 43, WHISKER),
            "" if value is None else _dot(scale.at(value), y + 43),
            link=row.link,
        )

    marked = ticks(scale.low, scale.high)
    places = dict(zip(labels(marked, 100, " %"), map(scale.at, marked), strict=True))
    return _chart(
        f"The winnability of {counted(len(rows), 'run')} with 95 % confidence intervals",
        height,
        *(_line(share, share, top, height, GRIDLINE) for share in places.values()),
        *(drawn(index, row) for index, row in enumerate(rows)),
        _x_axis(places, height, "of layouts are winnable"),
        _marks(marks, height),
    )


def _sampled(value: float | None, figure: Callable[[float], str]) -> str:
    """Return what a label says of the value in the sample, after its interval."""
    return "" if value is None else f" ({figure(value)})"


LETTERS = 40
"""The letters of a label that fit on a phone."""


def _shortened(text: str) -> str:
    """Return a label that fits; a long one loses its middle, because the ends tell labels apart."""
    return text if len(text) <= LETTERS else f"{text[: LETTERS - 19]}…{text[-18:]}"


def narrowing(points: Mapping[int, Estimate], exact: float | None = None, *, unit: str | None = None) -> Chart:
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
        dot = "" if value is None else _dot(x.at(layouts), down(value), class_="dot shown", visibility="hidden")
        return _point(label, _reach(left, right - left, 0, HEIGHT), dot)

    end, (value, low, high) = x.at(last), points[last]
    exactly = exact is not None and (
        _line(0, 1, down(exact), down(exact), MARK)
        + _text("exact", "100%", down(exact) + 4, dx=8, class_="label", fill=INK)
    )
    named = list(points)[:: ceil(len(points) / STRIPS)]
    middles = [x.at((left + right) / 2) for left, right in pairwise(named)]
    marked = ticks(y.low, y.high)
    names = labels(marked, 100, " %") if unit is None else labels(marked)
    known = "" if exact is None else f"; the exact value is {figure(exact)}"
    return _chart(
        f"The confidence interval after {first:,} to {last:,} layouts{known}",
        HEIGHT,
        _y_axis(dict(zip(names, map(down, marked), strict=True)), "winnable" if unit is None else f"mean {unit}"),
        _band([point.scaled(down) for point in points.values()], [x.at(layouts) for layouts in points]),
        exactly or "",
        _line(end, end, down(low), down(high), WHISKER) + ("" if value is None else _dot(end, down(value))),
        *map(drawn, named, [0.0, *middles], [*middles, 1.0]),
        _x_axis({number_label(layouts): x.at(layouts) for layouts in log_ticks(x.low, x.high)}, HEIGHT, "layouts"),
    )


def _band(points: Sequence[Estimate], across: Sequence[float]) -> str:
    """Return a curve through the values that are known and the band around it: heights at these shares of the width."""

    def path(ends: Iterable[tuple[float, float]]) -> str:
        return "L".join(f"{WIDTH * x:.1f} {y:.1f}" for x, y in ends)

    upper = [(x, point.high) for x, point in zip(across, points, strict=True)]
    lower = [(x, point.low) for x, point in zip(across, points, strict=True)]
    band = element("path", class_="band", d=f"M{path(upper + lower[::-1])}Z", fill=BLUE, fill_opacity=0.25)
    look: Style = {"stroke": INK, "stroke_width": 2, "vector_effect": "non-scaling-stroke"}
    values = [(x, point.value) for x, point in zip(across, points, strict=True) if point.value is not None]
    curve = element("path", class_="curve", d=f"M{path(values)}", fill="none", **look) if values else ""
    stretched: Style = {
        "viewBox": f"0 0 {WIDTH} {HEIGHT}",
        "preserveAspectRatio": "none",
        "width": "100%",
        "height": HEIGHT,
    }
    return element("svg", band, curve, **stretched)


COLOURS = ("#0072b2", "#b36b00", "#007a5a", "#a8437f", "#56697a")
"""The colours of curves, each of which is readable on white."""


def curves(series: Mapping[str, Mapping[float, Estimate]], title: str) -> Chart:
    """Return shares with their intervals as curves against a number, which `title` says what it counts. There are at
    most five series, each with at least one estimate; its name, of a few letters, stands at the end of its curve. All
    values are known."""
    x = Scale(0.0, max(number for points in series.values() for number in points))
    y = Scale(0.0, 1.0)

    def down(share: float) -> float:
        return HEIGHT * (1 - y.at(share))

    def height(estimate: Estimate) -> float:
        assert estimate.value is not None  # noqa: S101 -- see above
        return down(estimate.value)

    def point(name: str, number: float, estimate: Estimate, colour: str) -> str:
        at = x.at(number)
        ends = f"{percentage(estimate.low)} to {percentage(estimate.high)}"
        return _point(
            f"{name}, {number:,.0f} {title}: {ends}{_sampled(estimate.value, percentage)}",
            _reach(at - 0.01, 0.02, height(estimate) - 8, 16),
            _line(at, at, down(estimate.low), down(estimate.high), {"stroke": colour, "stroke_width": 2}),
            _dot(at, height(estimate), r=3.5, class_="end", fill=colour),
        )

    drawn = []
    ends = {name: height(points[max(points)]) for name, points in series.items()}
    for (name, points), colour, label_y in zip(series.items(), COLOURS, _apart(list(ends.values())), strict=False):
        look: Style = {"stroke": colour, "stroke_width": 1.5}
        for (left, before), (right, after) in pairwise(sorted(points.items())):
            drawn.append(_line(x.at(left), x.at(right), height(before), height(after), look))
        drawn.append(_line(x.at(max(points)), 1, ends[name], label_y, {"stroke": colour, "stroke_dasharray": "1 3"}))
        drawn.append(_text(name, "100%", label_y + 4, dx=6, class_="end", fill=colour))
        drawn += [point(name, number, estimate, colour) for number, estimate in points.items()]
    marked = ticks(y.low, y.high)
    return _chart(
        f"Shares of winnable layouts by {title}",
        HEIGHT,
        _y_axis(dict(zip(labels(marked, 100, " %"), map(down, marked), strict=True)), "winnable"),
        *drawn,
        _x_axis({number_label(number): x.at(number) for number in ticks(x.low, x.high)}, HEIGHT, title),
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


BAR = 18
"""The height of a bar with the room below it."""
ROOM = 0.4
"""The share of the width on the right of the longest bar, for its name."""


def bars(groups: Mapping[str, Mapping[str, float]], title: str) -> Chart:
    """Return positive numbers as bars, each with its number and its name at its end, in groups below their names;
    `title` says what the numbers are. A group has at most five bars, and the bars of a name have one colour."""
    x = Scale(0.0, max(number for group in groups.values() for number in group.values()) / (1 - ROOM))
    drawn, y = list[str](), 0
    for group, numbers in groups.items():
        drawn.append(_text(group, 0, y + 15, class_="label", fill=INK, font_weight="bold"))
        y += BAR + 4
        for (name, number), colour in zip(numbers.items(), COLOURS, strict=False):
            end = _across(x.at(number))
            drawn.append(element("rect", width=end, y=y, height=BAR - 4, fill=colour))
            drawn.append(_text(f"{number:.2f} {name}", end, y + 11, dx=6, class_="label halo", fill=INK, **HALO))
            y += BAR
        y += BAR // 2
    marked = ticks(0.0, x.high * (1 - ROOM))
    places = dict(zip(labels(marked), map(x.at, marked), strict=True))
    return _chart(
        f"Bars of {title}",
        y,
        *(_line(share, share, 0, y, GRIDLINE) for share in places.values()),
        *drawn,
        _x_axis(places, y, title),
    )


SIDE = 320
"""The height of a scatter plot."""
PER_DECADE = 6
"""The dots of a scatter plot for a tenfold number of nodes."""


def scatter(counts: Sequence[tuple[int, int, int]], name: str, other_name: str) -> Chart:
    """Return the node counts of two runs on logarithmic scales: a position, and the counts of both runs, for at least
    one layout. Layouts with about the same counts are one dot, whose area grows with their number; counts of 0 are
    drawn as 1. Dots above each other show their numbers together, so that a keyboard needs few steps."""
    dots = Counter(tuple(round(PER_DECADE * log10(max(count, 1))) for count in pair) for _, *pair in counts)
    decades = max(ceil(max(max(dot) for dot in dots) / PER_DECADE), 1)
    scale = Scale(-1, decades * PER_DECADE + 1)  # the largest dots at its ends do not reach the labels
    cell = scale.at(0)
    largest = max(dots.values())

    def down(y: float) -> float:
        return SIDE * (1 - scale.at(y))

    def dot(x: int, y: int) -> str:
        count = dots[x, y]
        title = element("title", f"{counted(count, 'layout')}: about {_nodes(x)} and {_nodes(y)} nodes")
        radius = max(0.75 * SIDE * cell * sqrt(count / largest), 1.5)
        return element("circle", title, class_="dot", cx=_across(scale.at(x)), cy=down(y), r=radius)

    def drawn(x: int) -> str:
        heights = sorted(y for column, y in dots if column == x)
        number = sum(dots[x, y] for y in heights)
        span = " to ".join(dict.fromkeys((_nodes(heights[0]), _nodes(heights[-1]))))
        label = f"{counted(number, 'layout')}: about {_nodes(x)} nodes, {other_name} {span}"
        return _point(label, _reach(scale.at(x - 0.5), cell, 0, SIDE), *(dot(x, y) for y in heights))

    marked = {
        number_label(10.0**decade): PER_DECADE * decade for decade in range(0, decades + 1, ceil(decades / TICKS))
    }
    return _chart(
        f"Node counts of {name} and {other_name} on logarithmic scales",
        SIDE,
        _y_axis({label: down(y) for label, y in marked.items()}, f"nodes of {other_name}"),
        *(_line(scale.at(x), scale.at(x), 0, SIDE, GRIDLINE) for x in marked.values()),
        _line(0, 1, SIDE, 0, MARK),
        element("g", *map(drawn, sorted({x for x, _ in dots})), fill=BLUE, fill_opacity=0.75),
        _x_axis({label: scale.at(x) for label, x in marked.items()}, SIDE, f"nodes of {name}"),
    )


def _nodes(cell: int) -> str:
    """Return the number of nodes of a cell on an axis of a scatter plot, in two digits."""
    return number_label(float(f"{10 ** (cell / PER_DECADE):.2g}"))


FILLS = {
    Verdict.WINNABLE: "#0072b2",
    Verdict.UNWINNABLE: "#d55e00",
    Verdict.SCORED: "#4b7f72",
    Verdict.UNDECIDED: "#8a9099",
    Verdict.FAILED: "#b3261e",
}


def verdict_bar(counts: Mapping[Verdict, int], total: int) -> Chart:
    """Return a bar of the shares of each verdict in a `total`; the rest is empty."""
    shapes, start = [element("rect", class_="fill-none", width="100%", height=10, fill=GRID)], 0.0
    for verdict in Verdict:
        if count := counts.get(verdict, 0):
            share = count / max(total, 1)
            width = _across(max(share - 0.0015, 0.003))
            look = {"class_": f"fill-{verdict.word}", "fill": FILLS[verdict]}
            shapes.append(element("rect", x=_across(start), width=width, height=10, **look))
            start += share
    label = ", ".join(f"{counts[verdict]:,} {verdict.word}" for verdict in Verdict if counts.get(verdict)) or "none yet"
    return Chart(element("svg", *shapes, class_="bar", width="100%", height=10, role="img", aria_label=label), 10)
