"""``check-game``: check that a game meets what Dealmill requires of games."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

import dealmill
from dealmill.cli.completion import complete_game
from dealmill.cli.exits import ERROR
from dealmill.cli.output import counted, output_options, tell, write_line, write_rows

if TYPE_CHECKING:
    from dealmill.testing import Check

FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(name="check-game")
@click.argument("game", shell_complete=complete_game)
@click.option("--golden", type=FOLDER, help="Compare the output of each engine with the golden files in this folder.")
@click.option("--write-golden", "written", type=FOLDER, help="The same, and write the golden files that are missing.")
@output_options
@click.pass_context
def check_game(ctx: click.Context, game: str, golden: Path | None, written: Path | None, form: str | None) -> None:
    """Check that a game meets what Dealmill requires of every game.

    The checks cover the reader of layouts, numbered deals, engines, the referee and pictures. They try some thousands
    of numbered deals, altered layouts and altered evidence. If the game cannot be loaded, or raises an error, the
    traceback is printed, once for each error. The exit code is 1 if a check fails.
    """
    from dealmill import testing  # loads the compiler

    for broken in dealmill.broken_games():
        if broken.name == game:
            click.echo(broken.traceback, nl=False, err=True)
    checks = testing.checks_of(game, golden=golden or written)
    if written:
        for file in testing.write_golden(game, written):
            tell(f"wrote {file}")
    with testing.each_once() as tracebacks:
        rows: Iterable[dict[str, object]] = (_row(check, check.reason(tracebacks)) for check in checks)
        done = list(rows if form else _written(rows))
    if form:
        write_rows(["game", "check", "state", "reason"], done, form)
    if failed := sum(row["state"] == "failed" for row in done):
        tell(f"{counted(failed, 'check')} of {len(checks)} failed")
        ctx.exit(ERROR)
    tell(f"all {len(checks)} checks passed")


def _row(check: "Check", reason: str | None) -> dict[str, object]:
    state = "ok" if reason is None else "failed"
    return {"game": check.subject, "check": check.name, "state": state, "reason": reason}


def _written(rows: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Write a line for each result as soon as it is there, and the reason for a failure below it. Yield the results."""
    for row in rows:
        write_line(f"{row['state']:6}  {row['game']}: {row['check']}")
        if row["reason"] is not None:
            write_line(f"        {row['reason']}")
        yield row
