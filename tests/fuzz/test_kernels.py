"""No text crashes a check or an engine, and no kernel leaves its bounds: tried in processes of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.searches import SEARCHES, search_of
from tests.fuzz.targets import FUZZED
from tests.servers import clean_environment

COMPILING = 1_500
"""Seconds that compiling all kernels may take on a slow machine that does other things meanwhile."""
BOUNDS_CHECK = {"NUMBA_BOUNDSCHECK": "1"}
UNGUARDED = """
from dealmill.pipeline.games.batch import to_texts
from dealmill.pipeline.games.camelot.engine import winnable
winnable(to_texts(["A" * 10]))
"""
FOLDER = """
from pathlib import Path
from dealmill.pipeline.games.caches import cache_folder
print(cache_folder(Path("camelot")))
"""


def python(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run Python, and have it tell where it crashes."""
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", *arguments],
        env=clean_environment(env),
        capture_output=True,
        text=True,
        check=False,
        timeout=COMPILING,
    )


@pytest.mark.parametrize("env", [{}, BOUNDS_CHECK], ids=["as compiled", "with bounds checks"])
@pytest.mark.long
@pytest.mark.timeout(COMPILING + 60)
def test_no_text_crashes_a_check_or_an_engine(env: dict[str, str]) -> None:
    ran = python("-m", "tests.fuzz.kernels", "1", "0", env=env)
    assert ran.returncode == 0, ran.stderr[-5_000:]
    assert "tried" in ran.stdout


def games_of_other_searches() -> list[str]:
    """Return a patience for each search by which no game of `FUZZED` is decided: the first by name."""
    searches = {
        game.name: SEARCHES.index(search_of(game.rules)) for game in games().values() if isinstance(game, Patience)
    }
    tried = {searches[game.name] for game in FUZZED if isinstance(game, Patience)}
    firsts = {search: name for name, search in sorted(searches.items(), reverse=True) if search not in tried}
    return sorted(firsts.values())


@pytest.mark.by_hand
@pytest.mark.parametrize("name", games_of_other_searches())
@pytest.mark.timeout(COMPILING + 60)
def test_no_text_crashes_the_other_searches(name: str) -> None:
    ran = python("-m", "tests.fuzz.kernels", "1", "0", name, env=BOUNDS_CHECK)
    assert ran.returncode == 0, ran.stderr[-5_000:]
    assert "tried" in ran.stdout


def test_bounds_checks_notice_a_kernel_that_leaves_its_bounds() -> None:
    """So the test above can fail, and code with bounds checks is not taken from the cache of code without."""
    ran = python("-c", UNGUARDED, env=BOUNDS_CHECK)
    assert "IndexError" in ran.stderr


def test_code_with_bounds_checks_is_cached_apart() -> None:
    folders = [Path(python("-c", FOLDER, env=env).stdout.strip()) for env in ({}, BOUNDS_CHECK)]
    assert folders[0] != folders[1]
    assert folders[0].parent == folders[1].parent
