"""Numbered deals of Tantrix: positions reached by legal play of two players.

A game is played with the random numbers of the deal (see `dealmill.pipeline.games.philox`), in these steps:

1. The 56 tiles, each in its alphabetically first rotation, are put in alphabetical order and shuffled. The first player
   draws the first five, the second player the next five.
2. The players take turns. The first move places a tile on 0,0: one of the 30 rotations of the five tiles in hand. Every
   other move is one of the legal moves. Moves are numbered from 0, in order of x, then y, then the colours in
   alphabetical order, and the number of the move is drawn. The player then draws the next tile.
3. When `tiles` tiles have been placed, the deal is complete: the field, and the hand of the player to move. If a player
   has no legal move before that, the game starts again at step 1 with the random numbers that follow.
"""

import numpy as np

from dealmill.kernels import Bytes, Numbers, Stream, Texts, below, kernel, open_stream, shuffle
from dealmill.pipeline.games.tantrix.board import (
    MOVE_ROOM,
    MOVE_SHIFT,
    OPEN_ROOM,
    TURNED_HAND,
    ZERO,
    clear,
    empty_field,
    insert,
    list_moves,
    place,
    sort,
    turn_hand,
)
from dealmill.pipeline.games.tantrix.notation import (
    BLANK,
    ORIGIN,
    SLASH,
    WHOLE_TILE,
    Words,
    least_rotation,
    read_tile,
    write_placed,
    write_tile,
)
from dealmill.pipeline.games.tantrix.tiles import HAND, SIDES, TILES

PLAYERS = 2
LONGEST_PLACED = len("-19,-19:BBGGRR ")
LONGEST_HAND = len("/ ") + HAND * len("BBGGRR ")


def deal(seed: int, first: int, count: int, tiles: int = 10) -> Texts:
    """Return the canonical texts of deals `[first, first + count)` of `seed`, with `tiles` tiles on the field."""
    names = np.frombuffer("".join(TILES).encode("ascii"), dtype=np.uint8)
    text = np.empty(count * (LONGEST_PLACED * tiles + LONGEST_HAND), dtype=np.uint8)
    starts = np.zeros(count + 1, dtype=np.int64)
    _deal_each(np.uint64(seed), np.uint64(first), tiles, names, text, starts[1:])
    return Texts(text, starts)


@kernel
def _deal_each(seed: np.uint64, first: np.uint64, tiles: int, names: Bytes, text: Bytes, ends: Numbers) -> None:
    stream = np.empty(8, dtype=np.uint64)
    all_tiles = np.empty(len(names) // SIDES, dtype=np.uint64)
    for number in range(len(all_tiles)):
        all_tiles[number] = read_tile(names, number * SIDES)
    field = empty_field()
    played = np.empty(tiles, dtype=np.uint64)
    hands = np.empty((PLAYERS, HAND), dtype=np.uint64)
    hand = np.empty(HAND, dtype=np.uint64)
    end = 0
    for i in range(len(ends)):
        open_stream(stream, seed, first + np.uint64(i))
        while not _play(stream, all_tiles, field, played, hands):
            pass
        for count in range(HAND):
            hand[count] = hands[tiles % PLAYERS, count]
        sort(hand)
        end = _write(played, hand, text, end)
        ends[i] = end


@kernel
def _play(stream: Stream, all_tiles: Words, field: Words, played: Words, hands: Words) -> bool:
    """Play until `played` is full, and sort it; return False if a player has no legal move before that. Leaves the
    field empty."""
    open_spaces = np.empty(OPEN_ROOM, dtype=np.uint64)
    turned_hand = np.empty(TURNED_HAND, dtype=np.uint64)
    moves = np.empty(MOVE_ROOM, dtype=np.uint64)
    bag = np.empty(len(all_tiles), dtype=np.uint8)
    for number in range(len(bag)):
        bag[number] = number
    shuffle(stream, bag, len(bag))
    for i in range(PLAYERS * HAND):
        hands[i // HAND, i % HAND] = all_tiles[bag[i]]
    turn, count = 0, ZERO
    while turn < len(played):
        hand = hands[turn % PLAYERS]
        turn_hand(hand, turned_hand)
        if turn == 0:
            sort(turned_hand)
            move = ORIGIN << MOVE_SHIFT | turned_hand[below(stream, TURNED_HAND)]
        else:
            choice = list_moves(field, open_spaces, count, turned_hand, moves)
            if choice == 0:
                break
            move = moves[below(stream, choice)]
        space, tile = move >> MOVE_SHIFT, move & WHOLE_TILE
        count = place(field, open_spaces, count, space, tile)
        _replace(hand, least_rotation(tile), all_tiles[bag[PLAYERS * HAND + turn]])
        insert(played, np.uint64(turn), move)
        turn += 1
    clear(field, played[:turn] >> MOVE_SHIFT)
    clear(field, open_spaces[:count])
    return turn == len(played)


@kernel
def _replace(hand: Words, played: np.uint64, drawn: np.uint64) -> None:
    for i in range(HAND):
        if hand[i] == played:
            hand[i] = drawn
            break


@kernel
def _write(played: Words, hand: Words, text: Bytes, end: int) -> int:
    """Write the canonical text of a position at `end`, and return the new end."""
    for move in played:
        end = write_placed(move >> MOVE_SHIFT, move & WHOLE_TILE, text, end)
        text[end] = BLANK
        end += 1
    text[end] = SLASH
    end += 1
    for tile in hand:
        text[end] = BLANK
        end = write_tile(tile, text, end + 1)
    return end
