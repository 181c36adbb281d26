"""Options shared by several commands, and the types of their arguments."""

from collections.abc import Sequence

import click

from dealmill.cli.completion import complete_engine, complete_game
from dealmill.pipeline.arguments import MOST_NODES, number_range
from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.verdict import Verdict


class Range(click.ParamType[tuple[int | None, int | None]]):
    """A range of integers: ``70..80``, ``70..``, ``..80`` or ``75``."""

    name = "MIN..MAX"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | None, int | None]:
        """Return both ends of the range, inclusive; None for an open end."""
        try:
            return number_range(str(value))
        except UsageError as error:
            self.fail(str(error), param, ctx)


game_option = click.option(
    "--game",
    metavar="GAME",
    shell_complete=complete_game,
    help="The game, if the file name does not contain it; see dealmill games.",
)
engine_option = click.option(
    "--engine", metavar="GAME/ENGINE", shell_complete=complete_engine, help="Use this engine instead of the default."
)
nodes_option = click.option(
    "--max-nodes",
    type=click.IntRange(1, MOST_NODES),
    help="The most nodes to search per layout; beyond that, it is undecided.",
    show_default="none",
)
packed_option = click.option(
    "--packed",
    is_flag=True,
    help="Store less than a byte per numbered deal; layouts and evidence are recomputed on demand.",
)
parameters_option = click.option(
    "--param", "given", metavar="NAME=N", multiple=True, help="Set a parameter of the deals; see dealmill games."
)
verdict_option = click.option(
    "--verdict",
    "verdicts",
    type=click.Choice([verdict.word for verdict in Verdict]),
    multiple=True,
    help="Only this verdict; repeatable.",
)


def given_parameters(given: Sequence[str]) -> dict[str, int]:
    """Return the parameters given by `parameters_option`.

    Raises
    ------
    UsageError
        If one is malformed or given twice.
    """
    parameters = {}
    for text in given:
        name, _, number = text.partition("=")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise UsageError(f"--param {text!r} is malformed: write NAME=NUMBER")
        if name in parameters:
            raise UsageError(f"--param {name} is given twice: give each parameter once")
        parameters[name] = int(number)
    return parameters
