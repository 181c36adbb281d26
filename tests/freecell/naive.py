"""A second implementation of the rules of FreeCell, in its own terms: cards are numbers, and only single cards move."""

from collections.abc import Iterator

from dealmill_freecell.rules import RANKS, SUITS

Board = tuple[tuple[tuple[int, ...], ...], frozenset[int]]
"""Columns with their cards from the bottom to the top, and the cards in the free cells. A card is 4 · rank + suit, with
suits in the order ♡♣♢♠; the cards that are in neither are on the foundations."""


def parse(layout: str) -> Board:
    """Return the board of a layout."""
    columns = [
        tuple(4 * RANKS.index(rank) + SUITS.index(suit) for rank, suit in zip(text[::2], text[1::2], strict=True))
        for text in layout.split("/")
    ]
    return tuple(columns), frozenset()


def moves(board: Board) -> Iterator[tuple[int | None, int, int | str | None]]:
    """Yield moves: the source column or None for a free cell, the card, and the target: a column, ``h`` or None."""
    columns, cells = board
    in_play = {card for column in columns for card in column} | cells
    sources = [(source, column[-1]) for source, column in enumerate(columns) if column] + [
        (None, card) for card in cells
    ]
    for source, card in sources:
        if not any(lower in in_play for lower in range(card % 4, card, 4)):
            yield source, card, "h"
        if source is not None and len(cells) < 4:
            yield source, card, None
        for target, column in enumerate(columns):
            fits = not column or (column[-1] // 4 == card // 4 + 1 and (column[-1] + card) % 2 == 1)
            if target != source and fits:
                yield source, card, target


def after(board: Board, move: tuple[int | None, int, int | str | None]) -> Board:
    """Return the board after a move."""
    (source, card, target), (columns, cells) = move, board
    lists = [list(column) for column in columns]
    held = set(cells)
    if source is None:
        held.remove(card)
    else:
        lists[source].pop()
    if target is None:
        held.add(card)
    elif isinstance(target, int):
        lists[target].append(card)
    return tuple(map(tuple, lists)), frozenset(held)


def same(board: Board) -> tuple[frozenset[tuple[int, ...]], frozenset[int]]:
    """Return what two boards have in common if they differ only in the order of columns."""
    return frozenset(board[0]), board[1]


def reachable(layout: str) -> int:
    """Return the number of positions that can be reached; the order of columns and free cells does not count."""
    first = parse(layout)
    reached, waiting = {same(first)}, [first]
    while waiting:
        board = waiting.pop()
        for move in moves(board):
            following = after(board, move)
            if same(following) not in reached:
                reached.add(same(following))
                waiting.append(following)
    return len(reached)
