"""How often a command looks how far its work is."""

import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.planning.installation import Installation
from dealmill.workers import working


class Clock:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class IdleFarm:
    """A farm that does nothing, and notes when it is looked after."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.ticks: list[float] = []

    def __enter__(self) -> "IdleFarm":
        return self

    def __exit__(self, *_raised: object) -> None:
        pass

    def tick(self, *, at_once: bool) -> None:
        self.ticks.append(self._clock.now)

    def patiently(self, step: Callable[[], Installation | None]) -> Installation | None:
        return step()


@pytest.mark.parametrize(("takes", "pause"), [(0.0, 1.0), (0.04, 1.0), (1.0, 20.0), (100.0, 60.0)])
def test_a_slow_progress_query_is_made_rarely_and_does_not_delay_the_farm(
    sqlite_store: Database, monkeypatch: pytest.MonkeyPatch, takes: float, pause: float
) -> None:
    clock = Clock()
    farm = IdleFarm(clock)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    monkeypatch.setattr(time, "sleep", clock.sleep)
    monkeypatch.setattr(working, "Farm", lambda *_arguments, **_options: farm)
    looks: list[tuple[float, float]] = []

    def check() -> Installation | None:
        begun = clock.now
        clock.sleep(takes)
        looks.append((begun, clock.now))
        return None if clock.now > 2_000 else Installation()

    working.work_until_done(sqlite_store, check, lambda _event: None)
    between = [after[0] - before[1] for before, after in pairwise(looks)]
    assert max(between[len(between) // 2 :]) == pytest.approx(pause, abs=1.0)
    assert max(after - before for before, after in pairwise(farm.ticks)) <= takes + 1.0 + 1e-6
