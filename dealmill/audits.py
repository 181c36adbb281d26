"""Audits of runs."""

from collections.abc import Iterator

from dealmill.pipeline.store.audits.audit import AuditStatus, Finding, count_unproved, findings_of
from dealmill.pipeline.store.audits.seals import seal_of, still_sealed
from dealmill.pipeline.store.database.connections import Database


class Audit:
    """The result of an audit.

    Attributes
    ----------
    status : AuditStatus
        The number of verdicts by outcome, and of faults of the record.
    sealed : bool or None
        Whether the record matches the seal that was passed; None if no seal was passed.
    """

    def __init__(self, database: Database, status: AuditStatus, seal: str | None = None) -> None:
        self._database = database
        self.status = status
        self.sealed = None if seal is None else still_sealed(database, status.run, seal)

    def __repr__(self) -> str:
        return f"<Audit {self.status.id} of run {self.status.run}: {'valid' if self.valid else 'NOT VALID'}>"

    @property
    def valid(self) -> bool:
        """Whether no verdict is invalid, the record has no faults, and it matches the seal, if one was passed."""
        return self.status.clean and self.sealed is not False

    @property
    def unproved(self) -> int:
        """The number of checked verdicts that are claims without evidence, of programs or imported."""
        return count_unproved(self._database, self.status)

    @property
    def seal(self) -> str | None:
        """The seal of the record: a number, a dash and 64 hexadecimal digits. Store it outside the database.

        It covers the plan of the run, its source, and its results with all columns of an export. None if the audit
        found something or did not check all verdicts, or the run is not finished.
        """
        return seal_of(self._database, self.status)

    def findings(self) -> Iterator[Finding]:
        """Iterate over the faults of the record and the invalid verdicts."""
        return findings_of(self._database, self.status)
