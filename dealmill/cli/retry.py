"""``retry``: try again what failed because of the machine."""

import click

import dealmill
from dealmill.cli.completion import complete_run
from dealmill.cli.output import counted, json_option, tell, write_json
from dealmill.cli.progress import shown
from dealmill.cli.status import status_row


@click.command()
@click.argument("run", shell_complete=complete_run)
@json_option
def retry(run: str, as_json: bool) -> None:
    """Try again the layouts of RUN (its number, or `last`) on which a program failed because of the machine.

    These are layouts that took too much time or memory, or on which the program died. Their verdict is `failed`, with
    an error that begins with "retryable:", and their run has no fingerprint. Jobs with such layouts are solved again.
    To give them more time or memory, change `seconds` and `memory` in the manifest of the program first.
    """
    with dealmill.open() as store:
        with shown(store) as progress:
            tried = store.find_run(run).retry(progress=progress)
        [overview] = store.status(run)
        if tried:
            failed = overview.run.counts.get(dealmill.Verdict.FAILED, 0)
            tell(f"run {overview.run.id}: tried {counted(tried, 'layout')} again; the run now has {failed:,} failed")
        else:
            tell(f"run {overview.run.id} has no layouts to try again")
        if as_json:
            write_json(status_row(overview))
