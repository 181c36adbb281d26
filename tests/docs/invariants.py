"""The page of all invariants, from the list that audits check."""

from pathlib import Path

from dealmill.pipeline.audit.invariants import FREE, INVARIANTS, Invariant
from dealmill.pipeline.store.database.tables import Storage

PAGE = Path(__file__).parent.parent.parent / "docs" / "invariants.md"
INTRODUCTION = """\
# Invariants

The record of a run is what the database holds of it: its plan and source, its layouts, jobs, verdicts and audits, their
digests, and the log of actions. These invariants hold for every sound record, and [`dealmill audit`](check.md#audit)
reports each place where one does not hold as a *fault*. They are defined in `pipeline/audit/invariants.py`; `make docs`
writes this page from that list.

*Rows* and *packed* are the two [storages](architecture.md#two-storages) of a run. An invariant about layouts that are
rows does not apply to a packed run, whose layouts are dealt again. In a packed run, values and evidence are those that
dealing and solving again gives.

"""
AFTERWARDS = """
An audit of a sample (`--sample`) checks the sampled items, and in a packed run the digests of their blocks. Only an
audit of all verdicts also checks everything else.

An audit of all verdicts checks every column of every table, except for these:

"""


def page() -> str:
    """The page as it should be; `make docs` writes it."""
    rows = [("name", "what holds", "storage"), ("---", "---", "---"), *map(_row, INVARIANTS)]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return INTRODUCTION + table + AFTERWARDS + "".join(map(_free, FREE.items()))


def _free(free: tuple[tuple[str, ...], str]) -> str:
    columns, why = free
    return f"- {', '.join(f'`{column}`' for column in columns)}: {why}.\n"


def _row(invariant: Invariant) -> tuple[str, str, str]:
    both = len(invariant.storages) == len(Storage)
    storages = "both" if both else ", ".join(storage.word for storage in invariant.storages)
    return invariant.name, invariant.sentence, storages
