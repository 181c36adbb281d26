"""The parts of charts: axes with round ticks, lines, dots and texts, and the style sheet.

A chart is as wide as its box, and its texts have the same size at every width: positions across it are percentages,
positions down it are pixels. The labels of its axes are outside of it, where `STYLE` makes room for them on a page and
`Chart.document` in a file. Colours are presentation attributes, which `STYLE` changes on dark pages.

A bar, row or strip of a chart shows its numbers above the chart while the pointer is over it or the keyboard has moved
to it. This needs no script.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, floor, log10
from typing import NamedTuple

from dealmill.pipeline.games.pictures import NAMESPACE, Style, element

LEFT, RIGHT, ABOVE, BELOW = 56, 48, 44, 42
"""The room for labels on each side of a chart, in pixels."""
WIDTH, HEIGHT = 656, 200
"""The size of a chart in a file, without that room; the height is the same on a page."""
TICKS = 5
"""The most steps between the ticks of an axis, whose labels fit next to each other on a phone."""
LINE_HEIGHT = 16
INK, QUIET, GRID, BLUE, PAPER = "#1a1a1a", "#5a6068", "#dfe2e5", "#00629b", "#ffffff"
FONT = "system-ui, sans-serif"
GRIDLINE: Style = {"class_": "grid", "stroke": GRID}
AXIS_LINE: Style = {"class_": "tick-line", "stroke": QUIET}
MARK: Style = {"class_": "mark", "stroke": INK, "stroke_width": 1.5, "stroke_dasharray": "5 4"}
HALO: Style = {"paint_order": "stroke", "stroke": PAPER, "stroke_width": 4}
WHISKER: Style = {"class_": "whisker", "stroke": BLUE, "stroke_width": 4, "stroke_opacity": 0.5}
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
        heading = text(title, 8, 24, class_="label", fill=INK, font_family=FONT, font_size=14, font_weight="bold")
        paper = element("rect", width=width, height=height, fill=PAPER)
        return element("svg", paper, heading, placed, xmlns=NAMESPACE, viewBox=f"0 0 {width} {height}")


def chart(label: str, height: float, *parts: str) -> Chart:
    about: Style = {"role": "group", "aria_label": label, "overflow": "visible", "font_family": FONT, "font_size": 12.0}
    return Chart(element("svg", *parts, class_="chart", width="100%", height=height, **about), height)


def text(words: str, x: float | str, y: float, **look: str | float) -> str:
    return element("text", escape(words), x=x, y=y, **{"class_": "tick", "fill": QUIET, **look})


def across(share: float) -> str:
    """Return the position of a share of the width."""
    return f"{100 * share:.2f}%"


def line(x1: float, x2: float, y1: float, y2: float, look: Style) -> str:
    return element("line", x1=across(x1), x2=across(x2), y1=y1, y2=y2, **look)


def dot(x: float, y: float, **look: str | float) -> str:
    return element("circle", cx=across(x), cy=y, **{"r": 5, "class_": "dot", "fill": BLUE, **look})


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


def x_axis(places: Mapping[str, float], height: float, title: str) -> str:
    """Return an axis below a chart, with labels at shares of the width, and the unit of its numbers."""
    drawn = [line(0, 1, height, height, AXIS_LINE)]
    for label, share in places.items():
        drawn.append(line(share, share, height, height + 5, AXIS_LINE))
        drawn.append(text(label, across(share), height + 19, text_anchor="middle"))
    return "".join(drawn) + text(title, "100%", height + 37, text_anchor="end")


def y_axis(places: Mapping[str, float], title: str) -> str:
    """Return the lines across a chart at some heights, with labels on their left, and the unit of their numbers."""
    drawn = [
        line(0, 1, y, y, GRIDLINE) + text(label, 0, y + 4, dx=-8, text_anchor="end") for label, y in places.items()
    ]
    return "".join(drawn) + text(title, 0, 14 - ABOVE, dx=-LEFT + 8)


def mark_lines(marks: Mapping[str, float], height: float) -> str:
    """Return dashed lines at shares of the width with labels on them, each in a line of text of its own."""
    drawn = []
    for index, (label, share) in enumerate(marks.items()):
        y = LINE_HEIGHT * index
        anchor, aside = ("start", 6) if share < 0.5 else ("end", -6)
        drawn.append(line(share, share, y, height, MARK))
        drawn.append(
            text(label, across(share), y + 11, text_anchor=anchor, dx=aside, class_="label halo", fill=INK, **HALO)
        )
    return "".join(drawn)


def labelled(label: str, *shapes: str, link: str | None = None) -> str:
    """Return a part of a chart that shows its numbers, and leads to a page if there is one."""
    look: Style = {"class_": "label shown", "fill": INK, "text_anchor": "end", "visibility": "hidden"}
    shown = text(label, "100%", -10, dx=RIGHT - 8, **look)
    if link is not None:
        return element("a", *shapes, shown, class_="point", href=link, aria_label=label)
    return element("g", *shapes, shown, class_="point", tabindex=0, role="img", aria_label=label)


def hit_area(x: float, width: float, y: float, height: float) -> str:
    """Return what the pointer must be over for a part to show its numbers."""
    return element(
        "rect", class_="reach", x=across(x), width=across(width), y=y, height=height, fill=INK, fill_opacity=0
    )
