"""``doctor``: whether all that Dealmill needs is here, and what to do if it is not."""

import click

import dealmill
from dealmill.cli.exits import ERROR
from dealmill.cli.output import output_options, write_rows


@click.command()
@output_options
@click.pass_context
def doctor(ctx: click.Context, form: str | None) -> None:
    """Check database, broker, versions, clock, compiled engines and disk, and say what to do.

    Nothing is changed. Exit code 1 if something is wrong.
    """
    checks = dealmill.doctor()
    rows = [{"check": check.name, "state": "ok" if check.passed else "wrong", "found": check.found} for check in checks]
    write_rows(["check", "state", "found"], rows, form)
    if not all(check.passed for check in checks):
        ctx.exit(ERROR)
