"""``web``: serve read-only pages over the store."""

from contextlib import suppress

import click

import dealmill
from dealmill.cli.output import tell
from dealmill.pipeline.extras import check_extra

STATEMENT_SECONDS = 10.0
"""The most seconds of a query: far more than any page needs, also on a busy machine, and short enough to wait for."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8000, show_default=True, help="The port; 0 for any.")
def web(host: str, port: int) -> None:
    """Serve read-only pages and a JSON API over the store, until Ctrl-C.

    Other machines are served only if DEALMILL_WEB_TOKEN is set; browsers ask for it as a password. DEALMILL_WEB_HOSTS
    lists the host names by which the pages may be asked for, separated by commas.
    """
    check_extra("web")
    from dealmill.web.serving import serve

    with (
        dealmill.open(read_only=True, statement_seconds=STATEMENT_SECONDS) as store,
        suppress(KeyboardInterrupt),
    ):  # the normal end
        serve(store, host, port, tell)
