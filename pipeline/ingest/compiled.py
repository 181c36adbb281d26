"""The compiled check of a game's layouts, for the reader of a file.

If the check is not compiled yet, a subprocess that runs this module as a program compiles it, and the file is read
without the check in the meantime.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.caches import mark_of_check
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.ingest.scanning import Check, FindCheck
from dealmill.pipeline.solve import load

ENOUGH = 2 << 20
"""The bytes that the reader of a game reads in about half the time it takes to load the compiler."""


@contextmanager
def check_of(game: Game) -> Iterator[FindCheck]:
    """Provide a function that returns the check of a game.

    It returns None while the check is not compiled, or while too little has been read to make loading it worthwhile.
    """
    compiling = list[subprocess.Popen[bytes]]()

    def find(read: int) -> Check | None:
        if read < ENOUGH:
            return None
        if _is_compiled(game):
            return checked_by(game)
        if not compiling:
            command = (sys.executable, "-P", "-m", "dealmill.pipeline.ingest.compiled", game.name)
            nothing = subprocess.DEVNULL
            compiling.append(subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing))  # noqa: S603
        return None

    try:
        yield find
    finally:
        for process in compiling:
            process.kill()
            process.wait()


def checked_by(game: Game) -> Check | None:
    """Return the check of a game, compiled now if necessary; None if the game has none."""
    from dealmill.pipeline.games.guard import compiled_check  # loads the compiler

    module = compiled_check(game)
    return module.mask if module else None


def _is_compiled(game: Game) -> bool:
    try:
        return mark_of_check(game.folder).exists()
    except DealmillError:
        return False


if __name__ == "__main__":
    found = find_game(sys.argv[1])
    load(found.full_name(found.engines[0]))
