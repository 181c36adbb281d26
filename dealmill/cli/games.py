"""``games``, ``check-game``, ``bench-engine``, ``deal`` and ``answer``: games, and layouts without a store."""

import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

import dealmill
from dealmill.cli.limits import exceeded, fail_on_option
from dealmill.cli.options import (
    WholeNumber,
    complete_engine,
    complete_game,
    engine_option,
    nodes_option,
    parameters_option,
    parse_parameters,
    rules_option,
)
from dealmill.cli.output import counted, json_option, output_options, tell, write_line, write_rows, write_text
from dealmill.cli.process import DIFFERENT, ERROR, REJECTED
from dealmill.cli.tables import shortened
from dealmill.pipeline.arguments import MAX_INTEGER, MAX_NODES, MAX_SEED, NODES, TIME
from dealmill.pipeline.errors import DealmillError, UsageError
from dealmill.pipeline.results.measures import numbers_in_words, recorded_numbers

if TYPE_CHECKING:
    from dealmill.testing import Check, CheckOutcome


@click.command()
@click.argument("game", required=False, shell_complete=complete_game)
@click.option(
    "--rules",
    is_flag=True,
    help="Print the rules of GAME as a file in TOML; only patiences and covering games have them.",
)
@click.option(
    "--differ",
    nargs=2,
    metavar="GAME GAME",
    shell_complete=complete_game,
    help="List the rules in which these two games differ.",
)
@output_options
def games(game: str | None, rules: bool, differ: tuple[str, str] | None, form: str | None) -> None:
    """List the games by family, one line each, or print everything about GAME.

    A mark shows which of the engines `winnable` and `chances` a game has; others are named. --json, --nl and --csv have
    a row for each engine, with its evidence and the parameters of deals.

    Installed packages can offer further games, and so can rules files in the folder DEALMILL_RULES. One that cannot be
    used is reported with the reason.
    """
    if rules:
        click.echo(_rules_of(game), nl=False)
        return
    if differ:
        if game:
            raise click.UsageError("--differ names both games itself: dealmill games --differ klondike trigon")
        left, right = ({"title": name, **_flattened(_rules_of(name))} for name in differ)
        differences = [
            {"key": key, differ[0]: left.get(key, ""), differ[1]: right.get(key, "")}
            for key in {**left, **right}
            if left.get(key) != right.get(key)
        ]
        write_rows(["key", *differ], differences, form)
        return
    known_games = sorted(dealmill.games(game).values(), key=lambda known: (known.family, known.name))
    if form:
        rows = [_engine_row(known, engine) for known in known_games for engine in known.engines]
        write_rows(list(rows[0]), rows, form)
    elif game:
        write_text(_description(known_games[0]))
    else:
        rows = [_game_row(known) for known in known_games]
        write_rows(list(rows[0]), rows, form, narrow=("name", "title", "decks", "columns", *MARKED))
    for broken in dealmill.broken_games():
        tell(f"{broken}")


MARKED = ("winnable", "chances")
"""The engines of most games, for which a list has a mark instead of their name."""


def _game_row(game: "dealmill.Game") -> dict[str, object]:
    names = [engine.name for engine in game.engines]
    return {
        "family": game.family,
        "name": game.name,
        "title": game.title,
        **_size(game),
        **{name: "x" if name in names else "" for name in MARKED},
        "others": [name for name in names if name not in MARKED],
    }


def _size(game: "dealmill.Game") -> dict[str, object]:
    """Return how many decks and columns a game has by its rules; None for what they do not say."""
    if game.rules_text is None:
        return {"decks": None, "columns": None}
    rules = _flattened(game.rules_text.text)
    sizes = rules.get("tableau.sizes")
    columns = len(sizes) if isinstance(sizes, list) else rules.get("arrangement.columns")
    return {"decks": rules.get("deck.decks", 1), "columns": columns or None}


def _engine_row(game: "dealmill.Game", engine: "dealmill.Engine") -> dict[str, object]:
    return {
        "engine": game.full_name(engine),
        "version": engine.version,
        "default": "*" if engine is game.engines[0] else "",
        "summary": engine.summary,
        "evidence": engine.evidence,
        "evidence_of_loss": engine.evidence_of_loss,
        "title": game.full_title,
        "family": game.family,
        **_size(game),
        "deals": game.deals.version,
        "deal_parameters": _deal_parameters(game),
        "examples": str(game.examples),
    }


def _deal_parameters(game: "dealmill.Game") -> list[str]:
    return [
        f"{name}={parameter.default} ({parameter.meaning}, {parameter.least} to {parameter.most})"
        for name, parameter in game.deals.parameters.items()
    ]


def _description(game: "dealmill.Game") -> Iterator[str]:
    """Yield the lines that say everything about a game."""
    yield f"{game.name}: {game.full_title}"
    yield from _facts(
        {
            "family": game.family,
            "also called": ", ".join(game.other_names),
            **_size(game),
            "deals": f"version {game.deals.version}",
            "other forms": ", ".join(game.writers),
            "solutions": ", ".join(game.notations),
            "examples": game.examples,
        }
    )
    for parameter in _deal_parameters(game):
        yield f"  --param {parameter}"
    for engine in game.engines:
        yield from _engine_lines(game, engine)
    if game.rules_text:
        yield from ("", "rules, as a file in TOML:", "")
        yield from game.rules_text.text.splitlines()


def _engine_lines(game: "dealmill.Game", engine: "dealmill.Engine") -> Iterator[str]:
    """Yield the lines that say everything about an engine."""
    limit = engine.max_nodes
    yield ""
    yield f"{game.full_name(engine)}{', the default engine' if engine is game.engines[0] else ''}"
    yield from _facts(
        {
            "answers": engine.summary,
            "version": engine.version,
            "node limit": "none by default" if limit is None else f"{counted(limit, 'node')} by default",
            "grades": _words_of_grades(engine),
            "evidence": engine.evidence,
            "of a loss": engine.evidence_of_loss,
        }
    )


def _words_of_grades(engine: "dealmill.Engine") -> str:
    bounds = (f"{grade} {'from' if engine.scores else 'up to'} {end:,}" for grade, end in enumerate(engine.grades, 1))
    last = f"{len(engine.grades) + 1} {'below, by the value' if engine.scores else 'above, by the nodes of a win'}"
    return ", ".join([*bounds, last]) if engine.grades else ""


def _facts(facts: Mapping[str, object]) -> Iterator[str]:
    """Yield a line for each fact that there is."""
    return (f"  {name + ':':12} {value}" for name, value in facts.items() if value)


def _rules_of(name: str | None) -> str:
    if not name:
        raise click.UsageError("name the game whose rules are meant")
    game = dealmill.games(name)[name]
    if not game.rules_text:
        raise UsageError(f"{name} is no patience and no covering game: its rules are not in a file")
    return game.rules_text.text


def _flattened(text: str) -> dict[str, object]:
    """Return the values of a TOML file by key, such as ``stock.draw``."""
    tables = tomllib.loads(text)
    top = {key: value for key, value in tables.items() if not isinstance(value, dict)}
    inner = {table: values for table, values in tables.items() if isinstance(values, dict)}
    return top | {f"{table}.{key}": value for table, values in inner.items() for key, value in values.items()}


FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(name="check-game")
@click.argument("game", shell_complete=complete_game)
@click.option("--golden", type=FOLDER, help="Compare the output of each engine with the golden files in this folder.")
@click.option("--write-golden", "written", type=FOLDER, help="The same, and write the golden files that are missing.")
@output_options
@click.pass_context
def check_game(ctx: click.Context, game: str, golden: Path | None, written: Path | None, form: str | None) -> None:
    """Check that a game meets what Dealmill requires of every game.

    The checks cover the reader of layouts, numbered deals, engines, the referee and pictures. They try some thousands
    of numbered deals, altered layouts and altered evidence. For a patience, small decks by its rules are also searched
    by plain code, with which the engine and both referees must agree; and if its losses are proved by some of the
    cards, small deals that can be won are tried in easier games. If the game cannot be loaded, or raises an error, the
    traceback is printed, once for each error. The exit code is 1 if a check fails.

    A check that assumes more than every game must do says so when it fails, and a game can waive it. --json has a
    column `assumption`, and `tried` for checks that say what they have tried.
    """
    from dealmill import testing  # loads the compiler

    for broken in dealmill.broken_games():
        if broken.name == game:
            click.echo(broken.traceback, nl=False, err=True)
    checks = testing.checks_of(game, golden=golden or written)
    if written:
        for file in testing.write_golden(game, written):
            tell(f"wrote {file}")
    with testing.each_once() as tracebacks:
        rows: Iterable[dict[str, object]] = (_row(check, check.outcome(tracebacks)) for check in checks)
        done = list(rows if form else _written(rows))
    if form:
        write_rows(["game", "check", "state", "reason", "tried", "assumption"], done, form)
    if failed := sum(row["state"] == "failed" for row in done):
        tell(f"{counted(failed, 'check')} of {len(checks)} failed")
        ctx.exit(ERROR)
    waived = sum(row["state"] == "waived" for row in done)
    tell(f"all {len(checks)} checks passed" + (f", {waived} of them waived by the game" if waived else ""))


def _row(check: "Check", outcome: "CheckOutcome") -> dict[str, object]:
    return {
        "game": check.subject,
        "check": check.name,
        "state": outcome.state,
        "reason": None if outcome.state == "ok" else outcome.sentence,
        "tried": outcome.sentence if outcome.state == "ok" else None,
        "assumption": check.assumption,
    }


def _written(rows: Iterable[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Write a line for each result as soon as it is there, and below it the reason for a failure, or what was tried.
    Yield the results."""
    for row in rows:
        write_line(f"{row['state']:6}  {row['game']}: {row['check']}")
        if sentence := row["reason"] or row["tried"]:
            write_line(f"        {sentence}")
        yield row


@click.command(name="bench-engine")
@click.argument("engine", metavar="GAME/ENGINE", shell_complete=complete_engine)
@click.option(
    "--baseline", metavar="ENGINE", shell_complete=complete_engine, help="Compare with this engine, and time both."
)
@nodes_option
@fail_on_option
@click.option(
    "--set",
    "set_name",
    metavar="NAME",
    default="hard",
    show_default=True,
    help="The set of layouts: hard or, for card pairing, also classic.",
)
@output_options
@click.pass_context
def bench_engine(
    ctx: click.Context,
    engine: str,
    baseline: str | None,
    max_nodes: int | None,
    limits: dict[str, float] | None,
    set_name: str,
    form: str | None,
) -> None:
    """Solve the 150 hard layouts of a game with an engine, referee all verdicts, and compare them. Nothing is stored.

    The engine may be a program. Without --baseline, its verdicts are compared with those in the set, which are proved,
    unless they answer another question. With a baseline, both solve the set up to three times in turn; the ratio of
    times is the median of those of the layouts, with its 95 % confidence interval. Without --max-nodes, the node limit
    is that of runs of the engine, or 10,000,000 per layout.

    Wrong verdicts are named with their layouts and with what disproves them: the first one of each kind, the surest
    kind first. The exit code is 3 if there are any: the referee refuses a verdict, the engine fails on a layout, or a
    verdict contradicts that of the baseline. Differences from a baseline that answers another question are of the kind
    `question`. With --fail-on, the exit code is also 3 for the kinds that it names, as in `dealmill diff`, and if nodes
    or time grow by more than a factor; times vary, so time=1.5 fails only if the whole interval is above 1.5.
    """
    if baseline is None and (needed := sorted({NODES, TIME} & {*(limits or ())})):
        raise click.UsageError(f"{needed[0]} in --fail-on is compared with that of a baseline: add --baseline ENGINE")
    bench = dealmill.bench_engine(engine, baseline=baseline, max_nodes=max_nodes, set_name=set_name)
    sides = [side for side in (bench.one, bench.other) if side]
    rows = [_figures_row(side) for side in sides]
    columns = [name for name in FIGURES if form or name not in RARE or any(row[name] for row in rows)]
    write_rows(columns, rows, form)
    _tell_wrong(bench)
    if bench.time_ratio is not None:
        tell(f"ratio of time: {bench.time_ratio.words('layout')}")
    if bench.nodes:
        tell(f"geometric mean of the ratio of nodes: {bench.nodes.ratio:.3f}")
        for worse in bench.nodes.worst[:NAMED]:
            tell(f"layout {worse.position}: {counted(worse.nodes, 'node')}, then {worse.other_nodes:,}")
    if bench.one is not None:
        kinds = ", ".join(f"{number:,} {kind}" for kind, number in bench.summary.counts.items())
        tell(f"differences on {counted(bench.layouts, 'layout')}: {kinds or 'none'}")
    over = limits is not None and exceeded(limits, bench.summary.counts, [bench.nodes], [bench.time_ratio])
    if over or not bench.right:
        ctx.exit(DIFFERENT)


NAMED = 3
"""The most layouts with more nodes that `bench-engine` names."""
LONGEST = 300
"""The most characters of a layout or of a reason that it prints."""


MORE = {
    "refused": "whose evidence the referee refuses",
    "failed": "that failed",
    "disproved": "that a proof contradicts",
    "contradicted": "that another one contradicts",
}
"""What is wrong with further verdicts, by `dealmill.pipeline.engine_bench.Wrongness`."""


def _tell_wrong(bench: "dealmill.EngineBench") -> None:
    """Print the first wrong verdict of each engine and kind, and how many more there are of this kind."""
    for wrong, others in bench.wrong_by_kind():
        tell(f"wrong: {wrong.engine} says {wrong}, layout {wrong.position}: {shortened(wrong.layout, LONGEST)}")
        tell(f"       {shortened(wrong.reason, LONGEST)}")
        if others:
            tell(f"       and {counted(others, 'more verdict')} {MORE[wrong.wrongness]}")


FIGURES = ("engine", "version", "decided", "unproved", "undecided", "failed", "refused", "nodes", "µs/layout")

RARE = {"unproved", "failed", "refused"}
"""Columns that a table has only if they are not all 0."""


def _figures_row(side: "dealmill.EngineFigures") -> dict[str, object]:
    return {
        "engine": side.engine,
        "version": side.version,
        "decided": side.decided,
        "unproved": side.unproved,
        "undecided": side.undecided,
        "failed": side.failed,
        "refused": side.refused,
        "nodes": side.nodes,
        "µs/layout": None if side.microseconds is None else round(side.microseconds, 1),
    }


@click.command(name="new-game")
@click.argument("name")
def new_game(name: str) -> None:
    """Write a package with a small game, as a template for your own.

    NAME has lower-case letters, digits and single hyphens. The folder dealmill-NAME has a reader of layouts, rules with
    a referee, numbered deals, an engine, pictures and tests. It can be installed at once, and passes all checks.
    """
    folder = dealmill.new_game(name)
    write_line(f"wrote {folder}; its README.md says what to change")
    write_line(f"install it with: pip install --editable ./{folder}")
    write_line(f"then check it with: dealmill check-game {name}")


@click.command(name="new-engine")
@click.argument("engine", metavar="GAME/NAME")
def new_engine(engine: str) -> None:
    """Write a program that is an engine of a game, as a template for your own.

    NAME has lower-case letters, digits and single hyphens. The folder GAME-NAME has a manifest, a program in Python and
    the same in C, and a test. The program leaves all layouts undecided until it is changed.
    """
    folder = dealmill.new_engine(engine)
    write_line(f"wrote {folder}; its README.md says what to change")
    write_line(f"use it with: export DEALMILL_ENGINES={folder.absolute()}")
    write_line(f"then check it with: dealmill check-game {engine.partition('/')[0]}")


@click.command()
@click.argument("game", shell_complete=complete_game)
@click.option("--count", type=WholeNumber(1), default=1, show_default=True, help="The number of deals.")
@click.option("--seed", type=WholeNumber(0, MAX_SEED), default=1, show_default=True, help="The seed of the deals.")
@click.option(
    "--first", type=WholeNumber(-MAX_INTEGER), default=1, show_default=True, help="The number of the first deal."
)
@click.option("--winnable", is_flag=True, help="Only deals that can be won, from the first one on.")
@click.option("--grade", type=WholeNumber(1), help="With --winnable, only deals of this grade of difficulty, 1 to 5.")
@click.option("--solution", is_flag=True, help="With --winnable, print the solution of each deal, too.")
@click.option(
    "--max-nodes",
    type=WholeNumber(1, MAX_NODES),
    help="With --winnable, pass over deals that need more nodes.",
    show_default="100,000, none in Golf and other games without grades whose deals are all decided",
)
@parameters_option
@rules_option
@click.option(
    "--format",
    "form",
    metavar="NAME",
    help="Print each as another program writes it; for patiences, board or solvitaire.",
)
@json_option
def deal(
    game: str,
    count: int,
    seed: int,
    first: int,
    winnable: bool,
    grade: int | None,
    solution: bool,
    max_nodes: int | None,
    given: tuple[str, ...],
    rules: tuple[str, ...],
    form: str | None,
    as_json: bool,
) -> None:
    """Print numbered deals, one canonical layout per line.

    Deal number k of a seed is the same on every machine. It is computed directly, without the deals before it. With
    --rule, the deals are of a game with changed rules, whose name has the changes: klondike:stock.draw=1. With --json,
    `line` is the number of the deal, as in other commands. Files with another --format can be read by `run`.

    With --winnable, deals are solved until --count of them can be won, and lines that begin with # give the number, the
    nodes of each. --grade chooses by how often a careful player wins, or by the nodes in games without one; the grades
    of a game are fixed, see docs/grades.md. The same command gives the same deals everywhere. With --json, `evidence`
    is the solution.
    """
    from dealmill.pipeline.games.deals import variant_name  # slow to import, not needed for the help text

    game = variant_name(game, rules)
    parameters = parse_parameters(given)
    if form and as_json:
        raise UsageError("--json and --format exclude each other")
    if winnable:
        wins = dealmill.winnable_deals(
            game, seed=seed, first=first, count=count, grade=grade, parameters=parameters, max_nodes=max_nodes
        )
        if as_json:
            write_rows(WIN_COLUMNS, (_win_row(win, grade) for win in wins), "json")
            return
        for win in wins:
            _print_win(win, grade, form, solution)
        return
    if grade is not None or solution or max_nodes is not None:
        raise UsageError("--grade, --solution and --max-nodes are for deals that can be won: add --winnable")
    deals = dealmill.deals(game, seed=seed, first=first, count=count, parameters=parameters)
    if form:
        for text in (dealmill.convert(game, layout, form) for layout in deals):
            click.echo(text)
        return
    if as_json:
        rows = ({"line": deal.line, "layout": deal.text} for deal in deals)
        write_rows(("line", "layout"), rows, "json")
        return
    for block in deals.blocks():
        click.echo("\n".join(layout.text for layout in block))


WIN_NUMBERS = [order.measure.field for order in recorded_numbers(scored=False)]
WIN_COLUMNS = ("line", "grade", *WIN_NUMBERS, "layout", "evidence")


def _win_row(win: "dealmill.Result", grade: int | None) -> dict[str, object]:
    return {column: getattr(win, column) for column in WIN_COLUMNS} | {"grade": grade or win.grade}


def _print_win(win: "dealmill.Result", grade: int | None, form: str | None, solution: bool) -> None:
    """Print a deal that can be won, of a grade if one was asked for, with comments that readers of files skip."""
    game, _ = win.game_and_engine
    grade = grade or win.grade
    write_line(f"# deal {win.line}: {f'grade {grade}, ' if grade else ''}{numbers_in_words(win)}")
    click.echo(dealmill.convert(game.name, win, form) if form else win.layout)
    if solution:
        write_line(f"# solution: {win.evidence}")


@click.command()
@click.argument("game", shell_complete=complete_game)
@click.argument("file", default="-", type=click.Path())
@engine_option
@click.pass_context
def answer(ctx: click.Context, game: str, file: str, engine: str | None) -> None:
    """Answer layouts in the input and output format of the game's problem statement. Nothing is stored.

    FILE is a plain or compressed text file; the default is standard input. An invalid layout is answered with `?`,
    reported on standard error, and makes the exit code 4.
    """
    answered = dealmill.answer(game, file, sys.stdout, engine=engine, complain=tell)
    if answered.failed:
        raise DealmillError(f"the engine failed on {counted(answered.failed, 'layout')}; all others were answered")
    if answered.rejected:
        ctx.exit(REJECTED)
