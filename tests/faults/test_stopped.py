"""Processes that are stopped for longer than a lease and then continued: SIGSTOP in the middle of a job, and Ctrl-Z."""

import os
import signal
import time
from collections.abc import Callable

import pytest

from dealmill.pipeline.store.runs.finding import find_run
from tests.faults.farm import LEASE_SECONDS, UP_SECONDS, Farm
from tests.faults.processes import children_of, is_worker

Who = Callable[[Farm, int], list[int]]


def a_child(farm: Farm, _command: int) -> list[int]:
    return farm.children()[:1]


def all_children(farm: Farm, _command: int) -> list[int]:
    return farm.children()


def the_worker(_farm: Farm, command: int) -> list[int]:
    return [process for process in children_of(command) if is_worker(process)]


def the_broker(_farm: Farm, command: int) -> list[int]:
    return [process for process in children_of(command) if not is_worker(process)]


def the_command(_farm: Farm, command: int) -> list[int]:
    return [command]


def everything(farm: Farm, command: int) -> list[int]:
    return [*farm.processes(), *the_broker(farm, command)]


STOPPED: dict[str, tuple[Who, signal.Signals]] = {
    "child": (a_child, signal.SIGSTOP),
    "all children": (all_children, signal.SIGSTOP),
    "worker": (the_worker, signal.SIGSTOP),
    "broker": (the_broker, signal.SIGSTOP),
    "command": (the_command, signal.SIGSTOP),
    "command, by Ctrl-Z": (the_command, signal.SIGTSTP),
    "all, as a suspended machine": (everything, signal.SIGSTOP),
}


def send(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        os.kill(process, number)


@pytest.mark.long
def test_processes_stopped_past_their_lease_lose_and_duplicate_nothing(farm: Farm) -> None:
    working = farm.start("work")
    farm.until_solved(40)
    started, waits = find_run(farm.store, 1).started, []
    for who, number in STOPPED.values():
        farm.until(lambda: len(farm.children()) == 2)
        stopped = who(farm, working.pid)
        assert stopped
        send(stopped, number)
        time.sleep(LEASE_SECONDS + 1)
        send(stopped, signal.SIGCONT)
        waits.append(farm.until_more())
        assert working.poll() is None
        if farm.planned - farm.solved() < len(farm.layouts):
            farm.plan()
    farm.until_solved(farm.planned)
    working.terminate()
    assert working.wait(UP_SECONDS) == 0, farm.output
    farm.check()
    assert find_run(farm.store, 1).started == started, "a job that was taken over moved the start of its run"
    for name, wait in zip(STOPPED, waits, strict=True):
        assert wait < LEASE_SECONDS + 5, name


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_ends_even_if_a_child_is_stopped(farm: Farm, number: signal.Signals) -> None:
    working = farm.start("work")
    farm.until_solved(40)
    send(farm.children()[:1], signal.SIGSTOP)
    working.send_signal(number)
    assert working.wait(UP_SECONDS) in (0, 130), farm.output
    farm.until(lambda: not farm.processes())
    assert farm.command("work", "--drain").returncode == 0
    farm.check()
