"""Which mutants of a game's referee its tests let live: ``python -m tests.mutation camelot``.

The tests run once as they are, so that a failure means something and everything is loaded; then each mutant gets a fork
of this process, in which it takes the place of the referee before the tests are imported anew. A mutant is dead
if the tests fail, if it cannot even be imported, or if it never comes to an end.
"""

import ast
import gc
import json
import os
import sys
from collections import defaultdict
from contextlib import redirect_stdout
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from signal import ITIMER_PROF, setitimer

import pytest
from hypothesis import HealthCheck, Phase, settings

from dealmill.pipeline import games as package_of_games
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.contract import Game
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
        if run_tests(game):
            sys.exit("the tests fail without any change")
    gc.freeze()  # each of the forks would go through all objects ten times when pytest ends
    _, source = referee_of(game)
    changes = list(mutations(ast.parse(source.read_text())))
    survivors = [
        f"{source}:{mutation.line}: {mutation.change}"
        for mutation, failed in zip(changes, outcomes(game, len(changes)), strict=True)
        if not failed
    ]
    json.dump({"mutants": len(changes), "survivors": survivors}, sys.stdout)


def folder_of(game: Game) -> str:
    """The package of its tests, below `tests.games`."""
    return game.package.removeprefix(f"{package_of_games.__name__}.")


def referee_of(game: Game) -> tuple[ModuleSpec, Path]:
    spec = find_spec(f"{game.package}.rules")
    assert spec and spec.origin
    return spec, Path(spec.origin)


def run_tests(game: Game) -> int:
    folder = Path(__file__).parents[1] / Path("games", *folder_of(game).split("."))
    return pytest.main([*BARE, *map(str, sorted(folder.glob("test_rules*.py")))], plugins=[QUICKEST_FIRST])


def outcomes(game: Game, count: int) -> list[bool]:
    """Of each mutant, whether the tests fail on it; as many at once as there are processors."""
    failed: dict[int, bool] = {}
    seconds = seconds_allowed(game)
    running: dict[int, int] = {}
    for number in range(count):
        if len(running) == os.cpu_count():
            reap(running, failed)
        running[fork(game, number, seconds)] = number
    while running:
        reap(running, failed)
    return [failed[number] for number in range(count)]


def seconds_allowed(game: Game) -> float:
    """The processor time after which a mutant counts as endless: twice what the tests take, when all is well.

    They take it in a fork like the mutants', where what is put in place is the referee as it is.
    """
    _, status = os.waitpid(fork(game, None), 0)
    if status:
        sys.exit("the tests fail in a fork without any change")
    used = getrusage(RUSAGE_CHILDREN)
    return 2 * (used.ru_utime + used.ru_stime)


def reap(running: dict[int, int], failed: dict[int, bool]) -> None:
    """Wait for one of the forks."""
    process, status = os.wait()
    failed[running.pop(process)] = status != 0


def fork(game: Game, number: int | None, seconds: float = 60.0) -> int:
    """Run the tests on a mutant, or on the referee as it is, in a process that ends with 0 if they pass."""
    process = os.fork()
    if not process:
        failed = 1
        try:
            setitimer(ITIMER_PROF, seconds)  # its signal ends the process
            silence = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silence, 1)
            os.dup2(silence, 2)
            put_in_place(game, number)
            failed = run_tests(game)
        finally:
            os._exit(failed)
    return process


def put_in_place(game: Game, number: int | None) -> None:
    """Make a mutant the referee of its game, for tests that are still to be imported."""
    spec, source = referee_of(game)
    tree = ast.parse(source.read_text())
    if number is not None:
        list(mutations(tree))[number].make()
    code = compile(ast.fix_missing_locations(tree), source, "exec")
    for loaded in [name for name in sys.modules if name.startswith(f"tests.games.{folder_of(game)}.")]:
        del sys.modules[loaded]
    mutant = module_from_spec(spec)
    sys.modules[spec.name] = mutant
    setattr(sys.modules[game.package], "rules", mutant)  # noqa: B010
    exec(code, mutant.__dict__)  # noqa: S102


if __name__ == "__main__":
    main(find_game(sys.argv[1]))
