"""Nothing is compiled while a job is held."""

from collections.abc import Callable, Iterator, Mapping

import numba
import pytest
from numba.core.event import Event, Listener, install_listener

from dealmill.pipeline.games.batch import Solved, Texts
from dealmill.pipeline.solving import solve as room
from dealmill.pipeline.solving.solve import solve_texts
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import LEASED, jobs
from dealmill.pipeline.store.planning.run_planning import insert_run
from dealmill.pipeline.store.runs.finding import find_run
from dealmill.workers import tasks
from tests.doing import a_source

TEXTS = ["AABB", "ABAB", "ABBA"]


class Held(Listener):
    """Records, for each compilation, whether the job was held."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.held: list[bool] = []

    def on_start(self, event: Event) -> None:
        with self.database.reading() as connection:
            self.held.append(connection.execute(jobs.select()).one().state == LEASED)

    def on_end(self, event: Event) -> None:
        pass


def job_needs(function: Callable[[int], int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Have all jobs call a function that numba compiles."""
    compiled = numba.njit(function)

    def solve(engine: str, layouts: Texts, max_nodes: int | None, errors: Mapping[int, str]) -> Solved:
        compiled(1)  # type: ignore[type-var]
        return solve_texts(engine, layouts, max_nodes, errors)

    monkeypatch.setattr(room, "solve_texts", solve)


@pytest.fixture
def number(database: Database, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(tasks, "configured_database", lambda: database)
    yield insert_run(database, a_source(database, "memory/two-pass", TEXTS), "memory/two-pass", "1", 9, chunk=9)


def test_a_job_is_given_back_while_a_kernel_is_compiled(
    number: int, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_needs(lambda number: number + 1, monkeypatch)
    with install_listener("numba:compile", Held(database)) as compiled:
        tasks.do_job("solve", 1)
        run = find_run(database, number)
        assert (run.done, run.pending, run.leased) == (0, 1, 0)
        tasks.do_job("solve", 1)
    assert find_run(database, number).finished
    assert compiled.held == [False]
    with database.reading() as connection:
        assert connection.execute(jobs.select()).one().attempt == 1


def test_a_job_whose_kernel_cannot_be_compiled_waits_with_the_reason(
    number: int, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_needs(lambda _number: missing, monkeypatch)  # type: ignore[name-defined]  # noqa: F821
    tasks.do_job("solve", 1)
    with database.reading() as connection:
        job = connection.execute(jobs.select()).one()
    assert job.trouble.startswith("not begun: TypingError: ")
    assert find_run(database, number).pending == 1
