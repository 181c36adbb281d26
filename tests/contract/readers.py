"""The readers of a store, and what each of them may do with a damaged record: give what it gave before, leave the row
out of a list with a warning, or raise an error that names what is damaged."""

import re
import tempfile
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fastapi import FastAPI
from fastapi.testclient import TestClient

import dealmill
from dealmill.pipeline.errors import DamagedWarning, DealmillError
from dealmill.web.site import Shared
from tests.contract.damages import COMPACT, ITEM, ROWS
from tests.contract.prepared import DEALS
from tests.doing import dealer

Reader = Callable[[dealmill.Store, dealmill.Run], object]

[LAYOUT] = dealer("memory")(8, ITEM, 1)
"""The layout of the item whose record is damaged."""
SAME_DEALS = {ROWS: 3, COMPACT: 1}
"""The run to compare with, for the run of each storage."""


def _file(form: str) -> Reader:
    def written(_store: dealmill.Store, run: dealmill.Run) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"out.{form}"
            run.export(path)
            return path.read_bytes()

    return written


def _found(store: dealmill.Store, _run: dealmill.Run) -> object:
    matches = store.find(LAYOUT, game="memory")
    return [(match.source.id, match.position, match.run and match.run.id, match.result) for match in matches]


def _differences(store: dealmill.Store, run: dealmill.Run) -> object:
    return list(run.diff(store.find_run(SAME_DEALS[run.storage.word])))


def _listed(store: dealmill.Store, _run: dealmill.Run) -> object:
    statuses = [run.progress for run in store.status()]
    return [
        (run.id, run.engine, run.source_name, run.items, run.state, run.solved, run.counts, run.unproved, run.mean)
        for run in statuses
    ]


READERS: Mapping[str, Reader] = {
    "results": lambda _store, run: list(run.results()),
    "backwards": lambda _store, run: list(run.results(descending=True, limit=DEALS)),
    "filter": lambda _store, run: list(run.results(nodes=(0, 10**6))),
    "order": lambda _store, run: list(run.results(order="value", limit=DEALS)),
    "audited": lambda _store, run: list(run.results(audit="no-evidence")),
    "table": lambda _store, run: run.results().to_arrow().to_pylist(),
    "show": lambda _store, run: run.result(ITEM),
    "csv": _file("csv"),
    "jsonl": _file("jsonl"),
    "parquet": lambda _store, run: run.to_arrow().to_pylist(),
    "histograms": lambda _store, run: (run.histogram("value"), run.histogram("nodes")),
    "convergence": lambda _store, run: run.convergence(),
    "find": _found,
    "diff": _differences,
    "node counts": lambda store, _run: store.find_run(1).diff(store.find_run(3)).nodes,
    "status": _listed,
    "sources": lambda store, _run: store.sources(),
    "rejects": lambda store, _run: [reject for _, reject in store.rejects(source=2)],
    "log": lambda store, _run: store.log(),
    "another run": lambda store, _run: list(store.find_run(4).results(retracted=True)),
}
NAMED = re.compile(r"\b(run|source|engine|audit) \S|\b\d+:\d+|\bdeal:memory:|there is no game")
"""What an error names."""
LISTS = {"status", "sources", "rejects", "log"}
"""The readers that leave out a damaged row with a warning."""


@dataclass(frozen=True)
class Reading:
    """What a reader gave: a value or an error, and its warnings of damaged rows."""

    value: object
    error: Exception | None
    warned: list[str]


def take(step: Callable[[], object]) -> Reading:
    """Take a step and record its outcome."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value, error = None, None
        try:
            value = step()
        except Exception as raised:  # noqa: BLE001 -- the type is checked later
            error = raised.with_traceback(None)  # tracebacks, also those of causes, would keep transactions open
            error.__cause__ = error.__context__ = None
    return Reading(value, error, [str(warning.message) for warning in caught if warning.category is DamagedWarning])


def read_all(store: dealmill.Store, number: int) -> dict[str, Reading]:
    """Return what each reader gives for a run."""
    return {name: take(lambda read=read: read(store, store.find_run(number))) for name, read in READERS.items()}  # type: ignore[misc]


def broken_promises(before: Mapping[str, Reading], after: Mapping[str, Reading], *, changed: bool = False) -> list[str]:
    """Return what readers gave after a damage that they may not give. If it `changed` a value to another valid one,
    they may show it."""
    reasons = {name: _broken_promise(name, before[name], after[name], changed) for name in after}
    return [f"{name}: {reason}" for name, reason in reasons.items() if reason]


def _broken_promise(name: str, before: Reading, after: Reading, changed: bool) -> str | None:
    if after.error is not None:
        named = re.search(r"\b(run|source|engine|audit) \S|\b\d+:\d+|\bdeal:memory:|there is no game", str(after.error))
        return None if isinstance(after.error, DealmillError) and named else repr(after.error)
    if changed or after.value == before.value:
        return None
    if name not in LISTS or not isinstance(after.value, list) or not isinstance(before.value, list):
        return "another value, and no error"
    others = [row for row in after.value if row not in before.value and "damaged" not in str(row)]
    fewer = len(after.value) < len(before.value)
    return f"{others} with {after.warned}" if others or len(after.warned) != fewer else None


def visited(pages: FastAPI, store: dealmill.Store, run: int) -> dict[str, int]:
    """Return the status code of each page about a run. A page that raises another error than Dealmill's fails."""
    pages.state.store, pages.state.shared = store, Shared()
    client = TestClient(pages)
    paths = (
        "/",
        "/log",
        f"/runs/{run}",
        f"/runs/{run}/layouts",
        f"/runs/{run}/layouts/{ITEM}",
        f"/api/runs/{run}/results?limit=1000",
        f"/compare?run={run}&run=3",
    )
    return {path: client.get(path).status_code for path in paths}
