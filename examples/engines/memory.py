#!/usr/bin/env python3
"""A solver of Memory for Dealmill: look at all cards, then collect the pairs."""

import json
import sys


def solve(layout, limit):
    places = {}
    for card, letter in enumerate(layout, start=1):
        places.setdefault(letter, []).append(card)
    flips = list(range(1, len(layout) + 1))
    for first, second in places.values():
        found_on_the_way = first % 2 == 1 and second == first + 1
        if not found_on_the_way:
            flips += [first, second]
    if limit is not None and len(flips) > limit:
        return {"verdict": "undecided", "nodes": limit}
    return {"verdict": "scored", "value": len(flips), "nodes": len(flips), "evidence": " ".join(map(str, flips))}


def write(answer):
    print(json.dumps(answer), flush=True)


limit = json.loads(sys.stdin.readline())["max_nodes"]
write({"dealmill": 1, "game": "memory", "name": "python", "version": "1"})
for line in sys.stdin:
    layout = line.rstrip("\n")
    write({"layout": layout, **solve(layout, limit)})
