"""Logging of workers: lines for people, or one JSON object per line with the run and the job."""

import logging
import warnings
from datetime import datetime
from socket import gethostname

from celery.exceptions import CPendingDeprecationWarning
from celery.signals import after_setup_logger, after_setup_task_logger, celeryd_after_setup
from celery.worker.consumer import consumer

from dealmill.pipeline.system.log_lines import TIME, json_line
from dealmill.pipeline.system.settings import settings
from dealmill.workers.transport import BROKER_ERRORS

PLAIN = f"%(asctime)s {gethostname().replace('%', '%%')}:%(process)d: %(message)s"
"""The local time and the name of the worker, as in ``dealmill status --workers``, before the message."""
IN_HAND: dict[str, int] = {}
"""The numbers of this process's current job and of its run or audit, which are added to JSON lines."""


def formatter() -> logging.Formatter:
    """Return the log formatter that the settings select."""
    if settings().log_format == "console":
        return logging.Formatter(PLAIN, TIME)
    return JsonLines()


class JsonLines(logging.Formatter):
    """Formats a record as a JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the object: event, run or audit, job, level, logger, timestamp, process, and traceback if any."""
        more: dict[str, object] = {**IN_HAND}
        if record.exc_info:
            more["exception"] = self.formatException(record.exc_info)
        level = record.levelname.lower()
        return json_line(record.getMessage(), level, record.name, record.created, record.process, more)


def line_of(message: str) -> str:
    """Format a message of the command itself as a log line. In the console format, it has no process name."""
    if settings().log_format == "console":
        return f"{datetime.now().astimezone():{TIME}} {message}"
    return formatter().format(logging.LogRecord(__name__, logging.WARNING, "", 0, message, None, None))


TASKS_LOG = "celery.app.trace"
"""The logger for exceptions of Celery tasks."""
QUEUE_LOGS = ("celery.worker.consumer.consumer", "celery.worker.request")
"""The loggers for messages that are not valid tasks, and for messages whose worker has died."""
LOST_CONNECTIONS = (consumer.CONNECTION_RETRY, consumer.CONNECTION_ERROR.partition("%")[0])
"""Begin what Celery logs while the broker is not available."""


def _shorten(record: logging.LogRecord) -> bool:
    """Remove Celery's tracebacks of broker errors and invalid messages, and all but the first line of the latter. Drop
    what it says of lost connections: the command says so, in its own words."""
    if record.getMessage().startswith(LOST_CONNECTIONS):
        return False
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
