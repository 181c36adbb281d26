#!/usr/bin/env python3
"""Freecell Solver as an engine of Dealmill's game ``freecell``: positions in, moves of single cards out.

`fc_solve` calls the library. Its boards have columns and free cells by number, and its moves can be of several cards.
Here, both become Dealmill's: ``6H7S`` puts the six of hearts on the seven of spades, and ``6Hf``, ``6Hc`` and ``6He``
put it on its foundation, into a free cell, and into an empty column.
"""

import json
import re
import sys
from collections.abc import Iterator

import fc_solve

CARD = re.compile("[A2-9TJQK][CHSD]")
MOVE = re.compile(r"([1-8a-d])([1-8a-dh])(?:v([0-9a-d]))?")
CELLS = "abcd"
SUITS = "HCDS"


class Table:
    """A game in progress: the cards in the columns, the last one on top, and in the free cells, by their names."""

    def __init__(self, layout: str) -> None:
        """Set up a canonical layout."""
        _, columns, *parts = layout.split(" ")
        cards = {name: CARD.findall(text) for name, _, text in (part.partition(":") for part in parts)}
        piles = [CARD.findall(column) for column in columns.split("/")]
        self.columns: dict[str, list[str]] = {str(number): pile for number, pile in enumerate(piles, start=1)}
        self.cells: dict[str, str] = dict(zip(CELLS, cards.get("cells", []), strict=False))
        self.foundations: list[str] = cards.get("foundations", [])
        """The top card of each that has cards."""

    def board(self) -> str:
        """Return the board as `fc_solve` takes it: lines that are separated by slashes."""
        tops = dict.fromkeys(SUITS, "0") | {card[1]: card[0] for card in self.foundations}
        heads = [
            "Foundations: " + " ".join(f"{suit}-{rank}" for suit, rank in tops.items()),
            "Freecells: " + " ".join(self.cells.values()),
        ]
        return "/".join([*heads, *(f": {' '.join(column)}" for column in self.columns.values())])

    def moves(self, word: str) -> Iterator[str]:
        """Do a move of `fc_solve`, and yield it as moves of single cards."""
        match = MOVE.fullmatch(word)
        assert match, word  # noqa: S101 -- fc_solve writes no other words
        source, target, count = match[1], match[2], int(match[3] or "1", 16)
        spaces = [name for name, column in self.columns.items() if not column and name not in (source, target)]
        yield from self._move_run(source, target, count, spaces)

    def _move_run(self, source: str, target: str, count: int, spaces: list[str]) -> Iterator[str]:
        """Move cards one by one, by way of free cells, and of empty columns if there are more. A whole column that goes
        to an empty one is the same position, so nothing is written."""
        columns = self.columns
        if source in columns and len(columns[source]) == count and columns.get(target) == []:
            columns[source], columns[target] = [], columns[source]
            return
        free = [cell for cell in CELLS if cell not in self.cells]
        if count <= len(free) + 1:
            for cell in free[: count - 1]:
                yield self._move_card(source, cell)
            yield self._move_card(source, target)
            for cell in free[: count - 1][::-1]:
                yield self._move_card(cell, target)
            return
        space, *others = spaces
        upper = min(count - 1, (len(free) + 1) << len(others))
        yield from self._move_run(source, space, upper, others)
        yield from self._move_run(source, target, count - upper, others)
        yield from self._move_run(space, target, upper, others)

    def _move_card(self, source: str, target: str) -> str:
        card = self.cells.pop(source) if source in CELLS else self.columns[source].pop()
        if target == "h":
            return f"{card}f"
        if target in CELLS:
            self.cells[target] = card
            return f"{card}c"
        column = self.columns[target]
        column.append(card)
        return card + (column[-2] if len(column) > 1 else "e")


def answer(layout: str, limit: int, fast: fc_solve.Search, exhaustive: fc_solve.Search) -> dict[str, object]:
    """Return the answer for a layout, with evidence as Dealmill reads it."""
    table = Table(layout)
    answered = fc_solve.answer(table.board(), limit, fast, exhaustive)
    match answered["verdict"]:
        case "winnable":
            words = str(answered["evidence"]).split()
            return {**answered, "evidence": " ".join(move for word in words for move in table.moves(word)) or "-"}
        case "unwinnable":
            return {**answered, "evidence": f"* {answered['evidence']}"}
    return answered


def main() -> None:
    """Answer the layouts on the standard input, one line each."""
    greeting = json.loads(sys.stdin.readline())
    limit = fc_solve.NO_LIMIT if greeting["max_nodes"] is None else greeting["max_nodes"]
    library = fc_solve.load()
    fast, exhaustive = fc_solve.Search(library, fc_solve.FAST), fc_solve.Search(library, fc_solve.EXHAUSTIVE)
    version = library.get_lib_version(fast.instance).decode()
    _write({"dealmill": 1, "game": "freecell", "name": "fc-solve", "version": version})
    for line in sys.stdin:
        layout = line.rstrip("\n")
        _write({"layout": layout, **answer(layout, limit, fast, exhaustive)})


def _write(reply: dict[str, object]) -> None:
    print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
