"""Progress events of long-running methods, as frozen dataclasses.

Long-running methods call a `Progress` function with each event, always in the thread of the caller. Subclasses of
`Step` report how much is `done` of a `total`. If the function raises an exception, the work ends with it, as after
Ctrl-C: finished jobs are stored, and the same call resumes from there.
"""

from dealmill.pipeline.progress.events import *  # noqa: F403 -- which has __all__
from dealmill.pipeline.progress.events import __all__ as __all__  # noqa: PLC0414
