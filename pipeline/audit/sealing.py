"""The seal of a run: a short text that users store elsewhere.

With it, a change of the record is noticed even if all digests in the record were changed to match.
"""

import re

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.store.audits.planned import AuditStatus
from dealmill.pipeline.store.audits.whole import record_seal, seal_of_audit
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.status import find_run


def entry_in(seal: str) -> int:
    """Return the number of the last entry of the action log that a seal covers.

    Raises
    ------
    UsageError
        If the text is not a seal.
    """
    match = re.fullmatch(r"([1-9]\d{0,8})-[0-9a-f]{64}", seal, re.ASCII)
    if match is None:
        raise UsageError(f"{seal!r} is not a seal; a seal is a number, a dash and 64 hexadecimal digits")
    return int(match[1])


def seal_of(store: Database, audit: AuditStatus) -> str | None:
    """Return the seal of a run if `audit` checked all its verdicts and found nothing, and the run is finished."""
    if not audit.clean or audit.size < audit.population:
        return None
    run = find_run(store, audit.run)
    return seal_of_audit(store, run, audit.id) if run.finished else None


def still_sealed(store: Database, run: int, seal: str) -> bool:
    """Return whether the record of a run, up to the entry of the log that the seal names, has this seal."""
    return record_seal(store, find_run(store, run), entry_in(seal)) == seal
