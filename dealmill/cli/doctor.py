"""``doctor``: check the installation and suggest fixes."""

import click

import dealmill
from dealmill.cli.exits import ERROR
from dealmill.cli.output import output_options, write_rows


@click.command()
@output_options
@click.pass_context
def doctor(ctx: click.Context, form: str | None) -> None:
    """Check the installation; each failed check suggests a fix.

    The checks cover versions, games, engines, programs, compiled kernels, database, tables, clock, disk and broker.
    Nothing is changed; each engine that is a program is started once. The exit code is 1 if a check fails.
    """
    checks = dealmill.doctor()
    rows = [
        {"check": check.name, "state": "ok" if check.passed else "failed", "found": check.found} for check in checks
    ]
    write_rows(["check", "state", "found"], rows, form)
    if not all(check.passed for check in checks):
        ctx.exit(ERROR)
