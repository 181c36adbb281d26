"""``pause``, ``resume``, ``cancel`` and ``tag``: control and label runs."""

from collections.abc import Callable
from typing import Unpack

import click

import dealmill
from dealmill.cli.options import ChosenRuns, chosen_options, complete_run, runs_argument
from dealmill.cli.output import json_option, tell, write_json, write_line
from dealmill.cli.status import status_rows


@click.command()
@runs_argument
@chosen_options
@json_option
def pause(runs: tuple[str, ...], as_json: bool, **chosen: Unpack[ChosenRuns]) -> None:
    """Pause each RUN (a number, a range such as 3-7, `last` or `all`) until `dealmill resume RUN`.

    Jobs that workers hold are still finished, no others are begun, and everything solved stays. `run`, `rerun` and
    `survey` stop waiting for a paused run, with exit code 1. It has no fingerprint, even if everything is solved.
    Of several runs, finished ones are left as they are.
    """
    _control(dealmill.RunList.pause, runs, as_json, chosen)


@click.command()
@runs_argument
@chosen_options
@json_option
def cancel(runs: tuple[str, ...], as_json: bool, **chosen: Unpack[ChosenRuns]) -> None:
    """Cancel each RUN (a number, a range such as 3-7, `last` or `all`): its remaining layouts are not solved.

    What is solved stays. `dealmill resume RUN` continues the run. The only difference from `pause` is that
    `work --drain` does not report it.
    """
    _control(dealmill.RunList.cancel, runs, as_json, chosen)


@click.command()
@runs_argument
@chosen_options
@json_option
def resume(runs: tuple[str, ...], as_json: bool, **chosen: Unpack[ChosenRuns]) -> None:
    """Continue each RUN (a number, a range such as 3-7, `last` or `all`) after `pause` or `cancel`.

    Running workers begin its jobs at once. If there are none, repeat the command that solved it, or start `dealmill
    work`.
    """
    _control(dealmill.RunList.resume, runs, as_json, chosen)


def _control(
    control: Callable[["dealmill.RunList"], object], runs: tuple[str, ...], as_json: bool, chosen: ChosenRuns
) -> None:
    """Control runs, and tell their new state."""
    with dealmill.open() as store:
        selected = store.select(*runs, **chosen)
        control(selected)
        for run in selected:
            state = "finished" if run.progress.finished else run.progress.control.word
            tell(f"run {run.id} is {state}: {run.progress.solved:,} of {run.progress.items:,} solved")
        if as_json:
            write_json(status_rows(store, selected))


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
    as_json: bool,
    **chosen: Unpack[ChosenRuns],
) -> None:
    """Add tags to RUN (a number, a range such as 3-7, `last` or `all`), or remove them, and print its tags.

    Several runs are separated by commas, as in 2,5-7. `dealmill status --tag WORD` lists the runs with a tag, and
    `--note TEXT` those with a text in their note. Tags and notes are not part of the fingerprint of a run or of
    its seal, but the log has every change.
    """
    with dealmill.open() as store:
        selected = store.select(runs, **chosen)
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
