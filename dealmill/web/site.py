"""What all pages share: the store, the templates, conditional responses, and pages that are made once for many tabs,
because each of them polls."""

from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, datetime
from hashlib import blake2b
from importlib.resources import files
from threading import Lock
from time import monotonic
from typing import Annotated, Any

from fastapi import Depends, Path, Request
from fastapi.responses import Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from pydantic import BeforeValidator
from pydantic_core import PydanticKnownError

import dealmill
from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.descriptions import Engine
from dealmill.pipeline.games.names import with_known_name
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import counted, decimal, duration, percentage, printable
from dealmill.pipeline.results import charts
from dealmill.pipeline.results.measures import numbers_in_words
from dealmill.web.safety import damage

SECONDS = 1.0
"""How long a page is given to other tabs, counted from the request for which it is made."""


class Shared:
    """The pages that were begun less than `SECONDS` ago, by URL."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._pages: dict[str, tuple[float, Future[bytes]]] = {}

    def get(self, url: str, make: Callable[[], bytes]) -> bytes:
        """Return the page that another thread has made or is making, or make it. An error is shared like a page."""
        now = monotonic()
        with self._lock:
            self._pages = {key: known for key, known in self._pages.items() if now < known[0] + SECONDS}
            ours = url not in self._pages
            _, page = self._pages.setdefault(url, (now, Future[bytes]()))
        if ours:
            try:
                page.set_result(make())
            except BaseException as error:  # noqa: BLE001 -- raised below, in each thread that waits
                page.set_exception(error)
        return page.result()


MAX_NUMBER = 10**9 - 1
"""The largest number of a run in a URL."""
MAX_POSITION = 2**63 - 2
"""The largest position."""


def _store(request: Request) -> dealmill.Store:
    store: dealmill.Store = request.app.state.store
    return store


_fingerprints: dict[tuple[dealmill.Run, int], str] = {}
"""The fingerprints of finished runs, by run and number of items."""


def _digits(value: object) -> object:
    """Refuse the other spellings that Pydantic accepts, such as ``1_0`` and ``10.0``."""
    if isinstance(value, str) and not (value.isascii() and value.isdigit()):
        raise PydanticKnownError("int_parsing")
    return value


Digits = BeforeValidator(_digits)
"""The spelling of every integer in a URL: ASCII digits."""
OpenStore = Annotated[dealmill.Store, Depends(_store)]
Position = Annotated[int, Path(ge=1, le=MAX_POSITION, description="The position in the run, from 1."), Digits]
RunNumber = Annotated[int, Path(ge=1, le=MAX_NUMBER, description="The number of the run."), Digits]


def page(request: Request, template: str, *, code: int = 200, **context: Any) -> Response:
    """Render a page. The response is empty (304) if the browser has the same page already."""
    return conditional(request, _rendered(request, template, code, context), code=code)


def shared_page(request: Request, template: str, context: Callable[[], dict[str, Any]]) -> Response:
    """Render a page that browsers poll; tabs that ask for it at about the same time get the same one."""
    shared: Shared = request.app.state.shared
    body = shared.get(str(request.url), lambda: _rendered(request, template, 200, context()))
    return conditional(request, body)


def _rendered(request: Request, template: str, code: int, context: dict[str, Any]) -> bytes:
    return TEMPLATES.get_template(template).render(request=request, code=code, damage=damage(), **context).encode()


def conditional(
    request: Request, body: bytes, media_type: str = "text/html; charset=utf-8", code: int = 200
) -> Response:
    """Return a response that is empty (304) if the browser has the same body already."""
    etag = f'"{blake2b(body, digest_size=16).hexdigest()}"'
    known = request.headers.get("if-none-match", "").split(",")
    if code == 200 and etag in (tag.strip().removeprefix("W/") for tag in known):  # a proxy may have weakened it
        return Response(status_code=304, headers={"ETag": etag})
    return Response(body, code, {"ETag": etag}, media_type)


def fingerprint_of(run: dealmill.Run) -> str | None:
    """Return the fingerprint of a run. It is computed once, because a finished run never changes."""
    key = (run, run.progress.items)
    if run.progress.finished and key not in _fingerprints and (fingerprint := run.fingerprint):
        _fingerprints[key] = fingerprint
    return _fingerprints.get(key)


def engine_of(run: dealmill.RunStatus) -> Engine | None:
    """Return the engine of a run; None if it is not installed here."""
    try:
        return find_engine(run.referee_engine)[1]
    except dealmill.DealmillError:
        return None


def mean_text(mean: float, run: dealmill.RunStatus) -> str:
    """Return a mean of values of a run, with their unit if its engine is installed here."""
    engine = engine_of(run)
    return engine.words_of_mean(mean) if engine else decimal(mean)


def number(value: float | None) -> str:
    """Return an integer with separators; a dash if there is none."""
    return "–" if value is None else f"{value:,.0f}"


def share(part: float, whole: float) -> str:
    """Return a percentage; a dash if there is nothing of which it is one."""
    return percentage(part / whole) if whole else "–"


def moment(time: datetime) -> str:
    """Return a time as local time of the server, with the zone, and without the day if that is today."""
    at = time.astimezone()
    today = at.date() == datetime.now(UTC).astimezone().date()
    return f"{at:%H:%M:%S %Z}" if today else stamp(time)


def stamp(time: datetime) -> str:
    """Return a time as local time of the server, with the day and the zone."""
    return f"{time.astimezone():%Y-%m-%d %H:%M:%S %Z}"


def notation(text: str) -> Markup:
    """Return a text with the parts between backticks in code font."""
    parts = text.split("`")
    return Markup().join(
        Markup("<code>{}</code>").format(part) if index % 2 else part for index, part in enumerate(parts)
    )


def _printable_text(value: object) -> object:
    """Return a value as text with visible control characters, as on the command line. Markup and charts are left as
    they are."""
    return value if hasattr(value, "__html__") else printable(str(value))


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(str(files("dealmill.web") / "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        number=number,
        decimal=decimal,
        percentage=percentage,
        moment=moment,
        stamp=stamp,
        duration=duration,
        notation=notation,
        mean_text=mean_text,
        known=with_known_name,
    )
    environment.globals.update(
        share=share,
        engine_of=engine_of,
        counted=counted,
        numbers_in_words=numbers_in_words,
        fingerprint_of=fingerprint_of,
        charts=charts,
        Verdict=Verdict,
    )
    return environment


TEMPLATES = _environment()
