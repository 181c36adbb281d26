"""Detection of dead worker processes: the lease of a dead process is ended at once, so that its job is tried again."""

import logging

from celery.exceptions import WorkerLostError
from celery.worker.request import Request

from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.store.job_kinds import KINDS
from dealmill.pipeline.store.leases import expire
from dealmill.pipeline.store.workers import worker_name
from dealmill.workers.tasks import configured_store

logger = logging.getLogger(__name__)


class Watched(Request):  # type: ignore[misc]
    """A request that ends the lease of its job if the worker process dies."""

    def on_failure(self, exc_info: object, send_failed_event: bool = True, return_ok: bool = False) -> object:
        """Handle the failure of a task. Called in the parent of the worker processes."""
        error = exc_info.exception  # type: ignore[attr-defined]
        lost = getattr(error, "exc", error)
        if isinstance(lost, WorkerLostError):
            name, number = self.args
            trouble = str(lost).partition(" Job:")[0]  # without the job number, which differs each time
            self._end_lease(name, number, trouble)
            return_ok = True  # no traceback
        return super().on_failure(exc_info, send_failed_event, return_ok)

    def _end_lease(self, name: str, number: int, trouble: str) -> None:
        try:
            expire(configured_store(), KINDS[name].table, number, worker_name(self.worker_pid), trouble)
        except DealmillError as away:
            logger.warning("job %s cannot be retried before its lease expires: %s", number, away)
