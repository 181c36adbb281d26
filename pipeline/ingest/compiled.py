"""The compiled check of a game's layouts for somebody who reads a file. If it was not compiled yet, another process
does that, which is this module as a program, and the file is read without it meanwhile."""

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
"""Bytes that the reader of a game reads in about half the time that it takes to load the compiler."""


@contextmanager
def check_of(game: Game) -> Iterator[FindCheck]:
    """What finds the check of a game, or None as long as it is not compiled, or too little has been read to load it."""
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
    """The check of a game, compiled now if need be; None if it has none."""
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
