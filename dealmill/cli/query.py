"""``query``: which layouts have which verdict."""

from collections.abc import Mapping

import click

import dealmill
from dealmill.cli.options import Range, verdict_option
from dealmill.cli.output import SCREEN, output_options, tell, write_first

COLUMNS = ("item", "line", "verdict", "value", "nodes", "layout", "evidence")
AUDIT_COLUMNS = ("audit", "step", "reason")
REJECT_COLUMNS = ("source", "line", "reasons", "text")
MOST = 10**18
"""More rows than any store has, and no more than can be counted to."""

Ends = tuple[int | None, int | None]


@click.command()
@click.argument("run", required=False)
@verdict_option
@click.option("--game", help="Only runs of this game.")
@click.option("--engine", metavar="GAME/ENGINE", help="Only runs of this engine.")
@click.option("--source", help="Only runs over this source (number or name).")
@click.option("--value", type=Range(), help="Only values in this range.")
@click.option("--nodes", type=Range(), help="Only searches of so many nodes.")
@click.option("--after", metavar="RUN:POSITION", help="Go on behind this item.")
@click.option("--limit", type=click.IntRange(1, MOST), help=f"At most so many rows; {SCREEN} in a table.")
@click.option(
    "--audit",
    type=click.Choice(["valid", "invalid", "no-evidence"]),
    help="Only verdicts of which the newest audit says this.",
)
@click.option("--retracted", is_flag=True, help="Verdicts that were retracted, and only those.")
@click.option("--rejected", is_flag=True, help="What was rejected of the source, in place of verdicts.")
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
    """List verdicts with their evidence: of RUN (its number, or `last`), or of all runs."""
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
            tell(f"there are more: add --after {last['item']}, or --nl for all")
        for one in found.unlisted:
            tell(f"run {one.id} is packed: audits only count what is valid of it")
        for one in found.unaudited:
            tell(f"run {one.id} has not been audited: dealmill audit {one.id}")
        for one in found.unfinished:
            left = one.items - one.solved
            tell(f"run {one.id} is not finished: {left:,} layouts have no verdict yet")


def _list_rejects(
    store: "dealmill.Store", run: str | None, source: str | None, limit: int | None, form: str | None
) -> None:
    rejects = store.rejects(run=run, source=source, limit=limit if form else None)
    rows = (
        {"source": found.name, "line": reject.line, "reasons": list(reject.reasons), "text": reject.text}
        for found, reject in rejects
    )
    if write_first(REJECT_COLUMNS, rows, form, limit or SCREEN):
        tell("there are more: --nl gives all")


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
