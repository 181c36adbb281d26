"""docs/guarantees.md quotes promises that the pages give, and names tests that exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guarantees.md"
ROWS = re.findall(r"^\| (.+) \| \[[^]]+\]\(([^)]+)\) \| (`tests/.+`) \|$", PAGE.read_text(), re.MULTILINE)


@cache
def names_in(file: Path) -> set[str]:
    """Return the names of the tests in a file that pytest collects."""
    assert file.name.startswith("test_")
    return {node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)}


def test_every_row_of_the_page_is_read() -> None:
    assert len(ROWS) == sum("`tests/" in line for line in PAGE.read_text().splitlines() if line.startswith("|")) > 50


@pytest.mark.parametrize(("promise", "page", "tests"), ROWS, ids=[row[0][:40] for row in ROWS])
def test_a_promise_stands_on_its_page_and_its_tests_exist(promise: str, page: str, tests: str) -> None:
    text = (PAGE.parent / page).read_text()
    assert promise in re.sub(r"\s+", " ", re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text))
    for name in re.findall(r"`([^`]+)`", tests):
        file, _, test = name.partition("::")
        assert test.startswith("test_") and test in names_in(ROOT / file), name
