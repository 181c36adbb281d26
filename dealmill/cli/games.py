"""``games``: list the games and their engines."""

import click

import dealmill
from dealmill.cli.output import output_options, tell, write_rows


@click.command()
@output_options
def games(form: str | None) -> None:
    """List the games and their engines; --json, --nl and --csv add columns.

    Installed packages can offer further games. One that cannot be used is reported with the reason.
    """
    rows = [
        {
            "engine": game.full_name(engine),
            "version": engine.version,
            "default": "*" if engine is game.engines[0] else "",
            "summary": engine.summary,
            "evidence": engine.evidence,
            "title": game.title,
            "deals": game.deals.version,
            "deal_parameters": [
                f"{name}={parameter.default} ({parameter.meaning}, {parameter.least} to {parameter.most})"
                for name, parameter in game.deals.parameters.items()
            ],
            "examples": str(game.examples),
        }
        for game in dealmill.games().values()
        for engine in game.engines
    ]
    write_rows(
        ["engine", "version", "default", "summary", "deal_parameters"] if form is None else list(rows[0]),
        rows,
        form,
    )
    for broken in dealmill.broken_games():
        tell(str(broken))
