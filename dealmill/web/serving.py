"""Serve the application with uvicorn."""

import socket
from collections.abc import Callable, Sequence
from pathlib import Path

import uvicorn

import dealmill
from dealmill.pipeline.system.settings import settings
from dealmill.web.app import application
from dealmill.web.deals import Packs
from dealmill.web.safety import check_address

LOOPBACK = ("127.0.0.1", "[::1]", "localhost")
STATEMENT_SECONDS = 10.0
"""The most seconds of a query: far more than any page needs, also on a busy machine, and short enough to wait for."""


def open_store() -> dealmill.Store:
    """Open the store for pages: as their own database user, if the settings name one."""
    return dealmill.open(settings().web_database_url, read_only=True, statement_seconds=STATEMENT_SECONDS)


def serve(
    store: dealmill.Store, host: str, port: int, tell: Callable[[str], object], packs: Sequence[Path] = ()
) -> None:
    """Serve the pages over a store, and deals of the packs in some files, until a KeyboardInterrupt; `tell` receives
    their address."""
    chosen = settings()
    token = chosen.web_token
    check_address(host, token)
    hosts = [name.strip() for name in chosen.web_hosts.split(",") if name.strip()]
    shown = f"[{host}]" if ":" in host else host
    app = application(store, hosts=[shown, *LOOPBACK, *hosts], token=token, packs=Packs.read(packs))
    listening = _listen(host, port)
    tell(f"http://{shown}:{listening.getsockname()[1]}/ serves {store}; stop it with Ctrl-C")
    config = uvicorn.Config(app, log_level="warning", server_header=False, proxy_headers=False, limit_concurrency=200)
    for process in (app.state.judge, app.state.drawer, app.state.paste_solver):
        process.start()
    try:
        uvicorn.Server(config).run(sockets=[listening])
    finally:
        for process in app.state.processes:
            process.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise dealmill.UsageError(f"cannot listen on {host}, port {port}: {error.strerror}") from error
