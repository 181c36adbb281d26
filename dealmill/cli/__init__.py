"""The command line. Commands render what the API returns; one file per group of commands."""

import atexit
import errno
import gc
import re
import sys
from importlib import import_module
from io import StringIO
from keyword import iskeyword

import click

from dealmill.cli.process import (
    DIFFERENT,
    DONE,
    ERROR,
    INTERRUPTED,
    REJECTED,
    WarningPrinter,
    exit_code,
    handle_signals,
    lacks_memory,
    replace_streams,
)
from dealmill.pipeline.errors import DealmillError, WorkerError
from dealmill.pipeline.printable import printable
from dealmill.workers.children import allow_forks

GROUPS: dict[str, dict[str, str]] = {
    "Solve": {
        "run": "run",
        "ingest": "run",
        "import": "imports",
        "queue": "run",
        "work": "run",
        "retry": "run",
        "survey": "survey",
        "answer": "games",
        "deal": "games",
    },
    "Look at results": {
        "status": "status",
        "query": "query",
        "find": "query",
        "show": "show",
        "export": "export",
        "report": "export",
        "pack": "export",
        "archive": "archive",
    },
    "Check": {"audit": "check", "rerun": "diff", "diff": "diff", "retract": "check", "log": "check"},
    "Farm": dict.fromkeys(("pause", "resume", "cancel", "tag"), "controls"),
    "Store and pages": {"delete": "operate", "web": "operate", "db": "operate", "doctor": "operate"},
    "Games and engines": dict.fromkeys(("games", "check-game", "bench-engine", "new-game", "new-engine"), "games"),
}
"""The commands of each group with their modules, in the order of the help text. Modules are imported on demand."""
COMMANDS = {name: module for group in GROUPS.values() for name, module in group.items()}
GUESSES = {
    guess: command
    for command, guesses in {
        "dealmill status": "runs list ls jobs ps info stats progress",
        "dealmill status --sources": "sources files",
        "dealmill status --workers": "workers",
        "dealmill games": "engines solvers rules",
        "dealmill run FILE": "solve start exec",
        "dealmill ingest FILE": "add load read",
        "dealmill query RUN": "results verdicts",
        "dealmill diff RUN OTHER": "compare",
        "dealmill audit RUN": "verify validate check",
        "dealmill cancel RUN": "stop kill abort",
        "dealmill delete RUN": "rm remove",
        "dealmill log": "history",
        "dealmill web": "serve server ui",
        "dealmill db upgrade": "upgrade migrate",
        "dealmill db backup FILE": "backup",
        "dealmill db copy URL": "copy move",
        "dealmill doctor": "health diagnose",
        "dealmill --help": "help commands",
        "dealmill --version": "version",
        'eval "$(_DEALMILL_COMPLETE=bash_source dealmill)"': "completion completions",
    }.items()
    for guess in guesses.split()
}
"""The command that does what a word promises that is no command."""

DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
FILES_OPEN = {errno.EMFILE, errno.ENFILE}


SENTENCE = 1_000
"""More characters than the first sentence of any help text has."""


class Commands(click.Group):
    """A group whose commands are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help text."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command and return it, or None if there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_") + "_" * iskeyword(cmd_name)
        command: click.Command = getattr(import_module(f"{__name__}.{COMMANDS[cmd_name]}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments name.

        Raises
        ------
        UsageError
            If there is none; suggests similar ones.
        """
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            if args[0] in GUESSES:
                raise click.UsageError(f"there is no command {args[0]!r}; use: {GUESSES[args[0]]}")
            from difflib import get_close_matches  # slow to import

            similar = get_close_matches(args[0], COMMANDS)
            hint = f" (did you mean {' or '.join(similar)}?)" if similar else ""
            raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in groups, each with the first sentence of its help text."""
        for title, names in GROUPS.items():
            commands = ((name, self.get_command(ctx, name)) for name in names)
            with formatter.section(title):
                formatter.write_dl(
                    [(name, command.get_short_help_str(SENTENCE)) for name, command in commands if command]
                )


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dealmill", prog_name="dealmill", message="%(prog)s %(version)s")
def dealmill() -> None:
    """Solve large batches of solitaire and puzzle layouts and store verdicts that anyone can verify.

    Start with `dealmill run FILE…`, or with numbered deals: `dealmill run deal:klondike:seed=1:1-100`.

    Settings are read from the environment and from a file .env: DEALMILL_DATABASE_URL, DEALMILL_BROKER_URL,
    DEALMILL_USER, DEALMILL_ENGINES, DEALMILL_RULES, DEALMILL_PLUGINS, DEALMILL_WORKERS, DEALMILL_LEASE_SECONDS,
    DEALMILL_METRICS_PORT, DEALMILL_METRICS_HOST, DEALMILL_LOG_FORMAT, DEALMILL_WEB_DATABASE_URL, DEALMILL_WEB_TOKEN and
    DEALMILL_WEB_HOSTS.

    Exit codes: 0 success, 1 error, 2 usage error, 3 an audit or diff found a difference or a stored row is damaged,
    4 success but some input was rejected, or an audit could not prove everything, 130 interrupted.
    """


def _sentence(error: click.ClickException) -> str:
    """Return the message of an error in the form that all messages have: what is wrong, and what to do."""
    message = (
        error.format_message().rstrip(".").replace(". (", " (").replace("(Did you mean one of: ", "(did you mean ")
    )
    message = re.sub(r"\. Did you mean (.+\?)", r" (did you mean \1)", message)
    if message[1:2].islower():
        message = message[0].lower() + message[1:]
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    if isinstance(error, click.NoSuchOption) and ctx and _sets_parameter(ctx, error.option_name):
        name = error.option_name.removeprefix("--")
        message = f"no such option '--{name}'; set this parameter of the deals with --param {name}=N"
    return f"{message}; see: {ctx.command_path} --help" if ctx else message


def _sets_parameter(ctx: click.Context, option: str) -> bool:
    """Return whether the command deals layouts and an unknown option has the name of a parameter of some game."""
    if not any("--param" in parameter.opts for parameter in ctx.command.params):
        return False
    from dealmill.pipeline.games import games  # slow to import

    names = {name for game in games().values() for name in game.deals.parameters}
    return option.removeprefix("--") in names


def _report(error: Exception) -> int:
    """Print an error as a sentence, and return the exit code; raise an error that only a traceback explains."""
    lines = [str(error)]
    if lacks_memory(error):
        lines = ["there is not enough memory; if it is limited, allow more, for example with: ulimit -v unlimited"]
    elif isinstance(error, WorkerError):
        lines = str(error).split("\n")
    elif isinstance(error, OSError) and error.errno in FILES_OPEN:
        lines = ["too many files are open; allow more, for example with: ulimit -n 1024"]
    elif isinstance(error, OSError) and error.errno in DISK_FULL:
        lines = [f"cannot write the output: {error.strerror or error}"]
    elif not isinstance(error, DealmillError):
        raise error
    lines[0] = f"dealmill: {lines[0]}"
    from dealmill.cli.output import tell

    for line in lines:
        tell(line)
    if isinstance(error, DealmillError):
        return exit_code(error)
    sys.stdout = StringIO()  # else Python fails again when it flushes the old one at exit
    return ERROR


def main() -> None:
    """Run the command line and exit with its exit code."""
    gc.set_threshold(200_000)  # more than modules have: collections take a tenth of a short command
    atexit.register(gc.freeze)  # a last collection takes up to a third of a short command
    handle_signals()
    replace_streams()
    allow_forks()
    warned = WarningPrinter()
    try:
        status = dealmill.main(standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort as error:
        from dealmill.cli.output import tell

        tell("; ".join(["dealmill: interrupted", *error.args]))
        status = INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        status = error.exit_code
    except click.ClickException as error:
        click.echo(f"dealmill: {printable(_sentence(error))}", err=True)
        status = error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        status = ERROR
    except (DealmillError, OSError, ImportError, MemoryError) as error:
        status = _report(error)
    if warned.damaged:
        status = status if status not in {None, DONE, REJECTED} else DIFFERENT
    sys.exit(status if isinstance(status, int) else 0)
