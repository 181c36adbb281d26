"""``query`` and ``find``: list verdicts."""

import os
from pathlib import Path
from typing import Any

import click

import dealmill
from dealmill.cli.options import (
    WholeNumber,
    complete_engine,
    complete_game,
    complete_run,
    complete_source,
    filter_options,
)
from dealmill.cli.output import SCREEN, UNPROVED, counted, lines_named, output_options, tell, write_first, write_rows
from dealmill.cli.progress import shown_progress
from dealmill.pipeline.results.measures import Order

REJECT_COLUMNS = ("source", "line", "reasons", "text")
REASON_COLUMNS = ("rejects", "reason", "line", "text")
NO_MATCH = "no verdict matches"
MAX_ROWS = 10**18
"""The largest limit: more rows than any store holds."""


@click.command()
@click.argument("run", required=False, shell_complete=complete_run)
@filter_options
@click.option("--game", shell_complete=complete_game, help="Only runs of this game.")
@click.option("--engine", metavar="GAME/ENGINE", shell_complete=complete_engine, help="Only runs of this engine.")
@click.option("--source", shell_complete=complete_source, help="Only runs over this source (number or name).")
@click.option("--after", metavar="RUN:POSITION", help="Only results after this item.")
@click.option("--before", metavar="RUN:POSITION", help="Only results before this item.")
@click.option(
    "--order",
    type=click.Choice([order.word for order in Order]),
    default=Order.POSITION.word,
    show_default=True,
    help="Sort by this number. All orders but the default need --limit with --json, --nl and --csv.",
)
@click.option("--desc", "descending", is_flag=True, help="Sort in descending order.")
@click.option("--limit", type=WholeNumber(1, MAX_ROWS), help=f"At most this many rows; by default {SCREEN} in a table.")
@click.option("--retracted", is_flag=True, help="Only retracted verdicts.")
@click.option("--rejected", is_flag=True, help="List the rejects of the source instead of verdicts.")
@click.option("--by-reason", is_flag=True, help="Count the rejects by reason, each with its first line as an example.")
@output_options
def query(
    run: str | None,
    game: str | None,
    engine: str | None,
    source: str | None,
    after: str | None,
    before: str | None,
    order: str,
    descending: bool,
    limit: int | None,
    retracted: bool,
    rejected: bool,
    by_reason: bool,
    form: str | None,
    **conditions: Any,
) -> None:
    """List the verdicts of RUN (its number, or `last`) or of all runs, with their evidence.

    They are listed in order of run and position. With --order, those without a value or without evidence come last.
    The previous page, last row first, is `--before RUN:POSITION --desc`.
    """
    shown = limit or SCREEN
    if by_reason and not rejected:
        raise click.UsageError("--by-reason counts rejects: add --rejected")
    with dealmill.open() as store:
        if by_reason:
            _count_rejects(store, run, source, form)
            return
        if rejected:
            _list_rejects(store, run, source, limit, form)
            return
        results = store.query(
            **conditions,
            run=run,
            game=game,
            engine=engine,
            source=source,
            after=(0, 0) if after is None else after,
            before=before,
            order=order,
            descending=descending,
            limit=limit if form else shown + 1,
            retracted=retracted,
        )
        fields = dealmill.Result.COLUMNS + dealmill.Result.AUDIT_COLUMNS * bool(results.filter.audit)
        are_deals = form is None and results.are_numbered
        columns, rows = lines_named(fields, (_result_row(result, form) for result in results), are_deals=are_deals)
        if last := write_first(columns, rows, form, shown, NO_MATCH):
            tell(_how_to_continue(order, descending, last["item"]))
        for compact in results.unlisted:
            tell(f"run {compact.id} is compact: its valid verdicts are counted by audits but cannot be listed")
        for unaudited in results.unaudited:
            tell(f"run {unaudited.id} has not been audited; audit it with: dealmill audit {unaudited.id}")
        for unfinished in results.unfinished:
            left = counted(unfinished.items - unfinished.solved, "layout")
            tell(f"run {unfinished.id} is not finished: {left} pending")


def _result_row(result: "dealmill.Result", form: str | None) -> dict[str, object]:
    return result.row | ({"evidence": UNPROVED} if form is None and result.unproved else {})


def _how_to_continue(order: str, descending: bool, item: object) -> str:
    if order != Order.POSITION.word:
        return "more rows follow; print more with --limit"
    return f"more rows follow; continue with --{'before' if descending else 'after'} {item}, or print all with --nl"


def _list_rejects(
    store: "dealmill.Store", run: str | None, source: str | None, limit: int | None, form: str | None
) -> None:
    rejects = store.rejects(run=run, source=source, limit=limit if form else None)
    rows = (
        {"source": listed.name, "line": reject.line, "reasons": list(reject.reasons), "text": reject.text}
        for listed, reject in rejects
    )
    if write_first(REJECT_COLUMNS, rows, form, limit or SCREEN, "there are no rejects"):
        tell("more rejects follow; --nl prints all of them")


def _count_rejects(store: "dealmill.Store", run: str | None, source: str | None, form: str | None) -> None:
    listed, reasons = store.reject_reasons(run=run, source=source)
    rows = [
        {
            "source": listed.name,
            "rejects": kind.count,
            "reason": kind.reason,
            "line": kind.example.line,
            "text": kind.example.text,
        }
        for kind in reasons
    ]
    columns = REASON_COLUMNS if form is None else ("source", *REASON_COLUMNS)
    write_rows(columns, rows, form, "there are no rejects")


STDIN = "-"
NO_LAYOUT = "{!r} is neither a file nor exactly one layout of any game; name its game with --game to see the reasons"
MATCH_COLUMNS = ("item", "engine", "verdict", "value", "source", "position", "line", "name")


@click.command()
@click.argument("layout")
@click.option("--game", metavar="GAME", shell_complete=complete_game, help="Search only this game; see dealmill games.")
@output_options
def find(layout: str, game: str | None, form: str | None) -> None:
    """List the sources that contain LAYOUT, and the verdicts of the runs over them.

    LAYOUT is a line of text, a numbered deal such as deal:camelot:seed=1:17, or a file with a single layout in any
    accepted format; `-` is standard input. Without --game, all games that have such a layout are searched. The numbered
    deals of compact runs and surveys are not stored, so they are not found.
    """
    with dealmill.open() as store:
        with shown_progress(store) as progress:
            is_file = layout == STDIN or os.path.isfile(layout)  # noqa: PTH113 -- accepts texts too long for a path
            try:
                matches = store.find(Path(layout) if is_file else layout, game=game, progress=progress)
            except dealmill.BadLayout as error:
                if is_file or game:
                    raise
                raise dealmill.BadLayout([NO_LAYOUT.format(layout)]) from error
        if not matches:
            tell("the store does not have this layout")
        if matches or form:
            write_rows(MATCH_COLUMNS, map(_row, matches), form)
        for run in {match.run.id: match.run for match in matches if match.run and not match.result}.values():
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
