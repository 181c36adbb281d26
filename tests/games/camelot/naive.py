"""Camelot by exhaustive search, twice: on counts of cards with a full deck, and literally, slot by slot, on any table.

Neither knows that removing more never hurts, or that slots can be renamed. And a play replayed sign by sign.
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations

Board = tuple[str, ...]
WORTH = {"A": 1, "0": 10} | {str(pip): pip for pip in range(2, 10)}


def _removals(board: Board) -> set[Board]:
    """Every board that some sequence of removals leads to, this one excluded."""
    reached: set[Board] = set()
    waiting = [board]
    while waiting:
        cards = waiting.pop()
        for size in (1, 2):
            for slots in combinations(range(len(cards)), size):
                if sum(WORTH.get(cards[slot], 99) for slot in slots) == 10:
                    after = tuple(card for slot, card in enumerate(cards) if slot not in slots)
                    if after not in reached:
                        reached.add(after)
                        waiting.append(after)
    return reached


def winnable_by_counts(deck: str, slots: int = 16) -> bool:
    """Whether some choice of removals wins, with slots that any card can lie in."""

    @cache
    def wins(board: Board, dealt: int) -> bool:
        room = slots - len(board)
        if not room:
            return False
        after = dealt + min(room, len(deck) - dealt)
        full = tuple(sorted(board + tuple(deck[dealt:after])))
        for left in _removals(full):
            if after < len(deck):
                if wins(left, after):
                    return True
            elif all(card not in WORTH for card in left):
                return True
        return False

    return wins((), 0)


def winnable_literally(deck: str, places: Mapping[str, tuple[int, ...]], slots: int) -> bool:
    """Whether some choice of slots and removals wins; `places` says where each court card may lie."""

    @cache
    def deals(board: Board, dealt: int) -> bool:
        if dealt == len(deck) or "" not in board:
            return removes(board, dealt)
        card = deck[dealt]
        return any(
            deals((*board[:slot], card, *board[slot + 1 :]), dealt + 1)
            for slot in places.get(card, tuple(range(slots)))
            if not board[slot]
        )

    def removes(board: Board, dealt: int) -> bool:
        """Every way of removing at least one card or pair."""
        seen = {board}
        waiting = [board]
        while waiting:
            now = waiting.pop()
            for size in (1, 2):
                for picked in combinations(range(slots), size):
                    if all(now[slot] for slot in picked) and sum(WORTH.get(now[slot], 99) for slot in picked) == 10:
                        after = tuple("" if slot in picked else card for slot, card in enumerate(now))
                        if after not in seen:
                            seen.add(after)
                            waiting.append(after)
        seen.discard(board)
        if dealt == len(deck):
            return any(all(card not in WORTH for card in after if card) for after in seen)
        return any(deals(after, dealt) for after in seen)

    return deals(("",) * slots, 0)


def full_prefix(deck: str, slots: int = 16) -> int | None:
    """The least number of cards whose dealing fills all slots for good, while more are to come."""
    for cards in range(slots, len(deck)):
        prefix = deck[:cards]
        left = sum(card not in WORTH for card in prefix) + prefix.count("5") % 2
        left += sum(abs(prefix.count(low) - prefix.count(high)) for low, high in ("A9", "28", "37", "46"))
        if left >= slots:
            return cards
    return None


def winnable_by_prefixes(deck: str, slots: int) -> bool:
    """The closed form that the engine uses, for any table."""
    return full_prefix(deck, slots) is None


def replay_wins(deck: str, trace: str) -> bool:
    """Whether a trace is a play by the rules that wins, on a grid of rows and columns."""
    grid = [[" "] * 4 for _ in range(4)]
    waiting = list(deck)
    dealing, cleared = True, 1
    for word in trace.split(" "):
        slots = [divmod("abcdefghijklmnop".find(sign), 4) for sign in word.lstrip("-")]
        if not slots or any(row < 0 for row, _ in slots) or len(word) - len(slots) != word.startswith("-"):
            return False
        if word.startswith("-"):
            cards = [grid[row][column] for row, column in slots]
            if dealing or len(set(slots)) != len(slots) or sum(WORTH.get(card, 99) for card in cards) != 10:
                return False
            cleared += 1
            for row, column in slots:
                grid[row][column] = " "
        else:
            if not cleared:
                return False
            for row, column in slots:
                if not waiting or grid[row][column] != " " or not _fits(waiting[0], row, column):
                    return False
                grid[row][column] = waiting.pop(0)
            if waiting and any(" " in line for line in grid):
                return False
            dealing, cleared = False, 0
    return cleared > 0 and not waiting and not any(card in WORTH for line in grid for card in line)


def _fits(card: str, row: int, column: int) -> bool:
    edge_row, edge_column = row in (0, 3), column in (0, 3)
    return {"K": edge_row and edge_column, "Q": edge_row and not edge_column, "J": edge_column and not edge_row}.get(
        card, True
    )
