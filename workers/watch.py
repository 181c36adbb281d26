"""Messages in the hands of worker processes: if one dies, its lease ends at once, and its job is tried anew."""

import logging

from celery.exceptions import WorkerLostError
from celery.worker.request import Request

from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.store.audits import AUDITING
from dealmill.pipeline.store.jobs import SOLVING
from dealmill.pipeline.store.leases import Kind, expire
from dealmill.pipeline.store.surveys import SURVEYING
from dealmill.pipeline.store.workers import worker_name
from dealmill.workers.tasks import configured_store

logger = logging.getLogger(__name__)


class Watched(Request):  # type: ignore[misc]
    """A message about a job of some kind."""

    kind: Kind

    def on_failure(self, exc_info: object, send_failed_event: bool = True, return_ok: bool = False) -> object:
        """Called in the parent of the worker processes."""
        error = exc_info.exception  # type: ignore[attr-defined]
        lost = getattr(error, "exc", error)
        if isinstance(lost, WorkerLostError):
            self._end_lease(str(lost).partition(" Job:")[0])  # without a number that differs each time
            return_ok = True  # nothing that would need a traceback
        return super().on_failure(exc_info, send_failed_event, return_ok)

    def _end_lease(self, trouble: str) -> None:
        number, worker = self.args[0], worker_name(self.worker_pid)
        try:
            expire(configured_store(), self.kind, number, worker, trouble)
        except DealmillError as away:
            logger.warning("job %s waits until its lease ends: %s", number, away)


class Solving(Watched):
    """A message about a job of a run."""

    kind = SOLVING


class Surveying(Watched):
    """A message about a job of a survey."""

    kind = SURVEYING


class Auditing(Watched):
    """A message about a job of an audit."""

    kind = AUDITING
