"""Charts: round ticks, and labels that neither overlap nor run out of the picture, even on a phone."""

import re
import xml.etree.ElementTree as ET
from collections import defaultdict
from itertools import pairwise
from math import log10

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import dealmill
from dealmill.pipeline.results.chart_parts import LEFT, RIGHT, WIDTH, Chart, labels, log_ticks, number_label, ticks
from dealmill.pipeline.results.charts import (
    IntervalRow,
    SampleInterval,
    bars,
    curves,
    histogram,
    intervals,
    narrowing,
    scatter,
    verdict_bar,
)
from dealmill.pipeline.store.distributions.histograms import bars_of, distribution_of, doubling_bars, equal_bars

PHONE = 390 - 2 * 16 - LEFT - RIGHT
"""The width of a chart on a phone, in pixels."""
LETTER = 7.3
"""The width of a digit in one of the widest fonts, at 12 pixels."""
NARROW = str.maketrans("", "", ",. ")
"""What is less than half as wide as a digit."""


def texts(svg: str) -> list[tuple[float, float, float, str]]:
    """Return the height, both ends and the words of each text of a chart on a phone, from its left end."""
    found = []
    for text in ET.fromstring(svg).iter("text"):
        words = text.text or ""
        x = text.get("x", "")
        start = PHONE * float(x[:-1]) / 100 if x.endswith("%") else float(x)
        start += float(text.get("dx", 0))
        width = LETTER * (len(words) - len(words.translate(NARROW)) / 1) / 2 + LETTER * len(words.translate(NARROW))
        start -= {"start": 0.0, "middle": width / 2, "end": width}[text.get("text-anchor", "start")]
        found.append((float(text.get("y", "")), start, start + width, words))
    return found


def check_labels(chart: Chart) -> None:
    """Check that the labels of a chart are in the picture, and none is on another one. At each moment, no more than one
    of the texts is shown that show numbers."""
    shown = re.findall(r'<text[^>]*class="label shown"[^>]*>([^<]*)</text>', chart.svg)
    lines = defaultdict(list)
    for y, start, end, words in texts(chart.svg):
        assert start >= -LEFT and end <= PHONE + RIGHT, words
        if words not in shown:
            lines[y].append((start, end, words))
    for line in lines.values():
        for (_, end, words), (start, _, following) in pairwise(sorted(line)):
            assert end < start, (words, following)


NUMBERS = st.lists(st.integers(-(10**5), 10**6) | st.integers(-50, 50), min_size=1, max_size=50)
NODES = st.lists(st.integers(0, 10**8) | st.integers(0, 9), min_size=1, max_size=50)


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_ticks_are_multiples_of_a_round_step(low: float, width: float) -> None:
    assume(width > abs(low) * 1e-6)
    marked = ticks(low, low + width)
    assert 2 <= len(marked) <= 6 and low - width * 1e-5 <= marked[0] and marked[-1] <= low + width * (1 + 1e-5)
    step = marked[1] - marked[0]
    assert any(abs(step / (factor * 10 ** round(log10(step / factor))) - 1) < 1e-3 for factor in (1, 2, 5))
    assert len(set(labels(marked))) == len(marked)


@given(st.floats(1, 1e12), st.floats(1.1, 1e9))
def test_ticks_on_a_logarithmic_axis_are_round(low: float, factor: float) -> None:
    marked = log_ticks(low, low * factor)
    assert 2 <= len(marked) <= 6
    assert len({number_label(number) for number in marked}) == len(marked) or factor < 1.5
    if factor > 400:
        assert all(abs(log10(number) - round(log10(number))) < 1e-9 for number in marked)


@pytest.mark.parametrize(
    ("number", "label"), [(0, "0"), (0.5, "0.5"), (2_000, "2,000"), (50_000, "50k"), (1_500_000, "1.5M"), (1e9, "1G")]
)
def test_large_numbers_are_short(number: float, label: str) -> None:
    assert number_label(number) == label


@given(NUMBERS, st.booleans())
def test_a_histogram_says_what_each_bar_counts(numbers: list[int], marked: bool) -> None:
    import numpy as np

    bars = bars_of(distribution_of(np.array(numbers), equal_bars), equal_bars)
    mean = sum(numbers) / len(numbers)
    marks = {"mean 123,456": mean, "exactly 123,457": mean} if marked else {}
    chart = histogram(bars, "pegs", marks=marks, link=lambda low, high: f"/?value={low}..{high}&x")
    links = {link.get("href"): link.get("aria-label") or "" for link in ET.fromstring(chart.svg).iter("a")}
    assert list(links) == [f"/?value={bar.low}..{bar.high}&x" for bar in bars if bar.count]
    counts = [bar.count for bar in bars if bar.count]
    assert [int(re.findall(r": (\d+) layout", label)[0]) for label in links.values()] == counts
    check_labels(chart)


@given(NODES)
def test_a_histogram_of_nodes_has_a_logarithmic_axis(numbers: list[int]) -> None:
    import numpy as np

    bars = bars_of(distribution_of(np.array(numbers), doubling_bars), doubling_bars)
    check_labels(histogram(bars, "nodes", doubling=True))


SHARES = st.floats(0, 1)
ESTIMATES = st.tuples(SHARES, SHARES, SHARES).map(sorted).map(lambda ends: SampleInterval(ends[1], ends[0], ends[2]))


@given(st.lists(ESTIMATES, min_size=1, max_size=5), st.none() | SHARES)
def test_intervals_are_on_one_scale(estimates: list[SampleInterval], exact: float | None) -> None:
    chart = intervals([IntervalRow(f"{index}: a run", "file", each) for index, each in enumerate(estimates)], exact)
    drawn = ET.fromstring(chart.svg)
    ends = [
        [float((line.get(name) or "")[:-1]) for name in ("x1", "x2")]
        for line in drawn.iter("line")
        if line.get("class") == "whisker"
    ]
    shares = sorted(
        (share, place)
        for row, each in zip(ends, estimates, strict=True)
        for share, place in zip(each[1:], row, strict=True)
    )
    assert all(left[1] <= right[1] for left, right in pairwise(shares)) and all(
        0 <= at <= 100 for row in ends for at in row
    )
    assert (exact is not None) == ("exactly" in chart.svg)
    check_labels(chart)


def test_long_labels_keep_both_ends() -> None:
    chart = intervals(
        [IntervalRow("7: card-pairing/mine " + "a" * 60 + ", 10 nodes", "b" * 99, SampleInterval(0.5, 0.4, 0.6))]
    )
    assert "7: card-pairing/mi" in chart.svg and "a, 10 nodes" in chart.svg
    check_labels(chart)


@given(st.integers(1, 10**4), st.floats(1.2, 50), st.none() | SHARES)
@example(1_045, 1.504, None)
@example(2_140, 1.4932, None)
def test_the_narrowing_interval_is_drawn_with_the_exact_share(first: int, factor: float, exact: float | None) -> None:
    points = {
        round(first * factor**step) + step: SampleInterval(0.5, 0.4 + step / 40, 0.6 - step / 40) for step in range(4)
    }
    chart = narrowing(points, exact)
    assert (exact is not None) == (">exact<" in chart.svg)
    assert f"{first:,} layout" in chart.svg
    check_labels(chart)


def test_a_scatter_plot_counts_layouts_with_about_the_same_nodes() -> None:
    chart = scatter([(1, 10, 1_000), (2, 11, 990), (3, 0, 1)], "run 1", "run 2")
    assert [title.text for title in ET.fromstring(chart.svg).iter("title")] == [
        "1 layout: about 1 and 1 nodes",
        "2 layouts: about 10 and 1,000 nodes",
    ]
    check_labels(chart)


COUNT = st.integers(0, 10**13)


@given(st.lists(st.tuples(st.just(1), COUNT, COUNT), min_size=1, max_size=9))
def test_the_dots_of_a_scatter_plot_keep_off_its_labels(counts: list[tuple[int, int, int]]) -> None:
    chart = scatter(counts, "run 1", "run 2")
    check_labels(chart)
    for dot in ET.fromstring(chart.svg).iter("circle"):
        x, y, radius = PHONE * float(dot.get("cx", "")[:-1]) / 100, float(dot.get("cy", "")), float(dot.get("r", ""))
        assert radius <= min(x, y) and x + radius <= PHONE and y + radius <= chart.height


def test_a_scatter_plot_shows_its_numbers_column_by_column() -> None:
    chart = scatter([(1, 10, 1_000), (2, 11, 990), (3, 10, 10**8), (4, 12 * 10**7, 1)], "run 998", "run 999")
    assert [point.get("aria-label") for point in ET.fromstring(chart.svg).iter("g") if point.get("tabindex")] == [
        "3 layouts: about 10 nodes, run 999 1,000 to 100M",
        "1 layout: about 100M nodes, run 999 1",
    ]
    check_labels(chart)


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=20),
        st.dictionaries(st.sampled_from(["plain script", "ours"]), st.floats(0.1, 100), min_size=1),
        min_size=1,
        max_size=5,
    )
)
def test_bars_have_their_numbers_at_their_ends(groups: dict[str, dict[str, float]]) -> None:
    chart = bars(groups, "seconds")
    drawn = ET.fromstring(chart.svg)
    numbers = [(name, number) for group in groups.values() for name, number in group.items()]
    widths = [float((rect.get("width") or "")[:-1]) for rect in drawn.iter("rect")]
    longest = max(number for _, number in numbers)
    assert [round(width / 60 * longest, 1) for width in widths] == pytest.approx(
        [number for _, number in numbers], abs=0.1
    )
    words = [text.text for text in drawn.iter("text")]
    assert all(f"{number:.2f} {name}" in words for name, number in numbers)
    check_labels(chart)


def test_a_bar_shows_each_share_and_says_it_in_words() -> None:
    chart = verdict_bar({dealmill.Verdict.WINNABLE: 30, dealmill.Verdict.FAILED: 10}, 80)
    drawn = ET.fromstring(chart.svg)
    assert drawn.get("aria-label") == "30 winnable, 10 failed"
    assert [round(float((rect.get("width") or "")[:-1])) for rect in drawn.findall("rect")] == [100, 37, 12]


def test_a_file_has_a_title_and_its_size() -> None:
    document = intervals([IntervalRow("run 1", "file", SampleInterval(0.5, 0.4, 0.6))]).document("<title>")
    drawn = ET.fromstring(document)
    assert drawn.get("viewBox", "").startswith(f"0 0 {LEFT + WIDTH + RIGHT} ")
    assert "".join(drawn[1].itertext()) == "<title>" and "%" not in drawn[2].get("width", "%")


@given(
    st.lists(st.dictionaries(st.integers(1, 100).map(float), ESTIMATES, min_size=1, max_size=4), min_size=1, max_size=5)
)
def test_names_of_curves_are_in_the_picture_and_apart(series: list[dict[float, SampleInterval]]) -> None:
    chart = curves({f"{index} high": points for index, points in enumerate(series)}, "ranks")
    check_labels(chart)
    heights = sorted(y for y, _, _, words in texts(chart.svg) if words.endswith(" high"))
    assert len(heights) == len(series) and all(below - above >= 15.9 for above, below in pairwise(heights))
    assert heights[0] >= 0 and heights[-1] <= chart.height + 5
    named = list(re.findall(r'aria-label="(\d high, [^"]*)"', chart.svg))
    assert len(named) == sum(map(len, series))
