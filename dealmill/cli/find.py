"""``find``: look a layout up in the store."""

import os
from pathlib import Path

import click

import dealmill
from dealmill.cli.completion import complete_game
from dealmill.cli.output import output_options, tell, write_rows
from dealmill.cli.progress import shown

STDIN = "-"
COLUMNS = ("item", "engine", "verdict", "value", "source", "position", "line", "name")


@click.command()
@click.argument("layout")
@click.option("--game", metavar="GAME", shell_complete=complete_game, help="Search only this game; see dealmill games.")
@output_options
def find(layout: str, game: str | None, form: str | None) -> None:
    """List the sources that have LAYOUT, and the verdicts of the runs over them.

    LAYOUT is a line of text, or a file with a single layout in any accepted format; `-` is standard input. Without
    --game, all games that have such a layout are searched. The numbered deals of packed runs and surveys are not
    stored, so they are not found.
    """
    with dealmill.open() as store:
        with shown(store) as progress:
            is_file = layout == STDIN or os.path.isfile(layout)  # noqa: PTH113 -- accepts texts too long for a path
            wanted = Path(layout) if is_file else layout
            found = store.find(wanted, game=game, progress=progress)
        if not found:
            tell("the store does not have this layout")
        if found or form:
            write_rows(COLUMNS, map(_row, found), form)
        for run in {match.run.id: match.run for match in found if match.run and not match.result}.values():
            if run.retracted is not None:
                tell(f"run {run.id} was retracted ({run.retracted})")
            elif not run.finished:
                tell(f"run {run.id} is not finished")


def _row(match: "dealmill.Match") -> dict[str, object]:
    return {
        "item": None if match.run is None else f"{match.run.id}:{match.position}",
        "engine": None if match.run is None else match.run.engine,
        "verdict": None if match.result is None else match.result.verdict.word,
        "value": None if match.result is None else match.result.value,
        "source": match.source.id,
        "position": match.position,
        "line": match.line,
        "name": match.source.name,
    }
