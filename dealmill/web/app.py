"""The application: routes, errors and everything that protects it.

The store is opened read-only. Handlers are plain functions, which run in threads.
"""

import logging
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp

import dealmill
from dealmill.pipeline.errors import DamagedResults
from dealmill.pipeline.printable import printable
from dealmill.web import api, charts, compare, overview, play, results, runs
from dealmill.web.check import Drawer, Judge, PasteSolver
from dealmill.web.compare import Comparisons
from dealmill.web.deals import Packs
from dealmill.web.parameters import malformed, refuse_unknown
from dealmill.web.safety import MAX_BYTES, Gate, report_damage
from dealmill.web.searches import Searches
from dealmill.web.site import Shared, page

logger = logging.getLogger(__name__)

STATUS: dict[type[dealmill.DealmillError], int] = {
    dealmill.BadLayout: 400,
    dealmill.UsageError: 400,
    dealmill.NotFoundError: 404,
    dealmill.VersionError: 409,
    dealmill.UnfinishedError: 409,
    dealmill.RetractedError: 410,
    dealmill.DamagedError: 500,
    dealmill.DifferenceError: 500,
    dealmill.UnavailableError: 503,
    dealmill.StoreError: 503,
    dealmill.DealmillError: 500,
}
"""The HTTP status of an error: that of the first class in its list of base classes."""
NAMES_NO_STORE = (dealmill.DamagedError, dealmill.SlowQuery, dealmill.UnfinishedError)
"""The errors of a store whose messages do not name the host, the user and the options of its database."""
UNAVAILABLE = "the store is not available; the log of dealmill web says why"
NOT_FOUND, METHOD_NOT_ALLOWED = 404, 405


class Guarded(FastAPI):
    """An application behind a `Gate`, which all responses pass: also those to large bodies and unexpected errors."""

    def build_middleware_stack(self) -> ASGIApp:
        """Return the application that handles requests."""
        return Gate(super().build_middleware_stack(), self.state.token)


def application(
    store: dealmill.Store, *, hosts: Sequence[str], token: str | None = None, packs: Packs | None = None
) -> FastAPI:
    """Return the application over a store that was opened read-only, and over packs.

    Requests must name one of the `hosts`, without a port, in their Host header; every request must have the `token`,
    unless it is None.
    """
    app = Guarded(
        title="Dealmill",
        description="Read-only access to the runs and results of a store.",
        version=version("dealmill"),
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        max_body_size=MAX_BYTES,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.token = token
    app.state.store = store
    app.state.packs = packs or Packs()
    app.state.paste_solver = PasteSolver()
    app.state.drawer = Drawer()
    app.state.judge = Judge()
    app.state.comparisons = Comparisons()
    app.state.searches = Searches()
    app.state.processes = (
        app.state.paste_solver,
        app.state.drawer,
        app.state.judge,
        app.state.comparisons,
        app.state.searches,
    )
    app.state.shared = Shared()
    for module in (api, overview, runs, results, play, compare, charts):
        app.include_router(module.router, dependencies=[Depends(refuse_unknown)])
    app.mount("/static", StaticFiles(directory=str(files("dealmill.web") / "static")))
    app.add_exception_handler(dealmill.DealmillError, _explain)
    app.add_exception_handler(HTTPException, _explain)
    app.add_exception_handler(RequestValidationError, _explain)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts), www_redirect=False)
    report_damage()
    return app


def _further(request: Request, damage: DamagedResults) -> str:
    """Return the URL of the results of a run behind those that cannot be read: of the same page, if it lists results in
    order of position."""
    path = f"/api/runs/{damage.run}/results" if _is_api(request) else f"/runs/{damage.run}/layouts"
    if request.url.path != path or "order" in request.query_params:
        return f"{path}?after={damage.last}"
    backwards = "before" in request.query_params
    reached = {"before": damage.first} if backwards else {"after": damage.last}
    return f"{path}?{request.url.include_query_params(**reached).query}"


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


def _explain(request: Request, error: Exception) -> Response:
    """Return the message of an error, as a page or as JSON."""
    if isinstance(error, RequestValidationError):
        code, message = 422, "; ".join(map(malformed, error.errors()))
    elif isinstance(error, HTTPException):
        code, message = error.status_code, str(error.detail)
        if code == NOT_FOUND:
            message = f"there is no page {printable(request.url.path)}"
        elif code == METHOD_NOT_ALLOWED:
            allowed = (error.headers or {}).get("Allow", "GET")
            message = f"{printable(request.url.path)} does not take {request.method}: use {allowed}"
    else:
        code, message = next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), str(error)
        if isinstance(error, dealmill.StoreError) and not isinstance(error, NAMES_NO_STORE):
            logger.error("%s", message)
            message = UNAVAILABLE
    headers = error.headers if isinstance(error, HTTPException) else None
    further = _further(request, error) if isinstance(error, DamagedResults) else None
    if _is_api(request):
        problem = {"detail": message} if further is None else {"detail": message, "further": further}
        return JSONResponse(problem, code, headers=headers)
    response = page(request, "error.html", code=code, message=message, further=further)
    response.headers.update(headers or {})
    return response
