"""``survey``: how many deals of a game can be won, or what they are worth on average."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dealmill.cli.output import called_as, output_options, write_rows
from dealmill.cli.progress import Bar
from dealmill.cli.run import limit_option
from dealmill.cli.sources import given_parameters, open_configured_store, parameters_option
from dealmill.cli.work import keep_working
from dealmill.pipeline.deals import MOST, DealRange
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.verdict import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.store.database import Database
    from dealmill.pipeline.store.runs import RunStatus
    from dealmill.pipeline.survey.growth import Estimate, Width

MOST_COUNTED = 10**11
"""A day of work for a fast engine; the jobs of more are many to plan at once."""
COLUMNS = ("run", "engine", "deals", *(verdict.word for verdict in Verdict))


class HalfWidth(click.ParamType["Width"]):
    """``0.1%`` or ``0.001``."""

    name = "W"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> "Width":
        """The width; with a per cent sign it is a part of a mean value."""
        from dealmill.pipeline.survey.growth import Width

        if isinstance(value, Width):
            return value
        match = re.fullmatch(r"(\d{0,9}(?:\.\d{1,12})?) ?(%)?", str(value), re.ASCII)
        if not match or not match[1] or float(match[1]) == 0:
            self.fail(f"{value!r} is no width; write 0.1% or 0.001", param, ctx)
        return Width(float(match[1]) / (100 if match[2] else 1), relative=bool(match[2]))


@click.command()
@click.argument("game")
@click.option("--engine", metavar="GAME/ENGINE", help="Not the game's default one.")
@click.option(
    "--half-width",
    "width",
    type=HalfWidth(),
    default="0.1%",
    show_default=True,
    help="How narrow the interval is to be, half of it: a share (0.1% or 0.001), or for mean values a number or per "
    "cent of the mean.",
)
@click.option(
    "--count",
    type=click.IntRange(1, MOST_COUNTED),
    help="So many deals, in whole thousands, however wide the interval.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which series of deals, 0 to 2⁶⁴ − 1.")
@parameters_option
@limit_option
@click.option("--report", type=click.Path(path_type=Path), help="A folder for a report with pictures.")
@output_options
def survey(
    game: str,
    engine: str | None,
    width: "Width",
    count: int | None,
    seed: int,
    given: tuple[str, ...],
    limit: int,
    report: Path | None,
    form: str | None,
) -> None:
    """Estimate how many deals of GAME can be won, or their mean value, from random deals.

    Local workers deal and solve more and more deals until the 95 % confidence interval is narrow enough. A survey that
    was broken off goes on where it was, and one that is done is not done again. It is a run like others, which `query`,
    `show`, `audit`, `rerun`, `diff` and `export` take; but its deals and verdicts are no rows: deals are dealt and
    solved again whenever they are asked for, and held against a bitmap of verdicts and digests of everything.
    """
    from dealmill.pipeline.survey.growth import open_survey

    found, used = find_engine(engine or game, find_game(game))
    deals = DealRange(find_game(game), seed, 1, MOST, given_parameters(given))
    store = open_configured_store()
    run = open_survey(store, deals, found.full_name(used), limit)
    _tell(store, run.id, _grown(store, run.id, width, count), report, form)


def _grown(store: "Database", number: int, width: "Width", count: int | None) -> "Estimate":
    """Work until the survey is done; what it says then."""
    from dealmill.pipeline.runs import refuse_retracted
    from dealmill.pipeline.store.runs import find_run
    from dealmill.pipeline.survey.growth import ask_for, estimate, wanted_deals

    found: Estimate | None = None

    def done(bar: Bar) -> bool:
        nonlocal found
        run = find_run(store, str(number))
        bar.update(run.solved, run.items, _note(run))
        if not run.finished:
            refuse_retracted(run)
            return False
        found = estimate(store, run)
        wanted = wanted_deals(found, count or width)
        if wanted > run.items:
            ask_for(store, run, wanted)
        return wanted <= run.items

    if not done(Bar()):
        keep_working(store, "surveying", done)
    assert found is not None  # noqa: S101 -- there is at least one block
    return found


def _note(run: "RunStatus") -> str:
    rate = f", {run.rate:,.0f}/s" if run.rate else ""
    return f"{run.solved:,} deals{rate}"


def _tell(store: "Database", number: int, found: "Estimate", report: Path | None, form: str | None) -> None:
    """A row on standard output, and on standard error what it means and what to type next."""
    from dealmill.pipeline.store.runs import find_run
    from dealmill.pipeline.survey.report import survey_facts, told, write_report, written

    run = find_run(store, str(number))
    facts = survey_facts(store, run, found)
    row = {"run": number, **facts}
    if form is None:
        used = [name for name in COLUMNS if facts.get(name) != 0]
        figures = {
            str(facts["estimate"]) if name == "value" else name: written(facts, name)
            for name in ("value", "low", "high")
        }
        write_rows([*used, *figures], [row | figures], None)
    else:
        write_rows(list(row), [row], form)
    click.echo(told(facts), err=True)
    if report:
        write_report(store, run, found, report)
        click.echo(f"the report:                {report}", err=True)
    if run.counts.get(Verdict.UNWINNABLE):
        click.echo(f"which ones cannot be won:  {called_as()} query {run.id} --verdict unwinnable", err=True)
    click.echo(f"one, step by step:         {called_as()} show {run.id}:1", err=True)
