"""Judging the same verdicts many times, in copies of a store."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import pytest

from dealmill.pipeline.games import games


@contextmanager
def each_verdict_checked_once() -> Iterator[None]:
    """For the duration of the `with` block, have the referees of all games check each layout with the same verdict,
    value and evidence only once. A changed one is checked, and an objection is raised each time."""
    with pytest.MonkeyPatch.context() as patch:
        for game in games().values():
            patch.setattr(type(game), "check", staticmethod(lru_cache(maxsize=None, typed=True)(game.check)))
        yield
