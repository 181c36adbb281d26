"""Plots as inline SVG: a bar of shares, a histogram whose bars are links, a confidence interval and its convergence.

They use classes and presentation attributes only, which the content security policy allows.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import ceil, log, log10, sqrt

from markupsafe import Markup

import dealmill
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import percentage

WIDTH, HEIGHT = 480, 120
BASE = HEIGHT - 22
"""The height of the axis; below it are its labels."""


def verdict_bar(counts: Mapping[Verdict, int], total: int) -> Markup:
    """Return a bar of the shares of each verdict in a `total`; the rest is empty."""
    shapes, start = [], 0.0
    for verdict in Verdict:
        if count := counts.get(verdict, 0):
            width = 100 * count / max(total, 1)
            shapes.append(
                Markup('<rect class="fill-{}" x="{:.3f}" width="{:.3f}" height="8"/>').format(
                    verdict.word, start, max(width - 0.15, 0.3)
                )
            )
            start += width
    label = ", ".join(f"{counts[verdict]:,} {verdict.word}" for verdict in Verdict if counts.get(verdict)) or "none yet"
    return Markup(
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="{}">'
        '<rect class="fill-none" width="100" height="8"/>{}</svg>'
    ).format(label, Markup().join(shapes))


def histogram(distribution: dealmill.Histogram, link: Callable[[int, int], str]) -> Markup:
    """Return a histogram. Each bar leads to the page `link(low, high)`."""
    highest = max(bar.count for bar in distribution.bars)
    step = WIDTH / len(distribution.bars)
    bars = Markup().join(_bar(bar, link, index * step, step, highest) for index, bar in enumerate(distribution.bars))
    return Markup(
        '<svg class="plot" viewBox="0 0 {} {}" role="group" aria-label="{}">{}<path class="axis" d="M0 {}H{}"/>{}</svg>'
    ).format(
        WIDTH,
        HEIGHT,
        f"Distribution of {'values' if distribution.column == 'value' else 'node counts'}",
        bars,
        BASE,
        WIDTH,
        _labels([bar.low for bar in distribution.bars], step),
    )


def _bar(bar: dealmill.Bar, link: Callable[[int, int], str], x: float, step: float, highest: int) -> Markup:
    height = (BASE - 6) * bar.count / highest
    width = max(step - 2, 1)
    label = f"{_span(bar)}: {bar.count:,} {'layout' if bar.count == 1 else 'layouts'}"
    shape = Markup('<rect class="column" x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}"/>').format(
        x, BASE - max(height, 1), width, max(height, 1)
    )
    if not bar.count:
        return Markup()
    return Markup(
        '<a href="{}" aria-label="{}"><title>{}</title><rect class="reach" x="{:.2f}" width="{:.2f}" '
        'height="{}"/>{}</a>'
    ).format(link(bar.low, bar.high), label, label, x, step, BASE, shape)


def _span(bar: dealmill.Bar) -> str:
    return f"{bar.low:,}" if bar.low == bar.high else f"{bar.low:,} to {bar.high:,}"


def _labels(lows: Sequence[int], step: float) -> Markup:
    """Return labels for some of the bars, far enough apart to be read."""
    every = -(-64 // int(step)) if step < 64 else 1
    label = Markup('<text class="tick" x="{:.1f}" y="{}">{:,}</text>')
    return Markup().join(
        label.format(index * step + 1, HEIGHT - 6, low) for index, low in enumerate(lows) if index % every == 0
    )


def interval(bounds: dealmill.Interval, value: float) -> Markup:
    """Return a confidence interval of a share on a scale around it, with the ends of the scale."""
    reach = max(bounds.high - bounds.low, 0.002) * 1.5
    low, high = max(bounds.low - reach, 0.0), min(bounds.high + reach, 1.0)

    def at(share: float) -> float:
        return 12 + (WIDTH - 24) * (share - low) / (high - low)

    label = (
        f"{percentage(value)} of layouts are winnable; 95 % confidence interval {percentage(bounds.low)} to "
        f"{percentage(bounds.high)}"
    )
    return Markup(
        '<svg class="plot" viewBox="0 0 {} 56" role="img" aria-label="{}"><path class="axis" d="M12 34H{}"/>'
        '<rect class="band" x="{:.1f}" y="20" width="{:.1f}" height="14"/>'
        '<path class="mark" d="M{:.1f} 14V40"/>'
        '<text class="tick" x="12" y="52">{}</text><text class="tick end" x="{}" y="52">{}</text></svg>'
    ).format(
        WIDTH,
        label,
        WIDTH - 12,
        at(bounds.low),
        at(bounds.high) - at(bounds.low),
        at(value),
        percentage(low),
        WIDTH - 12,
        percentage(high),
    )


def convergence(points: Sequence[dealmill.Point]) -> Markup:
    """Return at least two points with their intervals, against the number of layouts on a logarithmic scale."""
    fewest, largest = points[0].layouts, points[-1].layouts
    low, high = min(point.interval.low for point in points), max(point.interval.high for point in points)

    def at(layouts: int, share: float) -> str:
        x = WIDTH * log(layouts / fewest) / log(largest / fewest)
        return f"{x:.1f} {BASE - (BASE - 8) * (share - low) / (high - low):.1f}"

    upper = [at(point.layouts, point.interval.high) for point in points]
    lower = [at(point.layouts, point.interval.low) for point in reversed(points)]
    return Markup(
        '<svg class="plot" viewBox="0 0 {} {}" role="img" aria-label="{}"><path class="band" d="M{}Z"/>'
        '<path class="mark" d="M{}"/><path class="axis" d="M0 {}H{}"/>'
        '<text class="tick" x="0" y="{}">{:,}</text><text class="tick end" x="{}" y="{}">{:,}</text>'
        '<text class="tick end" x="{}" y="14">{}</text><text class="tick end" x="{}" y="{}">{}</text></svg>'
    ).format(
        WIDTH,
        HEIGHT,
        f"The confidence interval after {fewest:,} to {largest:,} layouts",
        "L".join(upper + lower),
        "L".join(at(point.layouts, point.share) for point in points),
        BASE,
        WIDTH,
        HEIGHT - 6,
        fewest,
        WIDTH,
        HEIGHT - 6,
        largest,
        WIDTH,
        percentage(high),
        WIDTH,
        BASE - 4,
        percentage(low),
    )


SIDE, LEFT = 320, 44
"""The side of the square of a scatter plot, and the room for labels on its left and below it."""
PER_DECADE = 10
"""The dots of a scatter plot for a tenfold number of nodes."""


def scatter(counts: Sequence[tuple[int, int, int]], name: str, other_name: str) -> Markup:
    """Return the node counts of two runs on logarithmic scales. Layouts with about the same counts are one dot, whose
    area grows with their number; counts of 0 are drawn as 1."""
    dots = Counter(
        tuple(round(PER_DECADE * log10(max(count, 1))) for count in (ours, theirs)) for _, ours, theirs in counts
    )
    decades = max(ceil(max(max(dot) for dot in dots) / PER_DECADE), 1)
    unit = SIDE / (decades * PER_DECADE)
    largest = max(dots.values())
    dot = Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>')
    drawn = Markup().join(
        dot.format(LEFT + x * unit, SIDE - y * unit, max(0.8 * unit * sqrt(count / largest), 1.2))
        for (x, y), count in sorted(dots.items())
    )
    tick = Markup(
        '<path class="axis" d="M{0:.1f} 0V{2}M{3} {1:.1f}H{4}"/>'
        '<text class="tick middle" x="{0:.1f}" y="{5}">{6}</text><text class="tick end" x="{7}" y="{8:.1f}">{6}</text>'
    )
    ticks = Markup().join(
        tick.format(
            LEFT + offset,
            SIDE - offset,
            SIDE,
            LEFT,
            LEFT + SIDE,
            SIDE + 16,
            f"{10**decade:,}" if decade < 4 else f"10^{decade}",
            LEFT - 6,
            SIDE - offset + 4,
        )
        for decade in range(decades + 1)
        for offset in [decade * PER_DECADE * unit]
    )
    return Markup(
        '<svg class="plot square" viewBox="0 -10 {} {}" role="img" aria-label="{}">{}'
        '<path class="mark thin" d="M{} {}L{} 0"/>{}<text class="tick end" x="{}" y="{}">nodes of {}</text>'
        '<text class="tick" x="{}" y="6">nodes of {}</text></svg>'
    ).format(
        LEFT + SIDE + 16,
        SIDE + 48,
        f"Node counts of {name} and {other_name} on logarithmic scales; the table has the ratios",
        ticks,
        LEFT,
        SIDE,
        LEFT + SIDE,
        drawn,
        LEFT + SIDE,
        SIDE + 34,
        name,
        LEFT + 6,
        other_name,
    )


ROW, NAMED, WIDE = 38, 300, 760
"""The height of a row of intervals, the room for its label, and the width of the picture."""


def intervals(rows: Sequence[tuple[str, str, float, dealmill.Interval]]) -> Markup:
    """Return shares with their confidence intervals on one scale: a row for each, with a label and a line below it."""
    if not rows:
        return Markup()
    low, high = min(bounds.low for *_, bounds in rows), max(bounds.high for *_, bounds in rows)
    reach = max(high - low, 0.01) * 0.05
    low, high = max(low - reach, 0.0), min(high + reach, 1.0)
    bottom = ROW * len(rows) + 8

    def at(share: float) -> float:
        return NAMED + (WIDE - NAMED - 30) * (share - low) / (high - low)

    row = Markup(
        '<text class="tick label" y="{}">{}</text><text class="tick" y="{}">{}</text>'
        '<path class="whisker" d="M{:.1f} {}H{:.1f}"/><circle class="dot" cx="{:.1f}" cy="{}" r="5"/>'
    )
    drawn = Markup().join(
        row.format(
            y - 3, _shortened(label), y + 12, _shortened(below), at(bounds.low), y, at(bounds.high), at(share), y
        )
        for number, (label, below, share, bounds) in enumerate(rows)
        for y in [ROW * number + ROW // 2]
    )
    tick = Markup('<path class="axis" d="M{0:.1f} 0V{1}"/><text class="tick middle" x="{0:.1f}" y="{2}">{3}</text>')
    ticks = Markup().join(
        tick.format(at(share), bottom, bottom + 18, percentage(share))
        for share in (low + (high - low) * part / 4 for part in range(5))
    )
    return Markup('<svg class="plot chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}{}</svg>').format(
        WIDE,
        bottom + 26,
        f"The winnability of {len(rows)} runs with 95 % confidence intervals; the table below has the figures",
        ticks,
        drawn,
    )


def _shortened(text: str) -> str:
    """Return a label that fits its room; what is too long loses its middle, because the ends tell labels apart."""
    return text if len(text) <= NAMED // 7 else f"{text[:24]}…{text[-16:]}"


LOOK = (
    "svg{background:#fff;font-family:system-ui,sans-serif}text{fill:#5a6068;font-size:12px}.label{fill:#1a1a1a}"
    ".end{text-anchor:end}.middle{text-anchor:middle}.axis{stroke:#dfe2e5;fill:none}.mark{stroke:#1a1a1a;"
    "stroke-width:2;fill:none}.band{fill:#00629b;opacity:.3}.dot{fill:#00629b}.whisker{stroke:#00629b;stroke-width:3}"
)
"""The look of a plot outside of the pages, as in their style sheet."""


def document(plot: Markup) -> str:
    """Return a plot as an SVG document of its own."""
    return (
        str(plot)
        .replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        .replace(">", f"><style>{LOOK}</style>", 1)
    )
