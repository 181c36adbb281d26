"""``survey``: estimate the share of winnable deals of a game, or their mean value."""

import click

import dealmill
from dealmill.cli.completion import complete_game
from dealmill.cli.options import engine_option, given_parameters, nodes_option, parameters_option
from dealmill.cli.output import called_as, output_options, tell, write_rows
from dealmill.cli.progress import shown
from dealmill.pipeline.arguments import MOST_PACKED
from dealmill.pipeline.extras import check_extra
from dealmill.pipeline.games.verdict import Verdict

COLUMNS = ("run", "engine", "deals", *(verdict.word for verdict in Verdict))


@click.command()
@click.argument("game", shell_complete=complete_game)
@engine_option
@click.option(
    "--half-width",
    metavar="W",
    default="0.1%",
    show_default=True,
    help="Half the width of the interval to reach: a share (0.1% or 0.001); for mean values a number, or a percentage "
    "of the mean.",
)
@click.option(
    "--count",
    type=click.IntRange(1, MOST_PACKED),
    help="Solve this many deals, rounded up to whole thousands, whatever the width of the interval.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="The seed of the deals, 0 to 2⁶⁴ − 1.")
@parameters_option
@nodes_option
@click.option("--report", type=click.Path(), help="Write a report with pictures to this folder.")
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
    """Estimate the share of winnable deals of GAME, or their mean value, from random deals.

    Local workers deal and solve deals until the 95 % confidence interval is narrow enough. An interrupted survey
    resumes where it stopped, and a finished one is not repeated. A survey is a run: `query`, `show`, `audit`, `rerun`,
    `diff` and `export` accept its number. It is stored packed, as with `dealmill run --packed`: deals are dealt and
    solved again on demand and compared with the stored verdicts and digests.
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
            tell(f"report:              {report}")
        if found.facts.get(Verdict.UNWINNABLE.word):
            tell(f"unwinnable layouts:  {called_as()} query {found.run.id} --verdict unwinnable")
        tell(f"step by step:        {called_as()} show {found.run.id}:1")


def _write(found: "dealmill.Survey", form: str | None) -> None:
    """Print the figures on standard output and a sentence that states them on standard error."""
    row = {"run": found.run.id, **found.facts}
    if form is None:
        used = [name for name in COLUMNS if row.get(name) != 0]
        write_rows([*used, *found.figures], [row | found.figures], None)
    else:
        write_rows(list(row), [row], form)
    tell(str(found))
