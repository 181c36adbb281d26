"""Which mutants of a game's referee its tests let live: ``python -m tests.mutation camelot``; with two numbers, as in
``python -m tests.mutation klondike 3 10``, which ones of every tenth from the fourth on.

The tests run once as they are, so that a failure means something and everything is loaded; then each mutant gets a fork
of this process, in which it takes the place of a module of the referee before the tests of that module are imported
again. A mutant is dead if the tests fail, if it cannot even be imported, or if it never comes to an end.
"""

import ast
import gc
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from functools import cache
from importlib import reload
from importlib.util import find_spec, module_from_spec
from inspect import getsource
from pathlib import Path
from signal import ITIMER_PROF, setitimer
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings

from dealmill.pipeline import games as package_of_games
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.outputs.checker.build import parts_of_referee
from dealmill.pipeline.outputs.checker.parts import REFEREES, SHARED
from tests.mutation.mutants import mutations

QUICK = settings(
    max_examples=15,
    database=None,
    derandomize=True,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
BARE = ["-x", "-q", "--tb", "no", "--disable-plugin-autoload", "--assert", "plain"]
BARE += ["-p", "no:cacheprovider", "-o", "addopts=--strict-markers", "-m", "not long and not by_hand"]
"""Only whether the tests pass is of interest: no plugin is set up for each mutant, and no assertion is explained."""
LOADING_SECONDS = 60.0
"""The processor time in which a mutant must be imported and its tests collected."""
MORE_SECONDS = 5.0
"""What a test of a mutant may take beyond twice its time: it may have to prepare what others prepared before."""


TESTING = "dealmill.testing"


class Mutant(NamedTuple):
    """The name of a module of a referee, the number of a mutation of its syntax tree, and what it changes, in words."""

    module: str
    number: int
    change: str


class TimesOfTests:
    """Runs the tests of a process in the order of the time that they took in it or its parent: most mutants fail one of
    those that take milliseconds. A test of a mutant that takes much more processor time than that ends the process: the
    mutant counts as endless."""

    def __init__(self) -> None:
        self.limited = False
        self._seconds = defaultdict[str, float](float)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self._seconds[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        if self.limited:
            setitimer(ITIMER_PROF, MORE_SECONDS + 2 * self._seconds[nodeid])  # its signal ends the process

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration


TIMES = TimesOfTests()


def main(game: Game, part: int = 0, parts: int = 1) -> None:
    """Print how many mutants of a part there are and what has been changed in those that live."""
    settings.register_profile("mutation", QUICK)
    settings.load_profile("mutation")
    with redirect_stdout(sys.stderr):
        if run_tests(game, referee_of(game)):
            sys.exit("the tests fail without any change")
    gc.freeze()  # each of the forks would go through all objects ten times when pytest ends
    mutants = [
        Mutant(module, number, f"{sys.modules[module].__file__}:{mutation.line}: {mutation.change}")
        for module in referee_of(game)
        if module not in SHARED or folder_of(game) == "patience"  # whose tests are those of what referees share
        for number, mutation in enumerate(mutations(tree_of(module)))
    ]
    mutants = mutants[part::parts]
    unchanged, *failed = outcomes(game, [None, *mutants])
    if unchanged:
        sys.exit("the tests fail in a fork without any change")
    survivors = [mutant.change for mutant, dead in zip(mutants, failed, strict=True) if not dead]
    json.dump({"mutants": len(mutants), "survivors": survivors}, sys.stdout)


def folder_of(game: Game) -> str:
    """The package of its tests, below `tests.games`."""
    return game.package.removeprefix(f"{package_of_games.__name__}.")


@cache
def referee_of(game: Game) -> list[str]:
    """The names of the modules of a referee, each after those that it imports."""
    return [part.module for part in parts_of_referee(game)]


def tree_of(module: str) -> ast.Module:
    return ast.parse(getsource(sys.modules[module]))


def run_tests(game: Game, modules: Iterable[str]) -> int:
    """Run the tests of modules of a referee: those of `rules` are in ``test_rules.py``, or in ``test_referee.py``."""
    folder = Path(__file__).parents[1] / Path("games", *folder_of(game).split("."))
    files = [folder / f"test_{module.rpartition('.')[2]}.py" for module in modules]
    tests = dict.fromkeys(str(file if file.exists() else folder / "test_referee.py") for file in files)
    return pytest.main([*BARE, *tests], plugins=[TIMES])


def outcomes(game: Game, mutants: Sequence[Mutant | None]) -> list[bool]:
    """Of each mutant, or the referee as it is, whether its tests fail; as many at once as there are processors."""
    failed: dict[Mutant | None, bool] = {}
    running: dict[int, Mutant | None] = {}
    for mutant in mutants:
        if len(running) == os.cpu_count():
            reap(running, failed)
        running[fork(game, mutant)] = mutant
    while running:
        reap(running, failed)
    return [failed[mutant] for mutant in mutants]


def reap(running: dict[int, Mutant | None], failed: dict[Mutant | None, bool]) -> None:
    """Wait for one of the forks."""
    process, status = os.wait()
    failed[running.pop(process)] = status != 0


def fork(game: Game, mutant: Mutant | None) -> int:
    """Run the tests on a mutant, or on the referee as it is, in a process that ends with 0 if they pass."""
    process = os.fork()
    if not process:
        failed = 1
        try:
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            if mutant:
                setitimer(ITIMER_PROF, LOADING_SECONDS)
                TIMES.limited = True
            put_in_place(game, mutant)
            failed = run_tests(game, [mutant.module] if mutant else referee_of(game))
        finally:
            os._exit(failed)
    return process


def put_in_place(game: Game, mutant: Mutant | None) -> None:
    """Make a mutant the referee of its game, for tests that are still to be imported. The modules that import the
    changed one are loaded again, too, also those that tests import."""
    for loaded in [name for name in sys.modules if name.startswith((f"tests.games.{folder_of(game)}.", TESTING))]:
        del sys.modules[loaded]
    for name in referee_of(game):
        spec = find_spec(name)
        assert spec
        assert spec.loader
        module = module_from_spec(spec)
        sys.modules[name] = module
        package, _, last = name.rpartition(".")
        setattr(sys.modules[package], last, module)
        if mutant and mutant.module == name:
            tree = tree_of(name)
            list(mutations(tree))[mutant.number].make()
            exec(compile(ast.fix_missing_locations(tree), str(spec.origin), "exec"), module.__dict__)  # noqa: S102
        else:
            spec.loader.exec_module(module)
        if name in SHARED:
            reload(sys.modules[REFEREES])  # it names what is in the module
    for each in games().values():
        vars(each).pop("referee", None)  # which it made before, in the referee as it is
    if compiled := sys.modules.get(f"{game.package}.compiled"):
        reload(compiled)  # it chooses the compiled code by the class of a loss


if __name__ == "__main__":
    main(find_game(sys.argv[1]), *map(int, sys.argv[2:]))
