"""Lines of a log: JSON objects, if the settings say so."""

import json
import os
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime

from dealmill.pipeline.errors import DealmillError
from dealmill.pipeline.system.settings import settings

BEGINNING = '{"event": '
TIME = "%Y-%m-%d %H:%M:%S"
"""The form of the local time with which lines for people begin."""
TIMED = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (\S+:\d+: )?")
"""Such a time, and the name of a worker."""


def json_line(
    event: str, level: str, logger: str, created: float, process: int | None, more: Mapping[str, object]
) -> str:
    """Return a JSON object with these fields, and `more` of them after the event."""
    fields = {
        "event": event,
        **more,
        "level": level,
        "logger": logger,
        "timestamp": f"{datetime.fromtimestamp(created, UTC):%Y-%m-%dT%H:%M:%S.%fZ}",
        "process": process,
    }
    return json.dumps(fields)


def without_time(line: str) -> str:
    """Return a line of the workers' log without its time and the name of the worker that wrote it."""
    return TIMED.sub("", line)


def in_log_format(line: str) -> str:
    """Return a line for standard error: as it is, or as a JSON object if the log is in JSON and it is not one yet."""
    try:
        plain = settings().log_format == "console"
    except DealmillError:  # which is what the line reports
        plain = True
    if plain or line.startswith(BEGINNING):
        return line
    return json_line(line, "info", "dealmill", time.time(), os.getpid(), {})
