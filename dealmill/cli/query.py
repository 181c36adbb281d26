"""``query``: list verdicts."""

from collections.abc import Mapping

import click

import dealmill
from dealmill.cli.options import Range, verdict_option
from dealmill.cli.output import SCREEN, counted, output_options, tell, write_first

COLUMNS = ("item", "line", "verdict", "value", "nodes", "layout", "evidence")
AUDIT_COLUMNS = ("audit", "step", "reason")
REJECT_COLUMNS = ("source", "line", "reasons", "text")
MOST = 10**18
"""The largest limit: more rows than any store holds."""

Ends = tuple[int | None, int | None]


@click.command()
@click.argument("run", required=False)
@verdict_option
@click.option("--game", help="Only runs of this game.")
@click.option("--engine", metavar="GAME/ENGINE", help="Only runs of this engine.")
@click.option("--source", help="Only runs over this source (number or name).")
@click.option("--value", type=Range(), help="Only values in this range.")
@click.option("--nodes", type=Range(), help="Only searches with a number of nodes in this range.")
@click.option("--after", metavar="RUN:POSITION", help="Only results after this item.")
@click.option("--limit", type=click.IntRange(1, MOST), help=f"At most this many rows; by default {SCREEN} in a table.")
@click.option(
    "--audit",
    type=click.Choice(["valid", "invalid", "no-evidence"]),
    help="Only verdicts with this outcome in their newest audit.",
)
@click.option("--retracted", is_flag=True, help="Only retracted verdicts.")
@click.option("--rejected", is_flag=True, help="List the rejects of the source instead of verdicts.")
@output_options
def query(
    run: str | None,
    verdicts: tuple[str, ...],
    game: str | None,
    engine: str | None,
    source: str | None,
    value: Ends | None,
    nodes: Ends | None,
    after: str | None,
    limit: int | None,
    audit: str | None,
    retracted: bool,
    rejected: bool,
    form: str | None,
) -> None:
    """List the verdicts of RUN (its number, or `last`) or of all runs, with their evidence."""
    with dealmill.open() as store:
        if rejected:
            _list_rejects(store, run, source, limit, form)
            return
        found = store.query(
            run=run,
            game=game,
            engine=engine,
            source=source,
            verdict=verdicts,
            value=value,
            nodes=nodes,
            audit=audit,
            after=(0, 0) if after is None else after,
            limit=limit if form else None,
            retracted=retracted,
        )
        columns = (*COLUMNS, *AUDIT_COLUMNS) if audit else COLUMNS
        if last := write_first(columns, map(_row, found), form, limit or SCREEN):
            tell(f"more rows follow; continue with --after {last['item']}, or print all with --nl")
        for one in found.unlisted:
            tell(f"run {one.id} is packed: its valid verdicts are counted by audits but cannot be listed")
        for one in found.unaudited:
            tell(f"run {one.id} has not been audited; audit it with: dealmill audit {one.id}")
        for one in found.unfinished:
            left = counted(one.items - one.solved, "layout")
            tell(f"run {one.id} is not finished: {left} pending")


def _list_rejects(
    store: "dealmill.Store", run: str | None, source: str | None, limit: int | None, form: str | None
) -> None:
    rejects = store.rejects(run=run, source=source, limit=limit if form else None)
    rows = (
        {"source": found.name, "line": reject.line, "reasons": list(reject.reasons), "text": reject.text}
        for found, reject in rejects
    )
    if write_first(REJECT_COLUMNS, rows, form, limit or SCREEN):
        tell("more rejects follow; --nl prints all of them")


def _row(result: "dealmill.Result") -> Mapping[str, object]:
    judged = result.judgement
    row = {
        "item": result.item,
        "line": result.line,
        "verdict": result.verdict.word,
        "value": result.value,
        "nodes": result.nodes,
        "layout": result.layout,
        "evidence": result.evidence,
    }
    if judged is None:
        return row
    return {**row, "audit": judged.outcome.word, "step": judged.step, "reason": judged.reason}
