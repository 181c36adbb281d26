"""``pause``, ``resume``, ``cancel`` and ``tag``: control and label runs."""

from collections.abc import Sequence

import click

import dealmill
from dealmill.cli.options import chosen_options, complete_run, runs_argument
from dealmill.cli.output import json_option, tell, write_json, write_line
from dealmill.cli.status import status_rows


@click.command()
@runs_argument
@chosen_options
@json_option
def pause(runs: tuple[str, ...], tags: tuple[str, ...], game: str | None, engine: str | None, as_json: bool) -> None:
    """Pause each RUN (a number, a range such as 3-7, `last` or `all`) until `dealmill resume RUN`.

    Jobs that workers hold are still finished, no others are begun, and everything solved stays. `run`, `rerun` and
    `survey` stop waiting for a paused run, with exit code 1. It has no fingerprint, even if everything is solved.
    Of several runs, finished ones are left as they are.
    """
    with dealmill.open() as store:
        selected = store.select(*runs, tags=tags, game=game, engine=engine)
        selected.pause()
        _tell(store, selected, as_json)


@click.command()
@runs_argument
@chosen_options
@json_option
def cancel(runs: tuple[str, ...], tags: tuple[str, ...], game: str | None, engine: str | None, as_json: bool) -> None:
    """Cancel each RUN (a number, a range such as 3-7, `last` or `all`): its remaining layouts are not solved.

    What is solved stays. `dealmill resume RUN` continues the run. The only difference from `pause` is that
    `work --drain` does not report it.
    """
    with dealmill.open() as store:
        selected = store.select(*runs, tags=tags, game=game, engine=engine)
        selected.cancel()
        _tell(store, selected, as_json)


@click.command()
@runs_argument
@chosen_options
@json_option
def resume(runs: tuple[str, ...], tags: tuple[str, ...], game: str | None, engine: str | None, as_json: bool) -> None:
    """Continue each RUN (a number, a range such as 3-7, `last` or `all`) after `pause` or `cancel`.

    Running workers begin its jobs at once. If there are none, repeat the command that solved it, or start `dealmill
    work`.
    """
    with dealmill.open() as store:
        selected = store.select(*runs, tags=tags, game=game, engine=engine)
        selected.resume()
        _tell(store, selected, as_json)


def _tell(store: "dealmill.Store", runs: Sequence["dealmill.Run"], as_json: bool) -> None:
    """Tell the new state of runs."""
    for run in runs:
        state = "finished" if run.progress.finished else run.progress.control.word
        tell(f"run {run.id} is {state}: {run.progress.solved:,} of {run.progress.items:,} solved")
    if as_json:
        write_json(status_rows(store, runs))


@click.command()
@click.argument("runs", metavar="RUN", shell_complete=complete_run)
@click.argument("words", metavar="[WORD]…", nargs=-1)
@click.option("--remove", is_flag=True, help="Remove these tags instead.")
@click.option("--note", metavar="TEXT", help="Set the note of the run; an empty TEXT removes it.")
@chosen_options
@json_option
def tag(
    runs: str,
    words: tuple[str, ...],
    remove: bool,
    note: str | None,
    tags: tuple[str, ...],
    game: str | None,
    engine: str | None,
    as_json: bool,
) -> None:
    """Add tags to RUN (a number, a range such as 3-7, `last` or `all`), or remove them, and print its tags.

    Several runs are separated by commas, as in 2,5-7. `dealmill status --tag WORD` lists the runs with a tag, and
    `--note TEXT` those with a text in their note. Tags and notes are not part of the fingerprint of a run or of
    its seal, but the log has every change.
    """
    with dealmill.open() as store:
        selected = store.select(runs, tags=tags, game=game, engine=engine)
        if words and remove:
            selected.untag(*words)
        elif words:
            selected.tag(*words)
        if note is not None:
            selected.annotate(note)
        if as_json:
            write_json(status_rows(store, selected))
            return
        for run in selected:
            write_line(_tags_of(run))


def _tags_of(run: "dealmill.Run") -> str:
    return f"run {run.id}: {' '.join(run.tags) or 'no tags'}"
