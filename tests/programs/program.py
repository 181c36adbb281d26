"""A solver of Memory that does what its first argument says when it gets the layout that is its second argument.

It is run with ``python -I -S``, and imports what it needs only then, so that it starts fast.
"""

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

FAULT, POISON = (*sys.argv[1:], "", "")[:2]
HELLO = {"dealmill": 1, "game": "memory", "name": "program", "version": "1"}
FOREVER = 600
BURNT = 0.2
"""Processor seconds."""
Answer = dict[str, Any]


def write(answer: Answer) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def raw(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def solve(layout: str) -> Answer:
    places: dict[str, list[int]] = {}
    for card, letter in enumerate(layout, start=1):
        places.setdefault(letter, []).append(card)
    left = [pair for pair in places.values() if not (pair[0] % 2 == 1 and pair[1] == pair[0] + 1)]
    flips = [*range(1, len(layout) + 1), *(card for pair in left for card in pair)]
    evidence = " ".join(map(str, flips))
    return {"layout": layout, "verdict": "scored", "value": len(flips), "nodes": len(flips), "evidence": evidence}


def answer(layout: str) -> None:
    answer = solve(layout)
    if limit is not None and answer["nodes"] > limit:
        answer = {"layout": layout, "verdict": "undecided", "nodes": limit}
    write(answer)


def child(seconds: float) -> None:
    """Start a process that keeps the output open."""
    if os.fork() == 0:
        time.sleep(seconds)
        os._exit(0)


def closed() -> None:
    os.close(1)
    time.sleep(FOREVER)


def eats_memory() -> None:
    eaten: list[bytearray] = []
    while True:
        eaten.append(bytearray(10_000_000))


def needs_memory() -> None:
    bytearray(300_000_000)
    answer(POISON)


def floods(data: bytes) -> None:
    while True:
        os.write(1, data)


def writes_errors_forever() -> None:
    while True:
        os.write(2, b"never again\n" * 1000)


def crashes() -> None:
    import ctypes

    ctypes.string_at(0)


def changed(**fields: object) -> Callable[[], None]:
    def fault() -> None:
        write({**solve(POISON), **fields})

    return fault


def dies_with_a_child() -> None:
    child(FOREVER)
    os._exit(5)


def burns_and_dies() -> None:
    if os.fork() == 0:
        while time.process_time() < BURNT:
            pass
        os._exit(0)
    os.wait()
    os._exit(5)


def leaves_a_child() -> None:
    child(FOREVER)
    answer(POISON)


def warns() -> None:
    os.write(2, b"careful\n" * 100_000)
    answer(POISON)


def answers_twice() -> None:
    answer(POISON)
    answer(POISON)


def answers_and_exits() -> None:
    answer(POISON)
    os._exit(0)


def changes_on_disk() -> None:
    with open(sys.argv[0], "a") as file:  # noqa: PTH123 -- pathlib is slow to import
        file.write("# changed\n")
    answer(POISON)


def is_written_again() -> None:
    os.utime(sys.argv[0])
    answer(POISON)


def has_its_manifest_edited() -> None:
    os.utime("program.toml")
    answer(POISON)


FAULTS: dict[str, Callable[[], object]] = {
    "exits with 3": lambda: os._exit(3),
    "crashes": crashes,
    "aborts": os.abort,
    "kills itself": lambda: os.kill(os.getpid(), 9),
    "is killed": lambda: os.kill(0, 9),
    "is killed by signal 40": lambda: os.kill(0, 40),
    "hangs": lambda: time.sleep(FOREVER),
    "closes its output": closed,
    "eats memory": eats_memory,
    "needs memory": needs_memory,
    "floods one line": lambda: floods(b"x" * 60_000),
    "floods lines": lambda: floods(b'{"layout": 1}\n' * 5_000),
    "writes errors forever": writes_errors_forever,
    "warns at length": warns,
    "writes no JSON": lambda: raw(b"winnable\n"),
    "answers another layout": changed(layout="AA"),
    "answers twice": answers_twice,
    "invents a verdict": changed(verdict="won"),
    "claims a win": changed(verdict="winnable", value=None, evidence=None),
    "claims": changed(evidence=None),
    "burns and dies": burns_and_dies,
    "leaves a child": leaves_a_child,
    "dies with a child": dies_with_a_child,
    "answers and exits": answers_and_exits,
    "changes on disk": changes_on_disk,
    "is written again": is_written_again,
    "has its manifest edited": has_its_manifest_edited,
}


def greet() -> None:
    """Introduce itself, as the fault wants it."""
    hello = {
        "is another version": {**HELLO, "version": "2"},
        "is another game": {**HELLO, "game": "hi-q"},
        "is another engine": {**HELLO, "name": "other"},
        "speaks another protocol": {**HELLO, "dealmill": 2},
    }.get(FAULT, HELLO)
    match FAULT:
        case "does not greet":
            time.sleep(FOREVER)
        case "does not start":
            sys.exit("there is no library")
        case "starts slowly":
            time.sleep(0.3)
        case "talks first":
            write(hello)
            write(solve("AA"))
            return
    write(hello)


limit = json.loads(sys.stdin.readline())["max_nodes"]
greet()
for line in sys.stdin:
    layout = line.rstrip("\n")
    if layout == POISON and FAULT in FAULTS:
        FAULTS[FAULT]()
    elif FAULT == "knows one layout" and layout != POISON:
        os.write(2, b"loading\nthere is no library\n")
        os._exit(1)
    elif FAULT == "answers everything twice":
        answer(layout)
        answer(layout)
    else:
        answer(layout)
