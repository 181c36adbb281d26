"""The command line. Commands render what the API returns; one file per group of commands."""

import atexit
import errno
import gc
import sys
from importlib import import_module
from io import StringIO

import click

from dealmill.cli.process import (
    DIFFERENT,
    DONE,
    ERROR,
    INTERRUPTED,
    REJECTED,
    Warned,
    exit_code,
    handle_signals,
    replace_closed_streams,
)
from dealmill.pipeline.errors import DealmillError, WorkerError
from dealmill.pipeline.printable import printable

COMMANDS = {
    "run": "run",
    "ingest": "run",
    "deal": "games",
    "queue": "run",
    "work": "run",
    "status": "status",
    "query": "query",
    "find": "query",
    "show": "show",
    "audit": "check",
    "rerun": "check",
    "diff": "check",
    "retry": "run",
    "export": "query",
    "survey": "run",
    "retract": "check",
    "log": "check",
    "answer": "games",
    "games": "games",
    "check-game": "games",
    "web": "operate",
    "db": "operate",
    "doctor": "operate",
}
"""Maps each command to its module, in the order of the help text. Modules are imported on demand."""

DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
FILES_OPEN = {errno.EMFILE, errno.ENFILE}


class Commands(click.Group):
    """A group whose commands are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help text."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it, or None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"{__name__}.{COMMANDS[cmd_name]}"), cmd_name.replace("-", "_"))
        return command


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dealmill", prog_name="dealmill", message="%(prog)s %(version)s")
def dealmill() -> None:
    """Solve large batches of solitaire and puzzle layouts and store verdicts that anyone can verify.

    Start with `dealmill run FILE…`. Settings are read from the environment and from a file .env:
    DEALMILL_DATABASE_URL, DEALMILL_BROKER_URL, DEALMILL_ENGINES, DEALMILL_PLUGINS, DEALMILL_WORKERS,
    DEALMILL_LEASE_SECONDS, DEALMILL_METRICS_PORT, DEALMILL_METRICS_HOST, DEALMILL_LOG_FORMAT, DEALMILL_WEB_TOKEN and
    DEALMILL_WEB_HOSTS.

    Exit codes: 0 success, 1 error, 2 usage error, 3 an audit or diff found a difference or a stored row is damaged,
    4 success but some input was rejected, 130 interrupted.
    """


def main() -> None:
    """Run the command line and exit with its exit code."""
    gc.set_threshold(10_000)  # Python's default of 700 spends a sixth of the import time on collections
    atexit.register(gc.freeze)  # a last collection takes up to a third of a short command
    handle_signals()
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
        if error.errno in FILES_OPEN:
            click.echo("dealmill: too many files are open; allow more, for example with: ulimit -n 1024", err=True)
        elif error.errno in DISK_FULL:
            click.echo(f"dealmill: cannot write the output: {error.strerror or error}", err=True)
        else:
            raise
        sys.stdout = StringIO()  # else Python fails again when it flushes the old one at exit
        status = ERROR
    if warned.damaged:
        warned.tell_rest()
        status = status if status not in {None, DONE, REJECTED} else DIFFERENT
    sys.exit(status if isinstance(status, int) else 0)
