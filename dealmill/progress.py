"""The events of long work, and the type of the functions that are called with them.

`Step` has how much is `done` of a `total`; the kinds of work derive from it. The others report something once.
"""

from dealmill.pipeline.progress import (
    Auditing,
    Continued,
    Event,
    Exporting,
    Ingested,
    Ingesting,
    Message,
    Opening,
    Progress,
    Refused,
    Repeating,
    Solving,
    Step,
    Surveying,
    Working,
)

__all__ = [
    "Auditing",
    "Continued",
    "Event",
    "Exporting",
    "Ingested",
    "Ingesting",
    "Message",
    "Opening",
    "Progress",
    "Refused",
    "Repeating",
    "Solving",
    "Step",
    "Surveying",
    "Working",
]
