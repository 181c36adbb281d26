"""Runs and sources that are about to be deleted."""

from dealmill.pipeline.printable import counted
from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.runs import RunStatus
from dealmill.pipeline.store.sources import Source


class Deletion:
    """A run or a source that can be deleted. As text, it says what will be lost.

    Attributes
    ----------
    subject : RunStatus or Source
        What will be deleted.
    """

    def __init__(self, database: Database, subject: RunStatus | Source) -> None:
        from dealmill.pipeline.store.deletion import check_deletable  # loads NumPy

        check_deletable(database, subject)
        self._database = database
        self.subject = subject

    def __str__(self) -> str:
        found = self.subject
        if isinstance(found, Source):
            layouts, rejects = counted(found.accepted, "layout"), counted(found.rejected, "reject")
            return f"source {found.id}: {found.name} ({found.game}), with {layouts} and {rejects}"
        verdicts = counted(found.solved, "verdict")
        return f"run {found.id}: {found.engine} {found.version} on {found.source_name}, with {verdicts} and all audits"

    def __repr__(self) -> str:
        return f"<Deletion of {self}>"

    def carry_out(self) -> bool:
        """Delete it, and give back the space. Return False if others use the database meanwhile, so that the space is
        used for new rows instead.

        Raises
        ------
        StoreError
            If something depends on it by now.
        NotFoundError
            If it was deleted before.
        """
        from dealmill.pipeline.store.deletion import delete_subject, give_back_space

        delete_subject(self._database, self.subject)
        return give_back_space(self._database)
