"""Verdicts as rows, one for each item."""

from dealmill.pipeline.store.record.rows.audit import sample, stretch
from dealmill.pipeline.store.record.rows.reading import check_readable, digests, page, said
from dealmill.pipeline.store.record.rows.solving import give_up, prepare, solve

__all__ = [
    "KEEPS_VALID",
    "check_readable",
    "digests",
    "give_up",
    "page",
    "prepare",
    "said",
    "sample",
    "solve",
    "stretch",
]

KEEPS_VALID = True
