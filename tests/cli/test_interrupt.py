"""Signals are heeded even where a library swallows the exception that they raise."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from typing import Self

import pytest

from pipeline.cli import interrupt
from pipeline.cli.progress import Bar
from pipeline.cli.work import keep_working
from pipeline.deals import parse_deal_range
from pipeline.ingest import deals_reading
from pipeline.store.database import Store
from workers import farm

SOURCE = "deal:memory:seed=1:1-40000"


class SwallowingFarm:
    """A farm in which a signal arrives, and its exception is lost."""

    def __init__(self, *_: object) -> None:
        self.ticks = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def tick(self, **_: bool) -> None:
        """What a library may do."""
        self.ticks += 1
        assert self.ticks == 1
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)

    def say(self, message: str) -> None:
        """Nobody listens."""


@pytest.fixture(autouse=True)
def _as_in_a_command(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    monkeypatch.setattr(interrupt, "_told", type(interrupt._told)())
    monkeypatch.setattr(farm, "Farm", SwallowingFarm)
    interrupt.heed_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def never(_bar: Bar) -> bool:
    return False


def test_while_others_work(store: Store) -> None:
    with pytest.raises(KeyboardInterrupt):
        keep_working(store, "working", never)


def test_while_a_source_is_read(store: Store) -> None:
    reading = deals_reading(store, parse_deal_range(SOURCE))
    with pytest.raises(KeyboardInterrupt):
        keep_working(store, "working", never, [reading])
    assert 0 < reading.source.accepted < 40_000
