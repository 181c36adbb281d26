"""The progress of long work, as events: frozen dataclasses that a terminal, a notebook or a test can draw.

Methods that take long call a `Progress` function with each of them, always in the thread of their caller. Those that
derive from `Step` say how much is `done` of a `total`. If the function raises an exception, the work ends with it, as
it does after Ctrl-C: what is done is stored, and the same call goes on from there.
"""

from dealmill.pipeline.progress import *  # noqa: F403 -- which has __all__
from dealmill.pipeline.progress import __all__ as __all__  # noqa: PLC0414
