"""Shell completion: games, engines, and the runs and sources of the store.

Completion must not disturb the command line that is being typed: it creates no store, and prints no errors and no
warnings.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import click
from click.shell_completion import CompletionItem

import dealmill
from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.printable import printable

Choice = tuple[str, str]
"""A word and its help text."""

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def _completing(choices: Callable[[], Iterable[Choice]]) -> Complete:
    """Return the callback of a parameter that offers the choices starting with what was typed."""

    def complete(_ctx: click.Context, _param: click.Parameter, typed: str) -> list[CompletionItem]:
        found = list[Choice]()
        with warnings.catch_warnings(action="ignore"), suppress(DealmillError):
            found.extend(choices())
        return [CompletionItem(word, help=printable(meaning)) for word, meaning in found if word.startswith(typed)]

    return complete


def _games() -> Iterator[Choice]:
    for game in dealmill.games().values():
        yield game.name, game.title


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


complete_game = _completing(_games)
complete_engine = _completing(_engines)
complete_run = _completing(_runs)
complete_source = _completing(_sources)
