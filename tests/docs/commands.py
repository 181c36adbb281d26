"""The page of all commands, from their own help texts."""

from collections.abc import Iterator
from pathlib import Path

import click

from pipeline.cli import dealmill

PAGE = Path(__file__).parent.parent.parent / "docs" / "commands.md"
WIDTH = 100


def page() -> str:
    """The page as it should be; `make docs` writes it."""
    parts = ["# Commands\n\nWhat `--help` says of each, written by `make docs`.\n"]
    parts += [f"## {' '.join(names)}\n\n```\n{text}\n```\n" for names, text in _helps(dealmill, ("dealmill",))]
    return "\n".join(parts)


def _helps(command: click.Command, names: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    context = click.Context(command, info_name=" ".join(names), max_content_width=WIDTH, terminal_width=WIDTH)
    yield names, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _helps(below, (*names, name))
