"""Fifty hostile inputs for every reader."""

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, settings

from tests.doing import QUICK, SAMPLE_PATIENCES
from tests.fuzz.targets import TARGETS

INPUTS = 50


def is_slow(name: str) -> bool:
    """Return whether a target is about a patience that only `make test-slow` tries: all have one reader."""
    game = name.rpartition(" ")[2].partition("/")[0]
    return game in SAMPLE_PATIENCES and game not in QUICK


COMPILED = """
import sys
from numba.core.registry import CPUDispatcher
import tests.fuzz.targets
from dealmill.pipeline.games import games
for game in games().values():
    for function in ("read", "check", "scenes"):
        getattr(game, function)
ours = [module for name, module in sys.modules.items() if name.startswith("dealmill")]
print([module.__name__ for module in ours if any(isinstance(one, CPUDispatcher) for one in vars(module).values())])
"""
"""Tells which modules hold compiled functions, of those that the fuzzer instruments."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if is_slow(name) else ()) for name in TARGETS]
)
def test_every_reader_accepts_or_refuses_any_input(name: str) -> None:
    settings(max_examples=INPUTS, suppress_health_check=list(HealthCheck))(TARGETS[name]())()


def test_nothing_that_the_fuzzer_instruments_is_compiled() -> None:
    """For a compiler does not understand what has been instrumented."""
    told = subprocess.run([sys.executable, "-c", COMPILED], capture_output=True, text=True, check=True)
    assert told.stdout == "[]\n"
