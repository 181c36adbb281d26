"""Beams: of all positions after so many moves, the search goes on from the most promising ones only.

A beam finds wins of which each step makes a position better, by the sum of some terms with `WEIGHTS`. Beams with other
weights find other wins. All moves are those of the search without `LITERAL`, and each position is met once. What a beam
needs beside the table is in `BEAM`: the positions of two layers, the candidates for the next one, and for each position
that was ever kept the move that led to it.
"""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.choices import list_moves
from dealmill.pipeline.games.patience.engine.plain.moves import do, next_cards, undo
from dealmill.pipeline.games.patience.engine.plain.relaxed import is_lost
from dealmill.pipeline.games.patience.engine.plain.search import clear_table, go_to_start, is_stored, store
from dealmill.pipeline.games.patience.engine.plain.settling import settle
from dealmill.pipeline.games.patience.engine.plain.words import Words

WEIGHTS = (
    (10, 6, 3, 4, 2, 12, 8, 1, 4),
    (10, 6, 3, 3, 4, 12, 8, 1, 8),
    (10, 3, 1, 6, 3, 20, 8, 1, 4),
    (5, 4, 2, 6, 4, 16, 12, 1, 8),
)
"""What makes a position better, and what worse: each card that is up; each on the next card of a suit that goes up, and
on the one after it; each that does not fit the card under it; each with a lower one under it; each empty column; each
card that lies face down; and each of the stock."""
LAYERS = 256
"""A beam has no more moves."""
POSITION = k.RESERVE_CARDS - k.POSITION
"""The words of a position that are kept: the order of the reserve never changes."""
CANDIDATE, CANDIDATES = 2, 16
"""The words of a candidate, and how many there are for each position of a layer."""
SCORES = 4_096
MOVE_BITS = 30
MOVE = (1 << MOVE_BITS) - 1
"""The bits of a move; those above are the number of the position before."""


def words_of_beam(width: int) -> int:
    """Return the words that beams of at most this width need."""
    candidates = CANDIDATES * width + k.MOVES_IN_ORDER
    return SCORES + 64 + 2 * POSITION * width + (CANDIDATE + 1) * candidates + LAYERS * width


@inlined
def _value(s: Words, number: int, stack: int) -> int:
    """Return how good a position is, by one of the sets of weights; cards are written to `stack`."""
    value: int = int64(0)
    up, first, second, misfit, covering, space, hidden, dealt, cell = WEIGHTS[number]
    value -= up * s[k.LEFT] + dealt * s[k.STOCK_COUNT] + cell * s[k.CELL_COUNT]
    following, later_cards = next_cards(s), int64(0)
    for suit in range(4):
        if s[k.UP + suit] + 1 < s[k.RANKS]:
            later_cards |= bit_of(13 * suit + s[k.UP + suit] + 1)
        if 0 < s[k.DOWN + suit] < s[k.RANKS]:
            later_cards |= bit_of(13 * suit + s[k.DOWN + suit] - 1)
    for column in range(s[k.COLUMNS]):
        card, count = s[k.TOP + column], int64(0)
        if card == k.NO_CARD:
            value += space
        while card != k.NO_CARD:
            s[stack + count] = card
            if following & bit_of(card):
                value -= first * count
            elif later_cards & bit_of(card):
                value -= second * count
            if s[k.FACE_DOWN] & bit_of(card):
                value -= hidden
            elif s[k.UNDER + card] != k.NO_CARD and s[k.PARENTS + card] & bit_of(s[k.UNDER + card]) == 0:
                value -= misfit
            count += 1
            card = s[k.UNDER + card]
        lowest = int64(13)
        while count:
            count -= 1
            rank = s[stack + count] % 13
            if rank > lowest:
                value -= covering
            else:
                lowest = rank
    return value


@inlined
def _count_scores(s: Words, scores: int, candidates: int, count: int) -> None:
    for score in range(SCORES):
        s[scores + score] = 0
    for number in range(count):
        s[scores + s[candidates + CANDIDATE * number]] += 1


@inlined
def _worst_of(s: Words, scores: int, room: int) -> tuple[int, int]:
    """Return the least score of the best candidates that have room, and how many of those with it have."""
    score = int64(SCORES - 1)
    while score > 0 and s[scores + score] <= room:
        room -= s[scores + score]
        score -= 1
    return score, room


@routine
def _thin_out(s: Words, scores: int, candidates: int, count: int, room: int) -> int:
    """Leave the best candidates, in their order; of those that are as good as the worst of them, the earliest. Return
    their number."""
    _count_scores(s, scores, candidates, count)
    worst, left = _worst_of(s, scores, room)
    remaining = int64(0)
    for number in range(count):
        at = candidates + CANDIDATE * number
        if s[at] > worst or (s[at] == worst and left > 0):
            left -= s[at] == worst
            s[candidates + CANDIDATE * remaining] = s[at]
            s[candidates + CANDIDATE * remaining + 1] = s[at + 1]
            remaining += 1
    return remaining


@routine
def _sort(s: Words, scores: int, candidates: int, count: int, order: int) -> None:
    """Write the numbers of the candidates, the best first; those that are equally good keep their order."""
    _count_scores(s, scores, candidates, count)
    start = int64(0)
    for step in range(SCORES):
        at = scores + SCORES - 1 - step
        size = s[at]
        s[at] = start
        start += size
    for number in range(count):
        at = scores + s[candidates + CANDIDATE * number]
        s[order + s[at]] = number
        s[at] += 1


@inlined
def _store_position(s: Words, target: int) -> None:
    for at in range(POSITION):
        s[target + at] = s[k.POSITION + at]


@inlined
def _load_position(s: Words, source: int) -> None:
    for at in range(POSITION):
        s[k.POSITION + at] = s[source + at]


@routine
def _play(s: Words, move: int) -> None:
    do(s, move, int64(0))
    settle(s)


@routine
def _take_back(s: Words) -> None:
    undo(s, int64(0))


@routine
def _win(s: Words, history: int, width: int, layer: int, parent: int, move: int, path: int) -> int:
    """Play the moves that led to a position of a layer, and one more."""
    count = int64(0)
    s[path] = move
    while layer > 0:
        count += 1
        step = s[history + width * layer + parent]
        s[path + count] = step & MOVE
        parent = step >> MOVE_BITS
        layer -= 1
    go_to_start(s)
    settle(s)
    while count >= 0:
        _play(s, s[path + count])
        count -= 1
    return int64(k.WON if s[k.LEFT] == 0 else k.CONTRADICTION)


@routine
def search_by_beam(s: Words, width: int, number: int) -> int:
    """Search with a beam of this width, by one of the sets of weights. It is `OPEN` if no win was found, and
    `OUT_OF_NODES` if the limit of all searches is reached before."""
    scores, stack = s[k.BEAM], s[k.BEAM] + SCORES
    layers = stack + 64
    candidates = layers + 2 * POSITION * width
    room = CANDIDATES * width + k.MOVES_IN_ORDER
    order = candidates + CANDIDATE * room
    history = order + room
    go_to_start(s)
    clear_table(s, int64(k.FIRST_TABLE))
    s[k.STORED] = s[k.TOO_DEEP] = 0
    settle(s)
    store(s)
    layer_rows, next_rows, size = layers, layers + POSITION * width, int64(1)
    _store_position(s, layer_rows)
    for layer in range(LAYERS):
        count = int64(0)
        for parent in range(size):
            _load_position(s, layer_rows + POSITION * parent)
            s[k.DONE] = 0
            end = list_moves(s, int64(0), int64(k.EVERY))
            for at in range(end):
                move = s[s[k.MOVES] + at] & MOVE
                _play(s, move)
                if s[k.LEFT] == 0:
                    return _win(s, history, width, int64(layer), int64(parent), move, order)
                if not is_stored(s, s[k.HASH]):
                    if count == room:
                        count = _thin_out(s, scores, candidates, count, 4 * width)
                    value = max(int64(0), min(int64(SCORES - 1), _value(s, number, stack) + SCORES // 2))
                    s[candidates + CANDIDATE * count] = value
                    s[candidates + CANDIDATE * count + 1] = int64(parent) << MOVE_BITS | move
                    count += 1
                _take_back(s)
        _sort(s, scores, candidates, count, order)
        size = int64(0)
        if layer + 1 == LAYERS:
            count = int64(0)
        for rank in range(count):
            if size == width:
                break
            step = s[candidates + CANDIDATE * s[order + rank] + 1]
            _load_position(s, layer_rows + POSITION * (step >> MOVE_BITS))
            s[k.DONE] = 0
            _play(s, step & MOVE)
            if not store(s):
                continue
            if s[k.NODES] >= s[k.LIMIT]:
                return int64(k.OUT_OF_NODES)
            s[k.NODES] += 1
            if s[k.RELAXED] and is_lost(s):
                continue
            _store_position(s, next_rows + POSITION * size)
            s[history + width * (layer + 1) + size] = step
            size += 1
        if size == 0:
            return int64(k.OPEN)
        layer_rows, next_rows = next_rows, layer_rows
    return int64(k.OPEN)
