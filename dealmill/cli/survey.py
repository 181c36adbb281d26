"""``survey``: estimate the share of winnable deals of a game."""

from collections.abc import Mapping

import click

import dealmill
from dealmill.cli.options import (
    WholeNumber,
    complete_game,
    engine_option,
    nodes_option,
    parameters_option,
    parse_parameters,
    rules_option,
    workers_option,
)
from dealmill.cli.output import (
    called_as,
    counted,
    output_options,
    tell,
    tell_retryable,
    tell_undecided,
    write_rows,
)
from dealmill.cli.process import ERROR, resumable
from dealmill.cli.progress import shown_progress
from dealmill.pipeline.arguments import MAX_ITEMS, MAX_SEED
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.system.extras import check_extra


def _tell_defaults(game: str, parameters: Mapping[str, int]) -> None:
    """Print the parameters of the deals that were not given."""
    offered = dealmill.games(game)[game].deals.parameters
    defaults = [f"{name}={parameter.default}" for name, parameter in offered.items() if name not in parameters]
    if defaults:
        tell(f"other parameters:    {', '.join(defaults)}")


SURVEY_COLUMNS = ("run", "engine", "deals", *(verdict.word for verdict in Verdict))


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
    type=WholeNumber(1, MAX_ITEMS),
    help="Solve this many deals, rounded up to whole thousands, whatever the width of the interval.",
)
@click.option("--seed", type=WholeNumber(0, MAX_SEED), default=1, show_default=True, help="The seed of the deals.")
@parameters_option
@rules_option
@nodes_option
@click.option(
    "--report",
    metavar="FOLDER",
    type=click.Path(),
    help="Write a report with pictures and a table in LaTeX to this folder.",
)
@workers_option
@output_options
@click.pass_context
@resumable()
def survey(
    ctx: click.Context,
    game: str,
    engine: str | None,
    half_width: str,
    count: int | None,
    seed: int,
    given: tuple[str, ...],
    rules: tuple[str, ...],
    max_nodes: int | None,
    report: str | None,
    form: str | None,
) -> None:
    """Estimate the share of winnable deals of GAME, or their mean value, from random deals.

    Local workers deal and solve deals until the 95 % confidence interval is narrow enough. An interrupted survey
    resumes where it stopped, and a finished one is not repeated. A survey is a run: `query`, `show`, `audit`, `rerun`,
    `diff` and `export` accept its number. An engine that is faster than a database stores no deals: those that are
    asked for are dealt and solved again, a thousand at a time, and compared with the stored verdicts and digests.
    """
    from dealmill.pipeline.games.deals import variant_name  # slow to import, not needed for the help text

    parameters, game = parse_parameters(given), variant_name(game, rules)
    if report is not None:
        check_extra("pictures")
    with dealmill.open() as store:
        if count is not None:
            _tell_thousands(game, seed, count, parameters, max_nodes)
        with shown_progress() as progress:
            outcome = store.survey(
                game,
                engine=engine,
                half_width=half_width,
                count=count,
                seed=seed,
                parameters=parameters,
                max_nodes=max_nodes,
                progress=progress,
            )
        _write_survey(outcome, form)
        if parameters:
            _tell_defaults(game, parameters)
        if count is not None and outcome.deals >= count + 1_000:  # more than rounding up explains
            tell(f"the survey had {counted(outcome.deals, 'deal')} before, more than --count, and all of them count")
        if report is not None:
            outcome.report(report)
            tell(f"report:              {report}")
        if outcome.facts.get(Verdict.UNWINNABLE.word):
            tell(f"unwinnable layouts:  {called_as()} query {outcome.id} --verdict unwinnable")
        tell(f"step by step:        {called_as()} show {outcome.id}:1")
        tell_undecided(outcome)
        if tell_retryable([outcome]):
            ctx.exit(ERROR)


def _tell_thousands(game: str, seed: int, count: int, parameters: Mapping[str, int], max_nodes: int | None) -> None:
    """Say that a survey has more deals than were asked for, and how to solve just these."""
    from dealmill.pipeline.games import engine_of
    from dealmill.pipeline.games.deals import DealRange

    block = dealmill.Survey.block
    if count % block:
        deals = DealRange(engine_of(game)[0], seed, 1, count, parameters)
        limit = "" if max_nodes is None else f" --max-nodes {max_nodes}"
        tell(
            f"a survey has whole thousands of deals: {count + -count % block:,} instead of {count:,}; for exactly "
            f"{count:,}: {called_as()} run {deals.name}{limit}"
        )


def _write_survey(outcome: "dealmill.Survey", form: str | None) -> None:
    """Print a sentence with the interval on standard error, and the figures on standard output."""
    tell(str(outcome))
    row = {"run": outcome.id, **outcome.facts}
    if form is None:
        used = [name for name in SURVEY_COLUMNS if row.get(name) != 0]
        write_rows([*used, *outcome.figures], [row | outcome.figures], None)
    else:
        write_rows(list(row), [row], form)
