"""``pause``, ``resume``, ``cancel`` and ``tag``: control and label runs."""

from collections.abc import Sequence

import click

import dealmill
from dealmill.cli.options import complete_run
from dealmill.cli.output import json_option, tell, write_json
from dealmill.cli.status import status_rows

runs_argument = click.argument("runs", metavar="RUN…", nargs=-1, required=True, shell_complete=complete_run)


@click.command()
@runs_argument
@json_option
def pause(runs: tuple[str, ...], as_json: bool) -> None:
    """Pause each RUN (its number, or `last`) until `dealmill resume RUN`.

    Jobs that workers hold are still finished, no others are begun, and everything solved stays. `run`, `rerun` and
    `survey` stop waiting for a paused run, with exit code 1. It has no fingerprint, even if everything is solved.
    """
    with dealmill.open() as store:
        _tell(store, store.pause(*runs), as_json)


@click.command()
@runs_argument
@json_option
def cancel(runs: tuple[str, ...], as_json: bool) -> None:
    """Cancel each RUN (its number, or `last`): its remaining layouts are not solved.

    What is solved stays. This is the same as a pause that nobody expects to end: `work --drain` does not mention it,
    but `dealmill resume RUN` continues it.
    """
    with dealmill.open() as store:
        _tell(store, store.cancel(*runs), as_json)


@click.command()
@runs_argument
@json_option
def resume(runs: tuple[str, ...], as_json: bool) -> None:
    """Continue each RUN (its number, or `last`) after `pause` or `cancel`.

    Running workers begin its jobs at once. If there are none, repeat the command that solved it, or start `dealmill
    work`.
    """
    with dealmill.open() as store:
        _tell(store, store.resume(*runs), as_json)


def _tell(store: "dealmill.Store", runs: Sequence["dealmill.Run"], as_json: bool) -> None:
    """Tell the new state of runs."""
    for run in runs:
        state = "finished" if run.progress.finished else run.progress.control.word
        tell(f"run {run.id} is {state}: {run.progress.solved:,} of {run.progress.items:,} solved")
    if as_json:
        write_json(status_rows(store, runs))


@click.command()
@click.argument("run", shell_complete=complete_run)
@click.argument("words", metavar="[WORD]…", nargs=-1)
@click.option("--remove", is_flag=True, help="Remove these tags instead.")
@click.option("--note", metavar="TEXT", help="Set the note of the run; an empty TEXT removes it.")
@json_option
def tag(run: str, words: tuple[str, ...], remove: bool, note: str | None, as_json: bool) -> None:
    """Add tags to RUN (its number, or `last`), or remove them, and print its tags.

    `dealmill status --tag WORD` lists the runs with a tag, and `--note TEXT` those with a text in their note. Tags and
    notes are no part of the fingerprint of a run and of its seal, but the log has every change.
    """
    with dealmill.open() as store:
        tagged = store.find_run(run)
        if words:
            (tagged.untag if remove else tagged.tag)(*words)
        if note is not None:
            tagged.annotate(note)
        if as_json:
            write_json(status_rows(store, [tagged])[0])
        elif tagged.tags:
            click.echo(" ".join(tagged.tags))
        else:
            tell(f"run {tagged.id} has no tags")
