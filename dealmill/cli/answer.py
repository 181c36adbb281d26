"""``answer``: the statement's input in, the statement's output out."""

import sys

import click

from dealmill.cli.output import tell
from dealmill.cli.sources import REJECTED
from dealmill.pipeline.errors import DealmillError, NotFoundError
from dealmill.pipeline.files import STDIN, numbered_lines, open_binary
from dealmill.pipeline.games import find_engine, find_game


@click.command()
@click.argument("game")
@click.argument("file", default=STDIN)
@click.option("--engine", metavar="GAME/ENGINE", help="Not the game's default one.")
@click.pass_context
def answer(ctx: click.Context, game: str, file: str, engine: str | None) -> None:
    """Answer layouts in the input and output format of the game's statement; nothing is stored.

    FILE is text, plain or gzipped; standard input by default. A layout that is none gets a `?` in its place, a message
    on standard error, and exit code 4.
    """
    from dealmill.pipeline.answer import answer as answer_all

    found, used = find_engine(engine or game, find_game(game))
    if found is not find_game(game):
        raise NotFoundError(f"{engine} is no engine of {game}")
    with open_binary(file) as binary:
        answered = answer_all(found, used, numbered_lines(binary, file), sys.stdout, tell)
    if answered.failed:
        raise DealmillError(f"{answered.failed} layouts broke the engine; the others are answered")
    if answered.rejected:
        ctx.exit(REJECTED)
