"""``answer``: the statement's input in, the statement's output out."""

import sys

import click

import dealmill
from dealmill.cli.exits import REJECTED
from dealmill.cli.options import engine_option
from dealmill.cli.output import tell
from dealmill.pipeline.errors import DealmillError


@click.command()
@click.argument("game")
@click.argument("file", default="-")
@engine_option
@click.pass_context
def answer(ctx: click.Context, game: str, file: str, engine: str | None) -> None:
    """Answer layouts in the input and output format of the game's statement; nothing is stored.

    FILE is text, plain or gzipped; standard input by default. A layout that is none gets a `?` in its place, a message
    on standard error, and exit code 4.
    """
    answered = dealmill.answer(game, file, sys.stdout, engine=engine, complain=tell)
    if answered.failed:
        raise DealmillError(f"{answered.failed} layouts broke the engine; the others are answered")
    if answered.rejected:
        ctx.exit(REJECTED)
