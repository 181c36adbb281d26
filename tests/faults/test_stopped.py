"""Processes that are stopped for longer than a lease and then continued: SIGSTOP in the middle of a job, and Ctrl-Z."""

import os
import signal
import time
from collections.abc import Callable

import pytest

from tests.faults.place import LEASE_SECONDS, UP_SECONDS, Place
from tests.faults.processes import children_of, is_worker

Who = Callable[[Place, int], list[int]]


def a_child(place: Place, _command: int) -> list[int]:
    return place.children()[:1]


def all_children(place: Place, _command: int) -> list[int]:
    return place.children()


def the_worker(_place: Place, command: int) -> list[int]:
    return [one for one in children_of(command) if is_worker(one)]


def the_broker(_place: Place, command: int) -> list[int]:
    return [one for one in children_of(command) if not is_worker(one)]


def the_command(_place: Place, command: int) -> list[int]:
    return [command]


def everything(place: Place, command: int) -> list[int]:
    return [*place.processes(), *the_broker(place, command)]


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
def test_processes_stopped_past_their_lease_lose_and_duplicate_nothing(place: Place) -> None:
    working = place.start("work")
    place.until_solved(40)
    waits = []
    for who, number in STOPPED.values():
        place.until(lambda: len(place.children()) == 2)
        stopped = who(place, working.pid)
        assert stopped
        send(stopped, number)
        time.sleep(LEASE_SECONDS + 1)
        send(stopped, signal.SIGCONT)
        waits.append(place.until_more())
        assert working.poll() is None
        if place.planned - place.solved() < len(place.layouts):
            place.plan()
    place.until_solved(place.planned)
    working.terminate()
    assert working.wait(UP_SECONDS) == 0, place.output
    place.check()
    for name, wait in zip(STOPPED, waits, strict=True):
        assert wait < LEASE_SECONDS + 5, name


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_ends_even_if_a_child_is_stopped(place: Place, number: signal.Signals) -> None:
    working = place.start("work")
    place.until_solved(40)
    send(place.children()[:1], signal.SIGSTOP)
    working.send_signal(number)
    assert working.wait(UP_SECONDS) in (0, 130), place.output
    place.until(lambda: not place.processes())
    assert place.command("work", "--drain").returncode == 0
    place.check()
