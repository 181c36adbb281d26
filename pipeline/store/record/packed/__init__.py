"""Verdicts in as few bits as they take, for runs over numbered deals.

Neither layouts nor evidence are stored. A deal is dealt and solved again whenever somebody asks for it, and what comes
out is compared with what is kept: a bit or two for its verdict in the pack of its job, and the digest of its block,
evidence included. Jobs are whole blocks, up to the last one. Only the errors of what failed are rows, for nothing would
give them again.
"""

from dealmill.pipeline.store.record.packed.again import dealt_here as check_readable
from dealmill.pipeline.store.record.packed.audit import sample, stretch
from dealmill.pipeline.store.record.packed.reading import digests, page, said
from dealmill.pipeline.store.record.packed.solving import give_up, prepare, solve

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

KEEPS_VALID = False
