"""``answer``: read the input format of a problem statement, write its output format."""

import sys

import click

import dealmill
from dealmill.cli.completion import complete_game
from dealmill.cli.exits import REJECTED
from dealmill.cli.options import engine_option
from dealmill.cli.output import counted, tell
from dealmill.pipeline.errors import DealmillError


@click.command()
@click.argument("game", shell_complete=complete_game)
@click.argument("file", default="-", type=click.Path())
@engine_option
@click.pass_context
def answer(ctx: click.Context, game: str, file: str, engine: str | None) -> None:
    """Answer layouts in the input and output format of the game's problem statement. Nothing is stored.

    FILE is a plain or gzipped text file; the default is standard input. An invalid layout is answered with `?`,
    reported on standard error, and makes the exit code 4.
    """
    answered = dealmill.answer(game, file, sys.stdout, engine=engine, complain=tell)
    if answered.failed:
        raise DealmillError(f"the engine failed on {counted(answered.failed, 'layout')}; all others were answered")
    if answered.rejected:
        ctx.exit(REJECTED)
