"""Verdicts in as few bits as they take, for runs over numbered deals.

Neither layouts nor evidence are stored. A deal is dealt and solved again whenever somebody asks for it, and what comes
out is compared with what is kept: a bit or two for its verdict in the pack of its job, and the digest of its block,
evidence included. Jobs are whole blocks, up to the last one. Only the errors of what failed are rows, for nothing would
give them again.
"""

from dealmill.pipeline.store.record.packed.again import dealt_here
from dealmill.pipeline.store.record.packed.audit import sample as sample
from dealmill.pipeline.store.record.packed.audit import stretch as stretch
from dealmill.pipeline.store.record.packed.reading import marks as marks
from dealmill.pipeline.store.record.packed.reading import page as page
from dealmill.pipeline.store.record.packed.reading import said as said
from dealmill.pipeline.store.record.packed.solving import give_up as give_up
from dealmill.pipeline.store.record.packed.solving import prepare as prepare
from dealmill.pipeline.store.record.packed.solving import solve as solve

KEEPS_VALID = False
check_readable = dealt_here
