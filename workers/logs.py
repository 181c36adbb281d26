"""What workers log: lines for people, or a JSON object a line, with the run and the job that it is about."""

import json
import logging
import warnings
from datetime import UTC, datetime

from celery.exceptions import CPendingDeprecationWarning
from celery.signals import after_setup_logger, after_setup_task_logger, celeryd_after_setup

from dealmill.pipeline.settings import settings
from dealmill.workers.messages import BROKER_ERRORS

PLAIN = "%(processName)s: %(message)s"
IN_HAND: dict[str, int] = {}
"""The numbers of the job that this process does, and of the run or the audit that it belongs to; in JSON lines."""


def formatter() -> logging.Formatter:
    """What makes a line of a record, in the form that the settings name."""
    if settings().log_format == "console":
        return logging.Formatter(PLAIN)
    return JsonLines()


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object: what happened, the run or audit and the job, level, logger, time, process, traceback."""
        fields: dict[str, object] = {
            "event": record.getMessage(),
            **IN_HAND,
            "level": record.levelname.lower(),
            "logger": record.name,
            "timestamp": f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
            "process": record.process,
        }
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        return json.dumps(fields)


def line_of(message: str) -> str:
    """A line of a message that no worker but the command itself has; plain, it needs no name before it."""
    if settings().log_format == "console":
        return message
    return formatter().format(logging.LogRecord(__name__, logging.WARNING, "", 0, message, None, None))


TASKS_LOG = "celery.app.trace"
"""Where Celery logs what a task raised."""
QUEUE_LOGS = ("celery.worker.consumer.consumer", "celery.worker.request")
"""Where it logs messages that it cannot make a task of, and those whose worker is gone."""


def _without_useless_lines(record: logging.LogRecord) -> bool:
    """Where in its code Celery met a broker that is away, or a message of somebody else's, nobody needs to know; and of
    such a message the first line says enough."""
    theirs = record.name.startswith(("celery.", "kombu.")) and record.name != TASKS_LOG
    met = record.exc_info[1] if record.exc_info else None
    if record.name in QUEUE_LOGS or (theirs and isinstance(met, BROKER_ERRORS)):
        record.exc_info = None
    if record.name in QUEUE_LOGS:
        record.msg, record.args = record.getMessage().strip().partition("\n")[0], None
    return True


def connect_logs() -> None:
    """Have Celery's loggers in this process write lines like ours."""
    after_setup_logger.connect(_format)
    after_setup_task_logger.connect(_format)
    celeryd_after_setup.connect(_leave_out_plans)


def _format(logger: logging.Logger, **_signal: object) -> None:
    for handler in logger.handlers:
        handler.setFormatter(formatter())
        handler.addFilter(_without_useless_lines)


def _leave_out_plans(**_signal: object) -> None:
    """What Celery means to change some day, it would say each time that the broker goes away."""
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
