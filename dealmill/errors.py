"""The errors that a game raises apart from those of its referee."""

from dealmill.pipeline.errors import BadLayout, DealmillError, UnavailableError, UsageError

__all__ = ["BadLayout", "DealmillError", "UnavailableError", "UsageError"]
