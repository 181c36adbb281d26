"""The outermost layer of the application: the access token, and the headers of every response; and the warnings of rows
that lists leave out, collected for each request by itself.

Addresses beyond this machine are served only with a token, because the pages show everything in the store.
"""

import base64
import binascii
import ipaddress
import re
import secrets
import warnings
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dealmill import DamagedError, DamagedWarning, UsageError
from dealmill.pipeline.printable import printable

_messages: ContextVar[list[str] | None] = ContextVar("damaged", default=None)
PYTHON_SHOWS = warnings.showwarning


def collect_damage() -> list[str]:
    """Return a list that receives the warnings of this request, also from threads that it starts."""
    messages: list[str] = []
    _messages.set(messages)
    return messages


def damage() -> list[str]:
    """Return the warnings of this request so far."""
    return _messages.get() or []


def report_damage() -> None:
    """Send each `DamagedWarning` to the request that caused it."""
    warnings.showwarning = _show  # type: ignore[assignment]
    warnings.simplefilter("always", DamagedWarning)


def _show(message: Warning | str, category: type[Warning], *where: Any) -> None:
    messages = _messages.get()
    if messages is None or not issubclass(category, DamagedWarning):
        PYTHON_SHOWS(message, category, *where)
    else:
        messages.append(str(message))


MAX_BYTES = 64 * 1024
"""The largest body of a request."""
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
WARNING = "Dealmill-Warning"
"""The header with the warnings of rows that a list leaves out, in ASCII with escapes."""
CHALLENGE = {"WWW-Authenticate": 'Basic realm="Dealmill", charset="UTF-8"'}
HEALTH = "/api/health"
"""The path that needs no token: it says only whether the store can be read."""
SHORTEST_TOKEN = 12
EMBEDDED = "this request comes from a page of another site\n"
MALFORMED_LENGTH = "the header Content-Length is not a number of bytes\n"
TOO_LONG = f"the body of a request has at most {MAX_BYTES:,} bytes\n"
TOKEN_MISSING = "the access token is missing or wrong: send it as the password, or as Authorization: Bearer TOKEN\n"  # noqa: S105


def check_address(host: str, token: str | None) -> None:
    """Check that an address of this machine only, or a token, protects the store.

    Raises
    ------
    UsageError
        If other machines could read the store without a token, or with one that is easy to guess.
    """
    if is_loopback(host):
        return
    if token is None:
        raise UsageError(f"other machines could read the store at {host}: set DEALMILL_WEB_TOKEN, or use 127.0.0.1")
    if len(token.strip()) < SHORTEST_TOKEN:
        raise UsageError(
            f"DEALMILL_WEB_TOKEN is too easy to guess: use at least {SHORTEST_TOKEN} characters, such as those printed "
            "by: openssl rand -hex 24"
        )


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Gate:
    """Middleware that refuses requests without the token, those that pages of other sites cause, except for links, and
    those that announce a body that no page takes. It adds `HEADERS` and, if rows are left out, `WARNING`, and answers
    HEAD as GET; the server leaves out the body."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers.setdefault("Cache-Control", "no-cache")
                if messages := damage():
                    headers[WARNING] = printable("; ".join(messages)).encode("ascii", "backslashreplace").decode()
            await send(message)

        collect_damage()
        app, headers = self._app, Headers(scope=scope)
        if self._token is not None and scope["path"] != HEALTH and not _has_token(headers, self._token):
            app = PlainTextResponse(TOKEN_MISSING, 401, CHALLENGE)
        elif headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            app = PlainTextResponse(EMBEDDED, 403)
        elif (length := headers.get("content-length")) is not None:
            app = _refused_length(length) or app
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        try:
            await app({**scope, "method": method}, receive, send_with_headers)
        except RuntimeError as error:
            if not isinstance(error.__cause__, DamagedError):  # of a download: the server ends the connection
                raise


def _refused_length(length: str) -> PlainTextResponse | None:
    """Return the answer to a request with this Content-Length if its body cannot be taken, also by routes that read
    none: middleware would count it there when the answer has begun."""
    if not re.fullmatch(r"\d{1,18}", length, re.ASCII):  # 64 bits
        return PlainTextResponse(MALFORMED_LENGTH, 400)
    return PlainTextResponse(TOO_LONG, 413) if int(length) > MAX_BYTES else None


def _has_token(headers: Headers, token: str) -> bool:
    """Return whether the token is sent as a Bearer token, or as the password of Basic authentication (RFC 7617)."""
    kind, _, value = headers.get("authorization", "").partition(" ")
    sent = value.encode("latin-1")  # the bytes that were sent
    if kind.lower() == "basic":
        try:
            sent = base64.b64decode(sent, validate=True).partition(b":")[2]
        except binascii.Error:
            return False
    elif kind.lower() != "bearer":
        return False
    return secrets.compare_digest(sent, token.encode())
