"""Which mutants of a game's referee its tests let live: ``python -m tests.mutation camelot``.

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
from importlib.util import find_spec, module_from_spec
from inspect import getsource
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from signal import ITIMER_PROF, setitimer
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, settings

from dealmill.pipeline import games as package_of_games
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.outputs.checker.build import parts_of_referee
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
BARE += ["-p", "no:cacheprovider", "-o", "addopts=--strict-markers"]
"""Only whether the tests pass is of interest: no plugin is set up for each mutant, and no assertion is explained."""


class Mutant(NamedTuple):
    """The name of a module of a referee, the number of a mutation of its syntax tree, and what it changes, in words."""

    module: str
    number: int
    change: str


class QuickestFirst:
    """Runs the tests of a process in the order of the time that they took in it or its parent: most mutants fail one of
    those that take milliseconds."""

    def __init__(self) -> None:
        self._seconds = defaultdict[str, float](float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid] += report.duration

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self._seconds[item.nodeid])


QUICKEST_FIRST = QuickestFirst()


def main(game: Game) -> None:
    """Print how many mutants there are and what has been changed in those that live."""
    settings.register_profile("mutation", QUICK)
    settings.load_profile("mutation")
    with redirect_stdout(sys.stderr):
        if run_tests(game, referee_of(game)):
            sys.exit("the tests fail without any change")
    gc.freeze()  # each of the forks would go through all objects ten times when pytest ends
    mutants = [
        Mutant(module, number, f"{sys.modules[module].__file__}:{mutation.line}: {mutation.change}")
        for module in referee_of(game)
        for number, mutation in enumerate(mutations(tree_of(module)))
    ]
    survivors = [mutant.change for mutant, failed in zip(mutants, outcomes(game, mutants), strict=True) if not failed]
    json.dump({"mutants": len(mutants), "survivors": survivors}, sys.stdout)


def folder_of(game: Game) -> str:
    """The package of its tests, below `tests.games`."""
    return game.package.removeprefix(f"{package_of_games.__name__}.")


def referee_of(game: Game) -> list[str]:
    """The names of the modules of a referee, each after those that it imports."""
    return [part.module for part in parts_of_referee(game)]


def tree_of(module: str) -> ast.Module:
    return ast.parse(getsource(sys.modules[module]))


def run_tests(game: Game, modules: Iterable[str]) -> int:
    """Run the tests of modules of a referee: those of `rules` are in ``test_rules.py``."""
    folder = Path(__file__).parents[1] / Path("games", *folder_of(game).split("."))
    tests = [str(folder / f"test_{module.rpartition('.')[2]}.py") for module in modules]
    return pytest.main([*BARE, *tests], plugins=[QUICKEST_FIRST])


def outcomes(game: Game, mutants: Sequence[Mutant]) -> list[bool]:
    """Of each mutant, whether the tests fail on it; as many at once as there are processors."""
    failed: dict[Mutant, bool] = {}
    seconds = seconds_allowed(game)
    running: dict[int, Mutant] = {}
    for mutant in mutants:
        if len(running) == os.cpu_count():
            reap(running, failed)
        running[fork(game, mutant, seconds)] = mutant
    while running:
        reap(running, failed)
    return [failed[mutant] for mutant in mutants]


def seconds_allowed(game: Game) -> float:
    """The processor time after which a mutant counts as endless: twice what the tests take, when all is well.

    They take it in a fork like the mutants', where what is put in place is the referee as it is.
    """
    _, status = os.waitpid(fork(game, None), 0)
    if status:
        sys.exit(f"the tests fail in a fork without any change (exit code {os.waitstatus_to_exitcode(status)})")
    used = getrusage(RUSAGE_CHILDREN)
    return 2 * (used.ru_utime + used.ru_stime)


def reap(running: dict[int, Mutant], failed: dict[Mutant, bool]) -> None:
    """Wait for one of the forks."""
    process, status = os.wait()
    failed[running.pop(process)] = status != 0


def fork(game: Game, mutant: Mutant | None, seconds: float = 0) -> int:
    """Run the tests on a mutant, or on the referee as it is, in a process that ends with 0 if they pass. It is killed
    after so many seconds of processor time, if any."""
    process = os.fork()
    if not process:
        failed = 1
        try:
            setitimer(ITIMER_PROF, seconds)  # its signal ends the process; 0 is none
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            put_in_place(game, mutant)
            failed = run_tests(game, [mutant.module] if mutant else referee_of(game))
        finally:
            os._exit(failed)
    return process


def put_in_place(game: Game, mutant: Mutant | None) -> None:
    """Make a mutant the referee of its game, for tests that are still to be imported. The modules that import the
    changed one are loaded again, too."""
    for loaded in [name for name in sys.modules if name.startswith(f"tests.games.{folder_of(game)}.")]:
        del sys.modules[loaded]
    for name in referee_of(game):
        spec, tree = find_spec(name), tree_of(name)
        assert spec
        if mutant and mutant.module == name:
            list(mutations(tree))[mutant.number].make()
        code = compile(ast.fix_missing_locations(tree), str(spec.origin), "exec")
        module = module_from_spec(spec)
        sys.modules[name] = module
        setattr(sys.modules[game.package], name.rpartition(".")[2], module)
        exec(code, module.__dict__)  # noqa: S102


if __name__ == "__main__":
    main(find_game(sys.argv[1]))
