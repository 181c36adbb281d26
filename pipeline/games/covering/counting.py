"""The compiled referee of games of pairs, for losses with more positions than plain Python visits in a moment.

It is written from the rules, and shares no code with the engine. Of the plain referee, it uses only what that says of
wins and of the form of layouts and evidence. A card is a number, four for each rank. A position is one word: a bit for
each card that is left, how many cards of the stock were turned, counted with those that are gone, and the further
passes. The list of positions that are reached is also the queue of those to visit. `t` is one array of all else, with
the offsets below.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import Fields, check_memory, compiling, kernel, routine
from dealmill.pipeline.games.covering.player import RefereeOfPlays
from dealmill.pipeline.games.covering.referee import MAX_PLAIN, Loss, mate_of, read_loss
from dealmill.pipeline.games.covering.rules import RANKS, SUITS, UNLIMITED, Position, Rules
from dealmill.referees import CompiledJudge
from dealmill.verdicts import InvalidEvidence, check_positions

Words = NDArray[np.int64]
Slots = NDArray[np.int32]
FIRST_ROOM, MORE_ROOM = 1_000, 30
"""The positions that are counted at first, and how many times as many next: a count that has no room left begins again.
Most counts are short, and a claim may be false: reserving a million at first took longer than most counts."""
SECONDS = 4.0
"""The time that compiling takes, roughly."""

DECK = (1 << 52) - 1
TURNED, PASSES = 52, 58
ARRAY = Fields()
ANY_PASSES, IS_PLAYABLE, OVERLAPS, NEEDS_ALL, IS_OPEN, IDLE, IN_PLACES, PLACE_COUNT, STOCK_SIZE, COUNT = ARRAY.words(10)
PLACES, ORDER, COVERS = ARRAY.rows(3, 52)
SIZE = ARRAY.size
WON, NO_ROOM = -1, -2


class CompiledReferee(CompiledJudge[Rules, Position, Loss]):
    """The referee of a game of pairs: plain Python for losses of at most `MAX_PLAIN` positions."""

    @property
    def plain(self) -> RefereeOfPlays:
        return RefereeOfPlays(self.rules)

    def read_loss(self, evidence: str) -> Loss:
        return read_loss(self.rules, evidence)

    def is_plain(self, loss: Loss) -> bool:
        return loss.positions <= MAX_PLAIN

    def check_plain(self, position: Position, loss: Loss) -> None:
        self.plain.check_count(position, loss)

    def check_compiled(self, _layout: str, position: Position, loss: Loss) -> None:
        """Count the positions of a loss with compiled code."""
        check_positions(count_positions(self.rules, position, loss), loss.positions)


def count_positions(rules: Rules, position: Position, loss: Loss) -> int:
    """Return how many positions of the easier game can be reached, or any number greater than the loss claims.

    Raises
    ------
    InvalidEvidence
        If one of them is won.
    """
    t, start = _loaded(rules, position, loss)
    room, result = min(loss.positions + 1, FIRST_ROOM), NO_ROOM
    while result == NO_ROOM:
        slots = 1 << (2 * room).bit_length()
        check_memory(8 * room + 4 * slots, f"the count of {room:,} positions")
        positions, table = np.empty(room, dtype=np.int64), np.zeros(slots, dtype=np.int32)
        with compiling(Path(__file__).parent, "the referee of covering games", SECONDS):
            result = count(t, start, positions, table)
        if result == NO_ROOM and room == loss.positions + 1:
            return room
        room = min(MORE_ROOM * room, loss.positions + 1)
    if result == WON:
        raise InvalidEvidence(1, f"the {'easier ' if loss.pairs else ''}game can be won")
    return result


def _loaded(rules: Rules, position: Position, loss: Loss) -> tuple[Words, int]:
    """Return the words of a game and a position, and the position as a word."""

    def bits(cards: list[str]) -> int:
        return sum(1 << _number(card) for card in cards if card)

    t = np.zeros(SIZE, dtype=np.int64)
    t[ANY_PASSES], t[IS_PLAYABLE], t[OVERLAPS] = rules.passes == UNLIMITED, rules.playable, rules.overlap
    t[NEEDS_ALL], t[IS_OPEN] = rules.goal == "all" and loss.is_turned, not loss.is_turned
    cards = [card for card in (*position.places, *position.stock) if card]
    t[IDLE] = bits([card for card in cards if card[0] not in loss.pairs and mate_of(card[0]) not in loss.pairs])
    t[IN_PLACES] = bits(list(position.places))
    lying = [(card, covers) for card, covers in zip(position.places, rules.covers, strict=True) if card]
    t[PLACE_COUNT], t[STOCK_SIZE] = len(lying), len(position.stock)
    for at, (card, covers) in enumerate(lying):
        t[PLACES + at] = _number(card)
        t[COVERS + _number(card)] = bits([position.places[cover] for cover in covers])
    t[ORDER : ORDER + len(position.stock)] = [_number(card) for card in position.stock]
    return t, bits(cards) | position.turned << TURNED | position.passes << PASSES


def _number(card: str) -> int:
    return len(SUITS) * RANKS.index(card[0]) + SUITS.index(card[1])


@kernel
def count(t: Words, start: int, positions: Words, table: Slots) -> int:
    """Return the number of positions, `WON` if one of them is won, or `NO_ROOM`."""
    t[COUNT] = 0
    if not _reach(t, positions, table, start & DECK, start >> TURNED & 63, start >> PASSES):
        return NO_ROOM
    visited = 0
    while visited < t[COUNT]:
        position = positions[visited]
        visited += 1
        left = position & DECK
        if not left & t[IN_PLACES] and not (t[NEEDS_ALL] and left):
            return WON
        if not _reach_all(t, positions, table, left, position >> TURNED & 63, position >> PASSES):
            return NO_ROOM
    return int(t[COUNT])


@routine
def _reach_all(t: Words, positions: Words, table: Slots, left: int, turned: int, passes: int) -> bool:
    """Add all positions after a move; return whether there is room."""
    for at in range(t[PLACE_COUNT]):
        card = t[PLACES + at]
        if not left >> card & 1:
            continue
        above = left & t[COVERS + card]
        for mate_at in range(at + 1, t[PLACE_COUNT]):
            mate = t[PLACES + mate_at]
            is_open = above == 0 or (t[OVERLAPS] and above == 1 << mate)
            if is_open and left >> mate & 1 and _pair(card, mate) and not left & t[COVERS + mate]:
                reached = _reach(t, positions, table, left ^ 1 << card ^ 1 << mate, turned, passes)
                if not reached:
                    return False
        if above == 0 and not _reach_with_stock(t, positions, table, left, turned, passes, card):
            return False
    if t[IS_OPEN] or not t[IS_PLAYABLE]:
        return True
    return _reach_in_stock(t, positions, table, left, turned, passes)


@routine
def _reach_with_stock(t: Words, positions: Words, table: Slots, left: int, turned: int, passes: int, card: int) -> bool:
    """Add the positions after a free card of the arrangement and one of the stock have left."""
    top, highest = _top(t, left, turned), -1
    for at in range(t[STOCK_SIZE]):
        mate = t[ORDER + at]
        if not left >> mate & 1 or not _pair(card, mate):
            continue
        after = left ^ 1 << card ^ 1 << mate
        reached = True
        if t[IS_OPEN]:
            highest = max(highest, mate)
        elif at >= top:
            reached = _reach(t, positions, table, after, at, passes)
        elif t[ANY_PASSES] or passes > 0:
            reached = _reach(t, positions, table, _without_idle_stock(t, after), at, max(passes - 1, 0))
        if not reached:
            return False
    return highest < 0 or _reach(t, positions, table, left ^ 1 << card ^ 1 << highest, 0, 0)


@routine
def _reach_in_stock(t: Words, positions: Words, table: Slots, left: int, turned: int, passes: int) -> bool:
    """Add the positions after two cards of the stock have left, one of which follows the other."""
    top, before = _top(t, left, turned), -1
    for at in range(t[STOCK_SIZE]):
        card = t[ORDER + at]
        if not left >> card & 1 or t[IDLE] >> card & 1:
            continue
        if before >= 0 and _pair(card, t[ORDER + before]):
            after, reached = left ^ 1 << card ^ 1 << t[ORDER + before], True
            if before >= top:
                reached = _reach(t, positions, table, after, before, passes)
            elif t[ANY_PASSES] or passes > 0:
                reached = _reach(t, positions, table, _without_idle_stock(t, after), before, max(passes - 1, 0))
            if not reached:
                return False
        before = at
    return True


@routine
def _top(t: Words, left: int, turned: int) -> int:
    """Return where the free card of the waste is in the stock's order; 0 if there is none."""
    while turned > 0 and not left >> t[ORDER + turned - 1] & 1:
        turned -= 1
    return max(turned - 1, 0)


@routine
def _without_idle_stock(t: Words, left: int) -> int:
    after: int = left & ~(t[IDLE] & ~t[IN_PLACES])
    return after


@routine
def _pair(card: int, mate: int) -> bool:
    return (card >> 2) + (mate >> 2) == 11


@routine
def _reach(t: Words, positions: Words, table: Slots, left: int, turned: int, passes: int) -> bool:
    """Add a position after its idle cards have left, unless it was reached before; return whether there is room."""
    for at in range(t[PLACE_COUNT] - 1, -1, -1):
        card = t[PLACES + at]
        if left & t[IDLE] & 1 << card and not left & t[COVERS + card]:
            left ^= 1 << card
    if t[IS_OPEN] or t[ANY_PASSES]:
        turned = passes = 0
    while turned > 0:
        card = t[ORDER + turned - 1]
        if left & ~t[IDLE] & 1 << card:
            break
        left &= ~(1 << card)
        turned -= 1
    for at in range(turned, t[STOCK_SIZE]):
        left &= ~(t[IDLE] & 1 << t[ORDER + at])
    position = left | turned << TURNED | passes << PASSES
    mask = len(table) - 1
    slot = (position ^ position >> 31) * 0x2545F4914F6CDD1D >> 17 & mask
    while table[slot]:
        if positions[table[slot] - 1] == position:
            return True
        slot = (slot + 1) & mask
    if t[COUNT] == len(positions):
        return False
    positions[t[COUNT]] = position
    t[COUNT] += 1
    table[slot] = t[COUNT]
    return True
