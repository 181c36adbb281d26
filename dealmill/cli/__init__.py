"""The command line: commands that render what the API returns, one file per group of commands."""

import atexit
import errno
import gc
import sys
from importlib import import_module
from io import StringIO

import click

from dealmill.cli.exits import DIFFERENT, DONE, ERROR, INTERRUPTED, REJECTED, exit_code
from dealmill.cli.interrupt import heed_signals
from dealmill.cli.streams import replace_closed_streams
from dealmill.cli.warned import Warned
from dealmill.pipeline.errors import DealmillError, WorkerError
from dealmill.pipeline.printable import printable

COMMANDS = {
    "run": "run",
    "ingest": "run",
    "deal": "deal",
    "queue": "run",
    "work": "run",
    "status": "status",
    "query": "query",
    "show": "show",
    "audit": "audit",
    "rerun": "diff",
    "diff": "diff",
    "export": "export",
    "survey": "survey",
    "retract": "retract",
    "log": "retract",
    "answer": "answer",
    "games": "games",
    "db": "db",
    "doctor": "doctor",
}
"""Every command and the module it stands in, in the order of the help text; loaded only when it is needed."""

NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Commands(click.Group):
    """The commands, each loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order in which a newcomer meets them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"{__name__}.{COMMANDS[cmd_name]}"), cmd_name)
        return command


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dealmill", prog_name="dealmill", message="%(prog)s %(version)s")
def dealmill() -> None:
    """Solve piles of solitaire and puzzle layouts, and keep answers that anyone can check.

    The main job is `dealmill run FILE…`. Settings are environment variables DEALMILL_DATABASE_URL,
    DEALMILL_BROKER_URL, DEALMILL_WORKERS, DEALMILL_LEASE_SECONDS, DEALMILL_METRICS_PORT, DEALMILL_METRICS_HOST and
    DEALMILL_LOG_FORMAT, also from a file .env.

    Exit codes: 0 done, 1 an error, 2 wrong usage, 3 an audit or a comparison found a difference, or the record is
    damaged, 4 done but some input was rejected, 130 interrupted.
    """


def main() -> None:
    """The entry point."""
    gc.set_threshold(10_000)  # with Python's default of 700, collections take a sixth of the time that imports take
    atexit.register(gc.freeze)  # to look for garbage in what ends anyway takes up to a third of a short command
    heed_signals()
    replace_closed_streams()
    warned = Warned()
    try:
        status = dealmill.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        click.echo("dealmill: interrupted", err=True)
        status = INTERRUPTED
    except click.ClickException as error:
        shown = StringIO()
        error.show(file=shown)
        click.echo("\n".join(map(printable, shown.getvalue().split("\n"))), nl=False, err=True)
        status = error.exit_code
    except DealmillError as error:
        for line in f"dealmill: {error}".split("\n") if isinstance(error, WorkerError) else [f"dealmill: {error}"]:
            click.echo(printable(line), err=True)
        status = exit_code(error)
    except BrokenPipeError:
        sys.stderr.close()
        status = ERROR
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        click.echo(f"dealmill: what was asked for cannot be written: {error.strerror or error}", err=True)
        sys.stdout = StringIO()  # where Python has nothing left to write at the end
        status = ERROR
    if warned.damaged:
        warned.tell_rest()
        status = status if status not in {None, DONE, REJECTED} else DIFFERENT
    sys.exit(status if isinstance(status, int) else 0)
