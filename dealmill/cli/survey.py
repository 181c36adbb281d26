"""``survey``: how many deals of a game can be won, or what they are worth on average."""

import click

import dealmill
from dealmill.cli.options import engine_option, given_parameters, nodes_option, parameters_option
from dealmill.cli.output import called_as, output_options, tell, write_rows
from dealmill.cli.progress import shown
from dealmill.pipeline.arguments import MOST_PACKED
from dealmill.pipeline.extras import check_extra
from dealmill.pipeline.games.verdict import Verdict

COLUMNS = ("run", "engine", "deals", *(verdict.word for verdict in Verdict))


@click.command()
@click.argument("game")
@engine_option
@click.option(
    "--half-width",
    metavar="W",
    default="0.1%",
    show_default=True,
    help="How narrow the interval is to be, half of it: a share (0.1% or 0.001), or for mean values a number or per "
    "cent of the mean.",
)
@click.option(
    "--count",
    type=click.IntRange(1, MOST_PACKED),
    help="So many deals, in whole thousands, however wide the interval.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Which series of deals, 0 to 2⁶⁴ − 1.")
@parameters_option
@nodes_option
@click.option("--report", type=click.Path(), help="A folder for a report with pictures.")
@output_options
def survey(
    game: str,
    engine: str | None,
    half_width: str,
    count: int | None,
    seed: int,
    given: tuple[str, ...],
    max_nodes: int | None,
    report: str | None,
    form: str | None,
) -> None:
    """Estimate how many deals of GAME can be won, or their mean value, from random deals.

    Local workers deal and solve more and more deals until the 95 % confidence interval is narrow enough. A survey that
    was broken off goes on where it was, and one that is done is not done again. It is a run like others, which `query`,
    `show`, `audit`, `rerun`, `diff` and `export` take. It is stored packed, as with `dealmill run --packed`: deals are
    dealt and solved again when they are needed, and compared with the stored verdicts and digests.
    """
    parameters = given_parameters(given)
    if report is not None:
        check_extra("plots")
    with dealmill.open() as store:
        with shown() as progress:
            found = store.survey(
                game,
                engine=engine,
                half_width=half_width,
                count=count,
                seed=seed,
                parameters=parameters,
                max_nodes=max_nodes,
                progress=progress,
            )
        _write(found, form)
        if report is not None:
            found.report(report)
            tell(f"the report:                {report}")
        if found.facts.get(Verdict.UNWINNABLE.word):
            tell(f"which ones cannot be won:  {called_as()} query {found.run.id} --verdict unwinnable")
        tell(f"one, step by step:         {called_as()} show {found.run.id}:1")


def _write(found: "dealmill.Survey", form: str | None) -> None:
    """A row on standard output, and on standard error what it means."""
    row = {"run": found.run.id, **found.facts}
    if form is None:
        used = [name for name in COLUMNS if row.get(name) != 0]
        write_rows([*used, *found.figures], [row | found.figures], None)
    else:
        write_rows(list(row), [row], form)
    tell(str(found))
