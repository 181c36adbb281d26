"""What workers log: lines for people, or a JSON object a line, with the run and the job that it is about."""

import logging

from celery.signals import after_setup_logger, after_setup_task_logger

from pipeline.settings import settings

PLAIN = "%(processName)s: %(message)s"


def formatter() -> logging.Formatter:
    """What makes a line of a record, in the form that the settings name."""
    if settings().log_format == "console":
        return logging.Formatter(PLAIN)
    import structlog  # slow to load, and the command itself needs this file

    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.contextvars.merge_contextvars,
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


def line_of(message: str) -> str:
    """A line of a message that no worker but the command itself has; plain, it needs no name before it."""
    if settings().log_format == "console":
        return message
    return formatter().format(logging.LogRecord(__name__, logging.WARNING, "", 0, message, None, None))


TASKS_LOG = "celery.app.trace"
"""Where Celery logs what a task raised."""


def _without_celerys_traceback(record: logging.LogRecord) -> bool:
    """What else Celery and its transport log is about the broker and what stands in its queue; where in their code it
    was met, nobody needs to know."""
    if record.name.partition(".")[0] in ("celery", "kombu") and record.name != TASKS_LOG:
        record.exc_info = None
    return True


@after_setup_logger.connect  # type: ignore[untyped-decorator]
@after_setup_task_logger.connect  # type: ignore[untyped-decorator]
def _format(logger: logging.Logger, **_signal: object) -> None:
    for handler in logger.handlers:
        handler.setFormatter(formatter())
        handler.addFilter(_without_celerys_traceback)
