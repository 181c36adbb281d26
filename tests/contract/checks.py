"""Checks of a store with a damaged record: of exports without damaged results, reruns, audits and pages."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus

from sqlalchemy import text

import dealmill
from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.games.verdict import Verdict
from tests.contract.damages import BLOCK, ITEM, ROWS, Cost, Damage
from tests.contract.prepared import DEALS
from tests.contract.readers import Reading


@dataclass(frozen=True)
class Checks:
    """The checks of the outcomes, depending on the cost of the damage. Each check yields what is wrong."""

    damage: Damage
    storage: str
    store: dealmill.Store
    readings: Mapping[str, Reading]

    def all(self) -> Iterator[str]:
        """Yield everything that is wrong."""
        for name, reading in self.readings.items():
            if not isinstance(reading.error, DealmillError | None):
                yield f"{name}: {reading.error!r}"
        if self.damage.cost is not Cost.RUN:
            yield from self.others_are_exported()
        if self.damage.cost in (Cost.ITEM, Cost.CHANGED):
            yield from self.audit_names_it()
            yield from self.rerun_tells_of_the_layout()
        pages = self.readings["pages"].value
        if not isinstance(pages, dict) or {pages["/"], pages["/log"]} != {HTTPStatus.OK}:
            yield f"pages: {pages}, {self.readings['pages'].error!r}"

    def lost(self) -> set[int]:
        """Return the numbers of items that may be missing."""
        number = 1 if self.storage == ROWS else DEALS - BLOCK
        return {Cost.ITEM: {number}, Cost.CHANGED: {0, number}, Cost.NOTHING: {0}}[self.damage.cost]

    def others_are_exported(self) -> Iterator[str]:
        reading = self.readings["export"]
        count = reading.value
        if not isinstance(count, int) or DEALS - count not in self.lost():
            yield f"export: {count} of {DEALS}, {reading.error!r}"
        elif count < DEALS and [warning.partition(" result")[0] for warning in reading.warned] != [f"{DEALS - count}"]:
            yield f"export: {count} of {DEALS}, with the warnings {reading.warned}"

    def rerun_tells_of_the_layout(self) -> Iterator[str]:
        run = self.store.find_run("last")
        if self.storage == ROWS and run.id > 4 and run.status().solved != DEALS:
            yield "rerun: not all were solved again"
        if self.damage.name.startswith(("layout", "item")):
            with self.store._database.reading() as connection:
                query = text("SELECT verdict, evidence FROM verdicts WHERE run_id = :run AND position = :item")
                again = connection.execute(query, {"run": run.id, "item": ITEM}).one_or_none()
            if again is None or again[0] != Verdict.FAILED or not again[1].startswith("fault of the record: "):
                yield f"rerun: the verdict is {again}"

    def invisible(self) -> bool:
        """Return whether no item is judged by the damaged value: nodes, sums of a block, or lines."""
        return self.damage.name.startswith(("nodes", "pack moments", "line"))

    def audit_names_it(self) -> Iterator[str]:
        audit = self.readings["audit"].value
        if not isinstance(audit, dealmill.Audit):
            yield f"audit: {self.readings['audit'].error!r}"
            return
        named = [finding for finding in audit.findings() if finding.first <= ITEM <= finding.last]
        if not named and not self.invisible():
            yield f"audit: it does not name the item: {list(audit.findings())}"
        if audit.status.judged < DEALS - max(self.lost()):
            yield f"audit: only {audit.status.judged} were judged"
