"""The lists of `tests/selection.py` name what exists: a test that gets another name would become quick."""

import ast
from pathlib import Path

from tests.selection import ON_BOTH_DATABASES, QUICK_ON_POSTGRESQL, SLOW, SLOW_TESTS

ROOT = Path(__file__).parents[1]


def test_paths_of_the_selection_exist() -> None:
    for path in (*ON_BOTH_DATABASES, QUICK_ON_POSTGRESQL, *SLOW):
        assert (ROOT / path).is_dir() if path.endswith("/") else (ROOT / path).is_file(), path


def test_tests_of_the_selection_exist() -> None:
    for beginning in SLOW_TESTS:
        path, _, test = beginning.partition("::")
        tests = [node.name for node in ast.parse((ROOT / path).read_text()).body if isinstance(node, ast.FunctionDef)]
        assert [name for name in tests if name.startswith(test.partition("[")[0])], beginning
