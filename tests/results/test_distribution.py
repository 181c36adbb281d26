"""Sums of distributions, and damaged ones. tests/web/test_histograms.py compares the bars with a naive count."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.distributions.histograms import (
    NONE,
    Distribution,
    Limits,
    distribution_of,
    doubling_bars,
    equal_bars,
    histogram_of,
    sum_of,
)
from tests.doing import a_run, alter

INT64 = st.integers(-(2**63), 2**63 - 1)
VALUES = st.lists(st.lists(INT64 | st.integers(-50, 50)), max_size=5)
NODES = st.lists(st.lists(st.integers(0, 2**63 - 1) | st.integers(0, 9)), max_size=5)


def of(numbers: list[int], limits: Limits) -> Distribution:
    return distribution_of(np.array(numbers, dtype=np.int64), limits)


def check(parts: list[list[int]], limits: Limits) -> None:
    total = sum_of([of(part, limits) for part in parts], limits)
    numbers = [number for part in parts for number in part]
    assert total == (of(numbers, limits) if numbers else NONE)


@given(VALUES)
def test_sums_of_values(parts: list[list[int]]) -> None:
    check(parts, equal_bars)


@given(NODES)
def test_sums_of_node_counts(parts: list[list[int]]) -> None:
    check(parts, doubling_bars)


def test_bars_without_any_number_are_no_histogram(sqlite_store: Database) -> None:
    run = a_run(sqlite_store, "memory/two-pass", ["AABB", "ABAB"])
    alter(sqlite_store, "UPDATE jobs SET value_counts = '{}'")
    assert histogram_of(sqlite_store, run.id, "value") is None
