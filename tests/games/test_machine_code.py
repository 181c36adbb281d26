"""Kernels that are linked without numba do what they do when numba calls them, and no damaged file is linked."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from dealmill.pipeline.games.kernels import Kernel, kernel
from dealmill.pipeline.games.machine_code import MissingError, link, object_file, store, types_of


class Inner(NamedTuple):
    weights: Any
    factor: Any


class Outer(NamedTuple):
    inner: Inner
    table: Any


@kernel
def add_up(numbers, outer, offset):  # type: ignore[no-untyped-def]
    total = offset
    for number in numbers:
        total += number * outer.inner.weights[number % len(outer.inner.weights)] * outer.inner.factor
    outer.table[1, 0] += total
    return total


@kernel
def half_of(numbers, modulus):  # type: ignore[no-untyped-def]
    return np.array([number % modulus == 0 for number in numbers])[: len(numbers) // 2]


@kernel
def same(numbers):  # type: ignore[no-untyped-def]
    return numbers


@kernel
def is_long(numbers):  # type: ignore[no-untyped-def]
    return len(numbers) > 3


@kernel
def greatest(word):  # type: ignore[no-untyped-def]
    return ~word


@kernel
def clear(numbers):  # type: ignore[no-untyped-def]
    numbers[:] = 0


@kernel
def first(numbers):  # type: ignore[no-untyped-def]
    if not len(numbers):
        raise ValueError("there are no numbers")
    return numbers[0]


@kernel
def write_out(number):  # type: ignore[no-untyped-def]
    print(number)  # noqa: T201 -- calls Python
    return number


@kernel
def ends(numbers):  # type: ignore[no-untyped-def]
    return numbers[0], numbers[-1]


@kernel
def count_all(*numbers):  # type: ignore[no-untyped-def]
    return len(numbers)


@kernel
def shifted(number, by=3):  # type: ignore[no-untyped-def]
    return number << by


def adding(number: int) -> Any:
    @kernel
    def add(other):  # type: ignore[no-untyped-def]
        return other + number

    return add


def arguments(*shape: int) -> tuple[Any, ...]:
    outer = Outer(Inner(np.arange(1, 6, dtype=np.uint8), np.int64(7)), np.zeros(shape, dtype=np.int64))
    return np.arange(10), outer, -5


def read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


CALLS: dict[str, tuple[Any, Callable[[], tuple[Any, ...]]]] = {
    "named tuples": (add_up, lambda: arguments(3, 2)),
    "an array as result": (half_of, lambda: (np.arange(9), 3)),
    "an empty array": (half_of, lambda: (np.arange(0), 3)),
    "an argument as result": (same, lambda: (np.arange(5),)),
    "a boolean": (is_long, lambda: (read_only(np.arange(5, dtype=np.uint16)),)),
    "a large number": (greatest, lambda: (np.uint64(1),)),
    "nothing": (clear, lambda: (np.arange(5),)),
    "an array in steps": (same, lambda: (np.arange(9)[::2],)),
    "a tuple as result": (ends, lambda: (np.arange(9),)),
    "a truth value": (same, lambda: (True,)),
    "a fraction": (same, lambda: (2.5,)),
    "any number of arguments": (count_all, lambda: (1, 2, 3)),
    "a default value": (shifted, lambda: (2,)),
    "a closure": (adding(1), lambda: (10,)),
    "another closure of the same function": (adding(2), lambda: (10,)),
    "what uses other functions": (write_out, lambda: (5,)),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_kernel_does_what_it_does_when_numba_calls_it(case: str) -> None:
    function, given = CALLS[case]
    here, there = given(), given()
    result, expected = function(*here), function.compiled(*there)
    assert (type(result), np.asarray(result).dtype) == (type(expected), np.asarray(expected).dtype)
    assert np.array_equal(result, expected)
    assert repr(here) == repr(there)


def test_an_exception_in_a_kernel_is_that_of_numba() -> None:
    assert first(np.arange(3)) == 0
    with pytest.raises(ValueError, match=r"^there are no numbers$"):
        first(np.arange(0))


def test_only_an_intact_file_of_the_kernel_is_linked(tmp_path: Path) -> None:
    assert is_long(np.arange(3)) is False
    assert isinstance(is_long, Kernel)
    line = is_long._function.__code__.co_firstlineno
    stored = object_file(is_long._folder, f"{__name__}.is_long-{line}", types_of((np.arange(3),)) or "")
    content, file = stored.read_bytes(), tmp_path / stored.name
    file.write_bytes(content)
    assert (linked := link(file))
    assert linked((np.arange(4),)) is True
    changed = [content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] for at in range(0, len(content), 97)]
    for damaged in (*changed, content[:-1], content[:10], content + b"\0"):
        file.write_bytes(damaged)
        with pytest.raises(MissingError):
            link(file)
    (tmp_path / "other.object").write_bytes(content)
    for other in (tmp_path / "other.object", tmp_path / "nothing.object"):
        with pytest.raises(MissingError):
            link(other)


def test_an_empty_file_says_that_numba_must_call_the_kernel(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "kernel.object"
    store(file, None)
    assert file.read_bytes() == b""
    assert link(file) is None


WITHOUT_NUMBA = """
import sys
from dealmill.pipeline.games import games
from dealmill.pipeline.games.batch import unpack
from dealmill.pipeline.solve import solve

for game in games().values():
    deals = unpack(game.deal(1, 1, 3))
    for engine in game.engines:
        solve(game.full_name(engine), deals, 100)
print("numba" in sys.modules)
"""


@pytest.mark.long
def test_all_engines_and_deals_run_without_numba_once_they_are_compiled() -> None:
    told = [
        subprocess.run([sys.executable, "-c", WITHOUT_NUMBA], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert told[1] == "False\n"
