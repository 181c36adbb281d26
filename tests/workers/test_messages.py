"""Messages name their tasks, and there is a task of that name for each kind of job."""

from workers import tasks
from workers.app import app
from workers.reconciler import TASKS


def test_what_is_sent_is_what_workers_do() -> None:
    ours = {name for name, task in app.tasks.items() if task.__module__ == tasks.__name__}
    assert set(TASKS.values()) == ours
    assert len(ours) == len(TASKS)
