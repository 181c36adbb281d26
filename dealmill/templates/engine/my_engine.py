#!/usr/bin/env python3
"""A solver of my-game for Dealmill: one layout per line in, one verdict per line out.

It decides nothing yet: replace `solve`.
"""

import json
import sys


def solve(layout: str, max_nodes: int | None) -> dict[str, object]:
    """Return the verdict, the number of nodes searched, and the evidence.

    It must depend on nothing but the arguments, and search at most `max_nodes`
    nodes; None is no limit. The verdicts are:

    {"verdict": "winnable", "nodes": 17, "evidence": "the moves of a solution"}
    {"verdict": "unwinnable", "nodes": 17, "evidence": "a certificate"}
    {"verdict": "scored", "nodes": 17, "value": 8, "evidence": "the steps to the value"}
    {"verdict": "undecided", "nodes": 17}
    """
    return {"verdict": "undecided", "nodes": 0}


def write(message: dict[str, object]) -> None:
    """Write a line. It must leave at once: Dealmill waits for it."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Introduce the program, then answer each layout."""
    start = json.loads(sys.stdin.readline())
    write({"dealmill": 1, "game": "my-game", "name": "my-engine", "version": "1"})
    for line in sys.stdin:
        layout = line.rstrip("\n")
        write({"layout": layout, **solve(layout, start["max_nodes"])})


if __name__ == "__main__":
    main()
