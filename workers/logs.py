"""Logging of workers: lines for people, or one JSON object per line with the run and the job."""

import logging
import warnings
from collections.abc import MutableMapping
from typing import Any

from celery.exceptions import CPendingDeprecationWarning
from celery.signals import after_setup_logger, after_setup_task_logger, celeryd_after_setup

from dealmill.pipeline.settings import settings
from dealmill.workers.messages import BROKER_ERRORS

PLAIN = "%(processName)s: %(message)s"
IN_HAND: dict[str, int] = {}
"""The numbers of this process's current job and of its run or audit, which are added to JSON lines."""


def formatter() -> logging.Formatter:
    """Return the log formatter that the settings select."""
    if settings().log_format == "console":
        return logging.Formatter(PLAIN)
    import structlog  # slow to load

    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            _add_current_job,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.CallsiteParameterAdder({structlog.processors.CallsiteParameter.PROCESS}),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
    )


def _add_current_job(_logger: object, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    event.update(IN_HAND)
    return event


def line_of(message: str) -> str:
    """Format a message of the command itself as a log line. In the console format, it has no process name."""
    if settings().log_format == "console":
        return message
    return formatter().format(logging.LogRecord(__name__, logging.WARNING, "", 0, message, None, None))


TASKS_LOG = "celery.app.trace"
"""The logger for exceptions of Celery tasks."""
QUEUE_LOGS = ("celery.worker.consumer.consumer", "celery.worker.request")
"""The loggers for messages that are not valid tasks, and for messages whose worker has died."""


def _shorten(record: logging.LogRecord) -> bool:
    """Remove Celery's tracebacks of broker errors and invalid messages, and all but the first line of the latter."""
    theirs = record.name.startswith(("celery.", "kombu.")) and record.name != TASKS_LOG
    error = record.exc_info[1] if record.exc_info else None
    if record.name in QUEUE_LOGS or (theirs and isinstance(error, BROKER_ERRORS)):
        record.exc_info = None
    if record.name in QUEUE_LOGS:
        record.msg, record.args = record.getMessage().strip().partition("\n")[0], None
    return True


def connect_logs() -> None:
    """Make Celery's loggers in this process use our log format."""
    after_setup_logger.connect(_format)
    after_setup_task_logger.connect(_format)
    celeryd_after_setup.connect(_ignore_deprecations)


def _format(logger: logging.Logger, **_signal: object) -> None:
    for handler in logger.handlers:
        handler.setFormatter(formatter())
        handler.addFilter(_shorten)


def _ignore_deprecations(**_signal: object) -> None:
    """Ignore Celery's warnings about future changes, which it would repeat whenever the broker is not available."""
    warnings.filterwarnings("ignore", category=CPendingDeprecationWarning)
