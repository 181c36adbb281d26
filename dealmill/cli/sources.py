"""``ingest`` and ``deal``: where layouts come from."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import click

from dealmill.cli.interrupt import check_interrupted
from dealmill.cli.output import counted
from dealmill.cli.progress import Bar, progress_bar
from dealmill.pipeline.deals import BLOCK, DealRange, is_deal_range, parse_deal_range
from dealmill.pipeline.errors import InputError, NotFoundError
from dealmill.pipeline.files import check_file
from dealmill.pipeline.games import find_game, games
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.printable import printable

if TYPE_CHECKING:
    from dealmill.pipeline.ingest import Reading
    from dealmill.pipeline.store.database import Database
    from dealmill.pipeline.store.sources import Source

REJECTED = 4
"""The exit code of work that is done, but for input that was rejected."""

SHOWN = 10
"""Rejects that are told at once; ``dealmill query --rejected`` lists all."""

parameters_option = click.option(
    "--param", "given", metavar="NAME=N", multiple=True, help="What shapes the deals; see dealmill games."
)
game_option = click.option(
    "--game", metavar="GAME", help=f"The game, if the file's name does not tell it: {', '.join(games())}."
)


def open_configured_store() -> "Database":
    """The store that the settings name."""
    from dealmill.pipeline.settings import settings
    from dealmill.pipeline.store.opening import open_store

    return open_store(settings().database_url.get_secret_value())


@contextmanager
def readings(store: "Database", names: Sequence[str], game: str | None) -> Iterator[list["Reading"]]:
    """The readings of files and ranges of deals; every name is checked before any of them is opened. One that cannot be
    read, or not to its end, is told and does not stop the others; when all is done the command ends with an error."""
    found: list[Reading] = []
    with ExitStack() as copies:
        openers = [_opener(store, name, game, copies) for name in names]
        with progress_bar("opening") as bar:
            for number, (name, opener) in enumerate(zip(names, openers, strict=True)):
                bar.update(number, len(names), printable(name))
                check_interrupted()
                try:
                    found.append(opener())
                except InputError as error:
                    bar.say(f"dealmill: {error}")
        if found:
            yield found
    if len(found) < len(names) or any(reading.broken for reading in found):
        click.get_current_context().exit(InputError.exit_code)


def _opener(store: "Database", name: str, game: str | None, copies: ExitStack) -> Callable[[], "Reading"]:
    from dealmill.pipeline.ingest import deals_reading, file_reading

    if is_deal_range(name):
        return partial(deals_reading, store, parse_deal_range(name))
    return partial(file_reading, store, name, game_of_source(name, game), copies)


def read_to_the_end(store: "Database", reading: "Reading", bar: Bar, tick: Callable[[], None] = lambda: None) -> None:
    """Read a source into the store, with progress, and say what it holds; `tick` is called after every batch."""

    def progress(source: "Source", done: int, size: int) -> None:
        bar.update(done, size, f"reading {source.name}: {source.accepted:,} layouts, {source.rejected:,} rejected")
        check_interrupted()
        tick()

    source = reading.finish(progress, bar.say)
    if reading.broken:
        bar.say(f"dealmill: {reading.broken}")
    else:
        tell_source(store, source, bar.say)


def game_of_source(name: str, game: str | None) -> Game:
    """The game of a range of deals, or of a file (which must exist): the one asked for, or the one in its name."""
    from dealmill.pipeline.ingest import game_of_file

    if is_deal_range(name):
        return parse_deal_range(name).game
    named = find_game(game) if game else None
    check_file(name)
    return named or game_of_file(name)


def tell_source(store: "Database", source: "Source", say: Callable[[str], None]) -> None:
    """Say what a source holds, and what was wrong with the first of its rejects."""
    from dealmill.pipeline.store.sources import rejects_of

    say(
        f"source {source.id}: {source.name} ({source.game}): {counted(source.accepted, 'layout')}, "
        f"{counted(source.duplicates, 'duplicate')}, {source.rejected:,} rejected"
    )
    if not source.rejected:
        return
    for reject in islice(rejects_of(store, source.id), SHOWN):
        say(f"  {source.name}, line {reject.line}: {'; '.join(reject.reasons)}")
    if source.rejected > SHOWN:
        say(f"  … {source.rejected - SHOWN:,} more: dealmill query --source {source.id} --rejected")
    if not source.accepted:
        say(f"  none of it is a layout of {source.game}: is it a file of another game? (--game)")


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, required=True)
@game_option
@click.pass_context
def ingest(ctx: click.Context, files: tuple[str, ...], game: str | None) -> None:
    """Read layouts into the store, each validated; duplicates are kept and counted.

    FILE is a text file in the format of its game's statement or with one canonical layout a line, plain or gzipped,
    `-` for standard input, or a range of numbered deals such as deal:camelot:seed=1:1-1000. Bad layouts are kept as
    rejects with their line and all reasons (exit code 4); the rest goes on. A file that broke off goes on where it
    was.
    """
    store = open_configured_store()
    with readings(store, files, game) as found, progress_bar("reading") as bar:
        for reading in found:
            read_to_the_end(store, reading, bar)
    if any(reading.source.rejected for reading in found):
        ctx.exit(REJECTED)


@click.command()
@click.argument("game")
@click.option("--count", type=click.IntRange(1), required=True, help="How many deals.")
@click.option("--seed", type=int, required=True, help="Which series of deals, 0 to 2⁶⁴ − 1.")
@click.option("--first", type=int, default=1, show_default=True, help="The number of the first deal.")
@parameters_option
def deal(game: str, count: int, seed: int, first: int, given: tuple[str, ...]) -> None:
    """Print numbered deals, one canonical layout a line.

    Deal number k of seed s is the same on every machine and is reached without dealing those before it.
    """
    deals = DealRange(find_game(game), seed, first, first + count - 1, given_parameters(given))
    for start in range(0, count, BLOCK):
        block = deals.starting(first + start, min(BLOCK, count - start))
        click.echo("\n".join(layout.text for layout in block))


def given_parameters(given: Sequence[str]) -> dict[str, int]:
    """What `parameters_option` was given."""
    parameters = {}
    for text in given:
        name, _, number = text.partition("=")
        if not (number.isascii() and number.isdigit() and len(number) < 10):
            raise NotFoundError(f"--param takes NAME=NUMBER, not {text!r}")
        parameters[name] = int(number)
    return parameters
