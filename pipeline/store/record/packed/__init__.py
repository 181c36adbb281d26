"""Packed storage: the verdicts of a run over numbered deals as bitmaps.

Neither layouts nor evidence are stored. They are dealt and solved again on request, and the result is compared with the
record: one or two bits per verdict in the pack of its job, and the digest of its block, which covers the evidence. Jobs
consist of whole blocks, except for the last one. Only the errors of failed layouts are rows, because solving again
might not reproduce them.
"""

from dealmill.pipeline.store.record.packed.again import dealt_here
from dealmill.pipeline.store.record.packed.audit import sample as sample
from dealmill.pipeline.store.record.packed.audit import stretch as stretch
from dealmill.pipeline.store.record.packed.reading import marks as marks
from dealmill.pipeline.store.record.packed.reading import ordered as ordered
from dealmill.pipeline.store.record.packed.reading import page as page
from dealmill.pipeline.store.record.packed.reading import said as said
from dealmill.pipeline.store.record.packed.solving import give_up as give_up
from dealmill.pipeline.store.record.packed.solving import prepare as prepare
from dealmill.pipeline.store.record.packed.solving import solve as solve

KEEPS_VALID = False
check_readable = dealt_here
