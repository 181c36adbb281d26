"""``query``: which layouts have which verdict."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import click

from dealmill.cli.output import SCREEN, output_options, write_first
from dealmill.cli.sources import open_configured_store
from dealmill.pipeline.errors import NotFoundError
from dealmill.pipeline.games.verdict import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.store.database import Database
    from dealmill.pipeline.store.results import Result
    from dealmill.pipeline.store.runs import RunStatus

COLUMNS = ("item", "line", "verdict", "value", "nodes", "layout", "evidence")
AUDIT_COLUMNS = ("audit", "step", "reason")
REJECT_COLUMNS = ("source", "line", "reasons", "text")
MOST = 10**18
"""More rows than any store has, and no more than can be counted to."""


class Range(click.ParamType[tuple[int, int]]):
    """``70..80``, ``70..``, ``..80`` or ``75``."""

    name = "MIN..MAX"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Both ends, included; an open end is far away."""
        from dealmill.pipeline.store.results import ALL

        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(-?\d{1,18})?(\.\.)?(-?\d{1,18})?", str(value), re.ASCII)
        if not match or not (match[1] or match[3]) or (match[1] and match[3] and not match[2]):
            self.fail(f"{value!r} is no range; write 70..80, 70.. or ..80", param, ctx)
        low, dots, high = match.groups()
        if not dots:
            return int(low), int(low)
        return int(low) if low else ALL[0], int(high) if high else ALL[1]


class Item(click.ParamType[tuple[int, int]]):
    """``RUN:POSITION``, as the first column of a query shows it."""

    name = "RUN:POSITION"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The number of the run and the position in it."""
        if isinstance(value, tuple):
            return value
        match = re.fullmatch(r"(\d{1,9}):(\d{1,18})", str(value), re.ASCII)
        if not match:
            self.fail(f"{value!r} is no item; write RUN:POSITION, as in 3:17", param, ctx)
        return int(match[1]), int(match[2])


verdict_option = click.option(
    "--verdict",
    "verdicts",
    type=click.Choice([verdict.word for verdict in Verdict]),
    multiple=True,
    help="Only this verdict; repeatable.",
)


@click.command()
@click.argument("run", required=False)
@verdict_option
@click.option("--game", help="Only runs of this game.")
@click.option("--engine", metavar="GAME/ENGINE", help="Only runs of this engine.")
@click.option("--source", help="Only runs over this source (number or name).")
@click.option("--value", "values", type=Range(), help="Only values in this range.")
@click.option("--nodes", type=Range(), help="Only searches of so many nodes.")
@click.option("--after", type=Item(), default=(0, 0), help="Go on behind this item.", show_default=False)
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
    values: tuple[int, int] | None,
    nodes: tuple[int, int] | None,
    after: tuple[int, int],
    limit: int | None,
    audit: str | None,
    retracted: bool,
    rejected: bool,
    form: str | None,
) -> None:
    """List verdicts with their evidence: of RUN (its number, or `last`), or of all runs."""
    from dealmill.pipeline.query import answers_of, matching_runs, results
    from dealmill.pipeline.referee import Outcome
    from dealmill.pipeline.store.audits import latest_audits
    from dealmill.pipeline.store.results import ALL, Wanted
    from dealmill.pipeline.store.runs import find_run

    store = open_configured_store()
    asked = None if run is None else find_run(store, run)
    if rejected:
        rejects = islice(_rejects(store, asked, source), limit if form else None)
        if write_first(REJECT_COLUMNS, rejects, form, limit or SCREEN):
            click.echo("there are more: --nl gives all", err=True)
        return
    if asked:
        answers_of(asked, retracted=retracted)
    matching = matching_runs(store, game, engine, source, retracted=retracted)
    runs = [one for one in matching if asked is None or one.id == asked.id]
    outcome = Outcome[audit.upper().replace("-", "_")] if audit else None
    wanted = Wanted(tuple(Verdict[word.upper()] for word in verdicts), values or ALL, nodes or ALL, outcome)
    columns = (*COLUMNS, *AUDIT_COLUMNS) if audit else COLUMNS
    rows = map(_row, results(store, runs, wanted, after, limit if form else None))
    if last := write_first(columns, rows, form, limit or SCREEN):
        click.echo(f"there are more: add --after {last['item']}, or --nl for all", err=True)
    audited = latest_audits(store) if audit else {}
    for one in runs:
        if audit and one.id not in audited:
            click.echo(f"run {one.id} has not been audited: dealmill audit {one.id}", err=True)
        if not one.finished:
            click.echo(
                f"run {one.id} is not finished: {one.items - one.solved:,} layouts have no verdict yet", err=True
            )


def _row(result: "Result") -> dict[str, object]:
    judged = result.judgement
    row = {
        "item": f"{result.run}:{result.position}",
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


def _rejects(store: "Database", run: "RunStatus | None", source: str | None) -> Iterator[dict[str, object]]:
    from dealmill.pipeline.store.sources import find_source, rejects_of

    key = source or (str(run.source) if run else None)
    if key is None:
        raise NotFoundError("say of what: a run, or --source NUMBER")
    found = find_source(store, key)
    for reject in rejects_of(store, found.id):
        yield {
            "source": found.name,
            "line": reject.line,
            "reasons": list(reject.reasons),
            "text": reject.text,
        }
