"""``deal``: print numbered deals."""

import click

import dealmill
from dealmill.cli.completion import complete_game
from dealmill.cli.options import given_parameters, parameters_option
from dealmill.cli.output import json_option, write_rows


@click.command()
@click.argument("game", shell_complete=complete_game)
@click.option("--count", type=click.IntRange(1), required=True, help="The number of deals.")
@click.option("--seed", type=int, required=True, help="The seed of the deals, 0 to 2⁶⁴ − 1.")
@click.option("--first", type=int, default=1, show_default=True, help="The number of the first deal.")
@parameters_option
@json_option
def deal(game: str, count: int, seed: int, first: int, given: tuple[str, ...], as_json: bool) -> None:
    """Print numbered deals, one canonical layout per line.

    Deal number k of a seed is the same on every machine. It is computed directly, without the deals before it. With
    --json, `line` is the number of the deal, as in other commands.
    """
    deals = dealmill.deals(game, seed=seed, first=first, count=count, parameters=given_parameters(given))
    if as_json:
        rows = ({"line": deal.line, "layout": deal.text} for deal in deals)
        write_rows(("line", "layout"), rows, "json")
        return
    for block in deals.blocks():
        click.echo("\n".join(layout.text for layout in block))
