"""Checks of a store with a damaged record, and the observations that they need."""

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus

from sqlalchemy import text

import dealmill
from dealmill.pipeline.errors import DamagedError, DamagedWarning
from dealmill.pipeline.games.verdict import Verdict
from tests.contract.damages import BLOCK, ITEM, ROWS, RUN, Cost, Damage
from tests.contract.prepared import DEALS, OTHERS

FORMS = ("csv", "jsonl", "parquet")
LAYOUT_PAGE = 4
"""The slashes in the path of the page of a layout, which cannot be shown if its record is damaged."""


@dataclass(frozen=True)
class StepResult:
    """The outcome of a step: a value or an error, and the warnings."""

    value: object
    error: Exception | None
    warned: list[str]

    @property
    def count(self) -> int | None:
        """The number of results, None if there is no list of them."""
        return len(self.value) if isinstance(self.value, list) else None


def take(step: Callable[[], object]) -> StepResult:
    """Take a step and record its outcome."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value, error = None, None
        try:
            value = step()
        except Exception as raised:  # noqa: BLE001 -- the type is checked later
            error = raised.with_traceback(None)  # tracebacks, also those of causes, would keep transactions open
            error.__cause__ = error.__context__ = None
    return StepResult(value, error, [str(warning.message) for warning in caught if warning.category is DamagedWarning])


@dataclass(frozen=True)
class Checks:
    """The checks of the outcomes, depending on the cost of the damage. Each check yields what is wrong."""

    damage: Damage
    storage: str
    store: dealmill.Store
    results: dict[str, StepResult]

    def all(self) -> Iterator[str]:
        """Yield everything that is wrong."""
        if self.damage.cost is Cost.RUN:
            yield from self.run_is_named()
        else:
            yield from self.all_others_are_served()
            yield from self.the_rest_is_answered()
        if self.damage.cost in (Cost.ITEM, Cost.CHANGED):
            yield from self.difference_is_reported()
            yield from self.audit_names_it()
        if self.results["others"].error is None and self.results["others"].count != OTHERS:
            yield f"of another run {self.results['others']} were served"
        pages = self.results["pages"].value
        if not isinstance(pages, dict) or pages["/"] != HTTPStatus.OK or pages["/log"] != HTTPStatus.OK:
            yield f"pages: {pages}, {self.results['pages'].error!r}"

    def lost(self) -> set[int]:
        """Return the numbers of items that may be missing."""
        number = 1 if self.storage == ROWS else DEALS - BLOCK
        return {Cost.ITEM: {number}, Cost.CHANGED: {0, number}, Cost.NOTHING: {0}}[self.damage.cost]

    def all_others_are_served(self) -> Iterator[str]:
        for name in ("query", *FORMS):
            result = self.results[name]
            count = result.value if isinstance(result.value, int) else result.count
            if count is None or DEALS - count not in self.lost():
                yield f"{name}: {count} of {DEALS} served, {result.error!r}"
            elif count < DEALS and not self.names_item(result.warned):
                yield f"{name}: the item is not named in {result.warned}"
        exported = {self.results[name].value for name in FORMS}
        if exported != {self.results["query"].count}:
            yield f"exports have {exported} results, a query {self.results['query'].count}"
        missing = self.results["query"].count != DEALS
        if missing and not isinstance(self.results["show"].error, DamagedError):
            yield f"show: {self.results['show']}"

    def the_rest_is_answered(self) -> Iterator[str]:
        """Check that status, log, rejects, workers, find and pages do not fail because of the damage."""
        runs = self.results["status"].value
        if not isinstance(runs, list) or runs[:4] != [1, 2, 3, 4]:
            yield f"status: {self.results['status']}"
        for name in ("log", "rejects", "workers", "find", "filter"):
            result = self.results[name]
            if result.error is not None:
                yield f"{name}: {result.error!r}"
        pages = self.results["pages"].value
        if isinstance(pages, dict) and {code for path, code in pages.items() if path.count("/") < LAYOUT_PAGE} != {200}:
            yield f"pages: {pages}"

    def difference_is_reported(self) -> Iterator[str]:
        for name in ("diff", "rerun"):
            result = self.results[name]
            if not isinstance(result.value, list):
                yield f"{name}: {result.error!r}"
            elif not (result.value or self.names_item(result.warned) or self.invisible() or self.same_layout(name)):
                yield f"{name}: neither a difference nor a warning"
            elif len(result.value) > max(self.lost() | {1}):
                yield f"{name}: {len(result.value)} differences"
        run = self.store.find_run("last")
        if self.storage == ROWS and run.id > 4 and (self.store.find_run(run.id).status().solved != DEALS):
            yield "rerun: not all were solved again"
        if self.damage.name.startswith(("layout", "item")):
            with self.store._database.reading() as connection:
                query = text("SELECT verdict, evidence FROM verdicts WHERE run_id = :run AND position = :item")
                again = connection.execute(query, {"run": run.id, "item": ITEM}).one_or_none()
            if again is None or again[0] != Verdict.FAILED or not again[1].startswith("fault of the record: "):
                yield f"rerun: the verdict is {again}"

    def same_layout(self, name: str) -> bool:
        """Return whether a diff cannot see the damage, because both runs share the changed or missing layout."""
        return name == "diff" and self.damage.name.startswith(("layout", "item"))

    def invisible(self) -> bool:
        """Return whether the damage is in something that a diff does not compare: nodes, sums of a block, or lines."""
        return self.damage.name.startswith(("nodes", "pack moments", "line"))

    def audit_names_it(self) -> Iterator[str]:
        audit = self.results["audit"].value
        if not isinstance(audit, dealmill.Audit):
            yield f"audit: {self.results['audit'].error!r}"
            return
        named = [finding for finding in audit.findings() if finding.first <= ITEM <= finding.last]
        if not named and not self.invisible():
            yield f"audit: it does not name the item: {list(audit.findings())}"
        if audit.status.judged < DEALS - max(self.lost()):
            yield f"audit: only {audit.status.judged} were judged"

    def run_is_named(self) -> Iterator[str]:
        """Check that each step either fails with an error of Dealmill, serves everything, or warns of what is
        missing."""
        for name in ("query", "show", *FORMS, "diff", "rerun", "audit"):
            result = self.results[name]
            served = result.value if isinstance(result.value, int) else result.count
            if result.error is None and not result.warned and name in ("query", *FORMS) and served != DEALS:
                yield f"{name}: {served} of {DEALS} served without a warning"
            if isinstance(result.error, DamagedError) and not re.search(
                r"\b(run|source|engine) \d|\b\d+:\d+ |\bdeal:memory:", str(result.error)
            ):
                yield f"{name}: it does not name what is damaged: {result.error}"
        status = self.results["status"]
        listed = status.value if isinstance(status.value, list) else []
        if 4 not in listed:
            yield f"status: {listed}, {status.error!r}"
        if RUN[self.storage] not in listed and not status.warned:
            yield "status: the run is missing without a warning"

    def names_item(self, warned: list[str]) -> bool:
        """Return whether a warning names the run and the item, or its block."""
        run, first = RUN[self.storage], ITEM if self.storage == ROWS else BLOCK + 1
        return any(
            re.search(rf"\b(run )?{run}\b", warning) and re.search(rf"(?<!\d)({first}|{first:,})\b", warning)
            for warning in warned
        )
