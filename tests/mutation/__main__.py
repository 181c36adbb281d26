"""Which mutants of a module of a game's referee the tests of that module let live:
``python -m tests.mutation klondike moves``; without a module, those of all modules, a line for each.

Modules whose tests are in the same file are tried together. The tests run once as they are, so that a failure means
something and everything is loaded; then each mutant gets a fork of this process, in which it takes the place of its
module before the tests are imported again. A mutant is dead if the tests fail, if it cannot even be imported, or if it
never comes to an end.
"""

import ast
import gc
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from functools import cache
from importlib import reload
from importlib.util import find_spec, module_from_spec
from inspect import getsource
from pathlib import Path
from signal import ITIMER_PROF, setitimer
from time import process_time
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
MORE_SECONDS = 3.0
"""What a test of a mutant may take beyond twice its time: it may have to prepare what others prepared before."""


TESTING = "dealmill.testing"
PATIENCES = "tests/games/patience/"


class Mutant(NamedTuple):
    """A module of a referee with one change, by its number."""

    module: str
    number: int


class TimesOfTests:
    """Runs the tests of a process in the order of the time that they took in it or its parent: most mutants fail one of
    those that take milliseconds. A test of a mutant that takes much more processor time than that ends the process: the
    mutant counts as endless."""

    def __init__(self) -> None:
        self.limited = False
        self._seconds = defaultdict[str, float](float)
        self._begun = 0.0

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        """Leave out the tests of patiences that are marked as slow themselves, not by their files: random decks by the
        thousand."""
        items[:] = (item for item in items if not (PATIENCES in item.nodeid and item.get_closest_marker("slow")))
        yield
        items.sort(key=lambda item: self._seconds[item.nodeid])

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._begun = process_time()
        if self.limited:
            setitimer(ITIMER_PROF, MORE_SECONDS + 2 * self._seconds[nodeid])  # its signal ends the process

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._seconds[nodeid] = process_time() - self._begun


TIMES = TimesOfTests()


def main(game: Game, tests: Path, modules: Sequence[str]) -> None:
    """Print how many mutants each module of the referee of a game has that these tests are for, and what has been
    changed in those that live."""
    settings.register_profile("mutation", QUICK)
    settings.load_profile("mutation")
    with redirect_stdout(sys.stderr):
        if run_tests(tests):
            sys.exit("the tests fail without any change")
    gc.freeze()  # each of the forks would go through all objects ten times when pytest ends
    changes = {module: list(mutations(tree_of(module))) for module in modules}
    mutants = [Mutant(module, number) for module in modules for number in range(len(changes[module]))]
    unchanged, *failed = outcomes(game, tests, [None, *mutants])
    if unchanged:
        sys.exit("the tests fail in a fork without any change")
    living = [mutant for mutant, dead in zip(mutants, failed, strict=True) if not dead]
    for module in modules:
        survivors = [changes[module][mutant.number] for mutant in living if mutant.module == module]
        lines = [f"{sys.modules[module].__file__}:{mutation.line}: {mutation.change}" for mutation in survivors]
        report = {
            "module": name_of(game, module),
            "mutants": len(changes[module]),
            "survivors": list(zip(lines, [mutation.change for mutation in survivors], strict=True)),
        }
        sys.stdout.write(json.dumps(report) + "\n")


def folder_of(game: Game) -> str:
    """The package of its tests, below `tests.games`."""
    return game.package.removeprefix(f"{package_of_games.__name__}.")


@cache
def referee_of(game: Game) -> Sequence[str]:
    """The names of the modules of a referee, each after those that it imports. All sources are parsed for that, so that
    this is done once, and not in the fork of each mutant."""
    return [part.module for part in parts_of_referee(game)]


def mutated(game: Game) -> list[str]:
    """The names of the modules that have mutants. The tests of patiences are also those of what referees share."""
    own = [module for module in referee_of(game) if module not in SHARED or folder_of(game) == "patience"]
    return [module for module in own if any(mutations(tree_of(module)))]


def name_of(game: Game, module: str) -> str:
    """The name of a module without that of its game's package."""
    return module.removeprefix(f"{game.package}.")


def tree_of(module: str) -> ast.Module:
    return ast.parse(getsource(sys.modules[module]))


def modules_by_tests(game: Game) -> dict[Path, list[str]]:
    """The names of the modules that have mutants, by the file of their tests: those of `rules` are in
    ``test_rules.py``, or in ``test_referee.py``."""
    modules = defaultdict[Path, list[str]](list)
    folder = Path(__file__).parents[1] / Path("games", *folder_of(game).split("."))
    for module in mutated(game):
        own = folder / f"test_{module.rpartition('.')[2]}.py"
        modules[own if own.exists() else folder / "test_referee.py"].append(module)
    return modules


def run_tests(tests: Path) -> int:
    """Run a file of tests."""
    return pytest.main([*BARE, str(tests)], plugins=[TIMES])


def outcomes(game: Game, tests: Path, mutants: Iterable[Mutant | None]) -> list[bool]:
    """Of each mutant, or of the modules as they are, whether the tests fail; as many at once as there are
    processors."""
    failed: dict[Mutant | None, bool] = {}
    running: dict[int, Mutant | None] = {}
    for mutant in mutants:
        if len(running) == os.cpu_count():
            reap(running, failed)
        failed[mutant] = False  # in the order of the mutants
        running[fork(game, tests, mutant)] = mutant
    while running:
        reap(running, failed)
    return list(failed.values())


def reap(running: dict[int, Mutant | None], failed: dict[Mutant | None, bool]) -> None:
    """Wait for one of the forks."""
    process, status = os.wait()
    failed[running.pop(process)] = status != 0


def fork(game: Game, tests: Path, mutant: Mutant | None) -> int:
    """Run the tests on a mutant, or on the modules as they are, in a process that ends with 0 if they pass."""
    process = os.fork()
    if not process:
        failed = 1
        try:
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            if mutant is not None:
                setitimer(ITIMER_PROF, LOADING_SECONDS)
                TIMES.limited = True
            put_in_place(game, mutant)
            failed = run_tests(tests)
        finally:
            os._exit(failed)
    return process


def put_in_place(game: Game, mutant: Mutant | None) -> None:
    """Make a mutant a part of the referee of its game, for tests that are still to be imported. The modules
    that import the changed one are loaded again, too, also those that tests import."""
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
        if mutant is not None and name == mutant.module:
            tree = tree_of(name)
            list(mutations(tree))[mutant.number].make()
            exec(compile(ast.fix_missing_locations(tree), str(spec.origin), "exec"), module.__dict__)  # noqa: S102
        else:
            spec.loader.exec_module(module)
        if name in SHARED:
            reload(sys.modules[REFEREES])  # it names what is in the module
    for each in games().values():
        vars(each).pop("referee", None)  # which it made before, in the referee as it is
    # One makes rules, of their class in the referee; the other chooses compiled code by the class of a loss.
    for name in ("schema", "compiled.referee"):
        if user := sys.modules.get(f"{game.package}.{name}"):
            reload(user)


if __name__ == "__main__":
    chosen_game = find_game(sys.argv[1])
    for file, names in modules_by_tests(chosen_game).items():
        if chosen := [name for name in names if not sys.argv[2:] or name_of(chosen_game, name) in sys.argv[2:]]:
            main(chosen_game, file, chosen)
