"""The page of all commands, from their own help texts."""

from collections.abc import Iterator
from pathlib import Path

import click

from dealmill.cli import dealmill

PAGE = Path(__file__).parent.parent.parent / "docs" / "commands.md"
WIDTH = 100


def page() -> str:
    """The page as it should be; `make docs` writes it."""
    parts = ["# Commands\n\nWhat `--help` says of each, written by `make docs`.\n"]
    whole = click.Context(dealmill, info_name="dealmill", terminal_width=WIDTH, **dealmill.context_settings)
    parts += [f"## {name}\n\n```\n{text}\n```\n" for name, text in _helps(whole)]
    return "\n".join(parts)


def _helps(context: click.Context) -> Iterator[tuple[str, str]]:
    command = context.command
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _helps(click.Context(below, info_name=name, parent=context))
