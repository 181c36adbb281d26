"""The page of all invariants, generated from the list that audits check."""

from pathlib import Path

from dealmill.pipeline.store.audits.invariants import FREE, INVARIANTS, Invariant
from dealmill.pipeline.store.database.tables import Storage

PAGE = Path(__file__).parent.parent.parent / "docs" / "invariants.md"
INTRODUCTION = """\
# Invariants

The record of a run is everything the database stores about it: its plan and source, its layouts, jobs, verdicts and
audits, their digests, and the action log. The invariants below hold for every intact record.
[`dealmill audit`](check.md#audit) reports each violation as a *fault*. The list is defined in
`pipeline/store/audits/invariants.py`, and `make docs` generates this page from it.

*Rows* and *compact* are the two [storages](architecture.md#two-storages) of a run. Invariants about layout rows do not
apply to a compact run, which stores no layouts. The values and evidence of a compact run are those obtained by dealing
and solving its deals again.

"""
AFTERWARDS = """
An audit of a sample (`--sample`) checks the sampled items and, in a compact run, the digests of their blocks.
Everything else is checked only by an audit of all verdicts.

An audit of all verdicts checks every column of every table. Of these, it checks only that their values have the right
type:

"""


def page() -> str:
    """Return the text of the page; `make docs` writes it."""
    rows = [("name", "what holds", "storage"), ("---", "---", "---"), *map(_row, INVARIANTS)]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    return INTRODUCTION + table + AFTERWARDS + "".join(map(_free, FREE.items()))


def _free(free: tuple[tuple[str, ...], str]) -> str:
    columns, why = free
    return f"- {', '.join(f'`{column}`' for column in columns)}: {why}.\n"


def _row(invariant: Invariant) -> tuple[str, str, str]:
    checked = [storage.word for storage in Storage if storage.stores_layouts or not invariant.only_stored]
    storages = "both" if len(checked) == len(Storage) else ", ".join(checked)
    return invariant.name, invariant.sentence, storages
