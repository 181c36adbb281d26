"""Random numbers for numbered deals: the same on every machine, and each deal without those before it."""

from dealmill.pipeline.games.philox import Stream, below, open_stream, shuffle

__all__ = ["Stream", "below", "open_stream", "shuffle"]
