"""Options and arguments that several commands share, and their completion by the shell.

Completion must not disturb the command line that is being typed: it creates no store, and prints no errors and no
warnings.
"""

import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypedDict

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

import dealmill
from dealmill.cli.output import Command, tell
from dealmill.cli.process import ERROR
from dealmill.pipeline.arguments import (
    MAX_INTEGER,
    MAX_ITEMS,
    MAX_NODES,
    MAX_SEED,
    MAX_WORKERS,
    check_integer,
    number_range,
    whole_number,
)
from dealmill.pipeline.errors import DealmillError, UsageError
from dealmill.pipeline.games.names import games_by_name
from dealmill.pipeline.printable import printable
from dealmill.pipeline.results.conditions import CONDITIONS, VERDICT, Condition

Choice = tuple[str, str]
"""A word and its help text."""

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completing(
    choices: Callable[[], Iterable[Choice]], others: Callable[[], Iterable[Choice]] = tuple[Choice]
) -> Complete:
    """Return the callback of a parameter that offers the choices starting with what was typed, if something was, also
    of the others."""

    def complete(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[CompletionItem]:
        offers = list[Choice]()
        with warnings.catch_warnings(action="ignore"), suppress(DealmillError):
            offers.extend(choices())
            offers.extend(others() if typed else ())
        return [CompletionItem(word, help=printable(meaning)) for word, meaning in offers if word.startswith(typed)]

    return complete


def _games() -> Iterator[Choice]:
    for game in dealmill.games().values():
        yield game.name, game.title


def _names() -> Iterator[Choice]:
    games = dealmill.games()
    yield from ((name, game) for name, game in games_by_name().items() if name not in games)


def _engines() -> Iterator[Choice]:
    for game in dealmill.games().values():
        for engine in game.engines:
            yield game.full_name(engine), engine.summary


def _runs() -> Iterator[Choice]:
    with dealmill.open() as store:
        for run in reversed(store.runs()):
            yield str(run.id), f"{run.engine} on {run.source}"
    yield "last", "the newest run"


def _sources() -> Iterator[Choice]:
    with dealmill.open() as store:
        for source in reversed(store.sources()):
            yield str(source.id), f"{source.name} ({source.game})"


complete_game = _completing(_games, _names)
complete_engine = _completing(_engines)
complete_run = _completing(_runs)
complete_source = _completing(_sources)


class Range(click.ParamType[tuple[int | None, int | None]]):
    """A range of integers: ``70..80``, ``70..``, ``..80`` or ``75``."""

    name = "MIN..MAX"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int | None, int | None]:
        """Return both ends of the range, inclusive; None for an open end."""
        try:
            return number_range(str(value))
        except UsageError as error:
            self.fail(str(error), param, ctx)


class WholeNumber(click.IntRange):
    """A whole number in a range; without `most`, up to 2⁶³ − 1."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        """Return what stands for the number in help texts."""
        return "N"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number."""
        try:
            number: object = whole_number(str(value))
        except ValueError:
            number = value
        try:
            return check_integer("it", number, int(self.min or 0), int(MAX_INTEGER if self.max is None else self.max))
        except UsageError as error:
            self.fail(str(error), param, ctx)


game_option = click.option(
    "--game",
    metavar="GAME",
    shell_complete=complete_game,
    help="The game, if the file name does not contain it; see dealmill games.",
)


def _together(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return the decorator that adds several options, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


source_options = _together(
    game_option,
    click.option(
        "--layout-column",
        metavar="NAME",
        help="Read the layouts from this column of a .csv, .tsv, .json, .jsonl or .parquet file.",
    ),
    click.option(
        "--deals",
        metavar="DEALS",
        help="The deals, such as deal:klondike:seed=0, if FILE has their numbers instead of layouts.",
    ),
    click.option(
        "--number-column",
        metavar="NAME",
        help="The column of the numbers in a table, with --deals; by default number. Any other file has one number in "
        "each line.",
    ),
    click.option(
        "--sample", type=WholeNumber(1, MAX_ITEMS), help="Draw this many of the numbered deals, evenly spread."
    ),
    click.option("--of", metavar="FIRST-LAST", help="The numbers of which --sample draws some."),
    click.option(
        "--sample-seed", type=WholeNumber(0, MAX_SEED), help="The seed by which --sample draws; by default 1."
    ),
    click.option(
        "--anyway", is_flag=True, help="Read a file even if none of its first twenty entries is a layout of the game."
    ),
)
"""How sources are read: the arguments of `Store.ingest`, once `read_sources` has drawn the samples."""


def read_sources(
    sources: tuple[str, ...],
    options: dict[str, Any],
    rules: tuple[str, ...] = (),
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names of sources with the sample that is drawn from them and changed rules, and the options of
    `source_options`, and others, as arguments of `Store.run_all`."""
    sample, of, seed = (options.pop(name) for name in ("sample", "of", "sample_seed"))
    if sample is None and (of is not None or seed is not None):
        raise click.UsageError("--of and --sample-seed need --sample: say how many of the deals are drawn")
    if sample is not None or rules:
        from dealmill.pipeline.games.deals import sampled_deals, sources_with_rules, with_rules  # slow to import

        if sample is not None:
            sources = tuple(sampled_deals(source, sample, of, seed) for source in sources)
        if rules and options["deals"] is not None:
            options["deals"] = with_rules(options["deals"], rules)
        elif rules:
            sources, options["game"] = sources_with_rules(sources, options["game"], rules)
    return sources, options


def _set_workers(_ctx: click.Context, _option: click.Parameter, workers: int | None) -> None:
    """Put the number where the workers, which are processes of their own, read it, too."""
    if workers is not None:
        os.environ["DEALMILL_WORKERS"] = str(workers)


workers_option = click.option(
    "--workers",
    "-j",
    metavar="N",
    type=WholeNumber(1, MAX_WORKERS),
    expose_value=False,
    callback=_set_workers,
    help="Start this many local worker processes, instead of DEALMILL_WORKERS or one for each processor.",
)
engine_option = click.option(
    "--engine", metavar="GAME/ENGINE", shell_complete=complete_engine, help="Use this engine instead of the default."
)
nodes_option = click.option(
    "--max-nodes",
    type=WholeNumber(1, MAX_NODES),
    help="Search at most this many nodes per layout; one that needs more is undecided.",
    show_default="that of the engine",
)


def _refuse_packed(ctx: click.Context, _param: click.Parameter, given: bool) -> None:
    if given:
        raise click.UsageError(
            "--packed is gone: leave it out, and each verdict is stored with its evidence; for billions of deals, use: "
            "dealmill survey GAME --count N",
            ctx,
        )


packed_option = click.option("--packed", is_flag=True, hidden=True, expose_value=False, callback=_refuse_packed)
"""It is refused with a reason until version 0.4.0."""
run_options = _together(
    nodes_option,
    packed_option,
    click.option(
        "--priority",
        type=WholeNumber(-1000, 1000),
        help="Do the jobs of the run before those of runs with a lower priority, -1000 to 1000.",
        metavar="N",
    ),
    click.option("--tag", "tags", metavar="WORD", multiple=True, help="Tag the run; repeatable."),
    click.option("--note", metavar="TEXT", help="Add a note to the run."),
)
"""How runs are planned: together with `source_options`, the arguments of `Store.run_all` and `Store.queue`."""
parameters_option = click.option(
    "--param", "given", metavar="NAME=N", multiple=True, help="Set a parameter of the deals; see dealmill games."
)
notation_option = click.option(
    "--notation",
    metavar="PROGRAM",
    help="Read moves of FreeCell and its relatives in the standard notation (26 7a 5h), as PROGRAM writes it: "
    "freecell-solver, microsoft or macroxue.",
)
rules_option = click.option(
    "--rule",
    "rules",
    metavar="KEY=VALUE",
    multiple=True,
    help="Change a rule of a patience or covering game, such as stock.draw=1; repeatable. `dealmill games NAME "
    "--rules` lists them.",
)


def _filter_option(condition: Condition) -> Callable[[Command], Command]:
    """Return the option that is a condition of a filter."""
    kind = click.Choice(condition.choices) if condition.choices else Range()
    return click.option(f"--{condition.word}", type=kind, multiple=condition.repeatable, help=condition.help)


verdict_option = _filter_option(VERDICT)
filter_options = _together(*map(_filter_option, CONDITIONS))
"""All conditions of a filter: the arguments of `Store.query`."""


def given_options(ctx: click.Context) -> set[str]:
    """Return the names of the parameters that are on the command line."""
    return {name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE}


runs_argument = click.argument("runs", metavar="[RUN]…", nargs=-1, shell_complete=complete_run)


chosen_options = _together(
    click.option("--tag", "tags", metavar="WORD", multiple=True, help="Only the runs with this tag; repeatable."),
    click.option("--game", metavar="GAME", shell_complete=complete_game, help="Only the runs of this game."),
    click.option(
        "--engine", metavar="GAME/ENGINE", shell_complete=complete_engine, help="Only the runs of this engine."
    ),
)
"""Which of the runs: the command receives a `ChosenRuns`."""


class ChosenRuns(TypedDict):
    """What `chosen_options` say, as keyword arguments of `dealmill.Store.select`."""

    tags: tuple[str, ...]
    game: str | None
    engine: str | None


yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


def confirm(effect: str) -> None:
    """Ask on the terminal whether to go on, and end the command if not.

    Raises
    ------
    UsageError
        If there is no terminal.
    """
    if not sys.stdin.isatty():
        raise click.UsageError(f"this {effect}; add --yes to confirm it where there is no terminal")
    if not click.confirm(printable(f"This {effect}. Continue?"), err=True):
        tell("nothing was changed")
        sys.exit(ERROR)


def parse_words(given: str | None) -> dict[str, str]:
    """Return the verdicts by the words in the option ``--words WORD=VERDICT,…``.

    Raises
    ------
    UsageError
        If one is malformed, or given with two meanings.
    """
    words = dict[str, str]()
    for text in given.split(",") if given is not None else []:
        word, equals, verdict = text.rpartition("=")
        if not word or not equals:
            raise UsageError(
                f"--words {text!r} is malformed: write WORD=VERDICT, as in solved=winnable,unknown=undecided"
            )
        if words.setdefault(word, verdict) != verdict:
            raise UsageError(f"--words {word} has two meanings, {words[word]} and {verdict}: leave one out")
    return words


def parse_parameters(given: Sequence[str]) -> dict[str, int]:
    """Return the parameters given by `parameters_option`.

    Raises
    ------
    UsageError
        If one is malformed or given twice.
    """
    parameters = {}
    for text in given:
        name, _, number = text.partition("=")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise UsageError(f"--param {text!r} is malformed: write NAME=NUMBER")
        if name in parameters:
            raise UsageError(f"--param {name} is given twice: give each parameter once")
        parameters[name] = int(number)
    return parameters
