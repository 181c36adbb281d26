"""Row storage: one row per verdict."""

from dealmill.pipeline.store.record.rows.audit import sample as sample
from dealmill.pipeline.store.record.rows.audit import stretch as stretch
from dealmill.pipeline.store.record.rows.reading import check_readable as check_readable
from dealmill.pipeline.store.record.rows.reading import marks as marks
from dealmill.pipeline.store.record.rows.reading import ordered as ordered
from dealmill.pipeline.store.record.rows.reading import page as page
from dealmill.pipeline.store.record.rows.reading import said as said
from dealmill.pipeline.store.record.rows.solving import give_up as give_up
from dealmill.pipeline.store.record.rows.solving import prepare as prepare
from dealmill.pipeline.store.record.rows.solving import solve as solve

KEEPS_VALID = True
