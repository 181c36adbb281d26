"""The engine for the odds of card pairing: the exact chance that random play wins, from the graph of all positions.

A position is the numbers of cards left in the stacks, side by side in a word. Positions are reached layer by layer,
since each move removes two cards. Then the numbers of a position are sums over the positions after its moves, from the
last layer back to the first. Chances are whole numbers, too: in a layer, they are multiples of one fraction. Numbers
have digits of 32 bits, the lowest first.
"""

from itertools import pairwise
from math import gcd
from typing import NamedTuple

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import (
    Bytes,
    Numbers,
    Results,
    Solved,
    Texts,
    allocating,
    inlined,
    kernel,
    lowest_bit,
    routine,
    run_kernel,
    to_texts,
)
from dealmill.pipeline.games.card_pairing.any_size.table import read_cards
from dealmill.pipeline.games.card_pairing.canonical import GOLDEN
from dealmill.pipeline.games.card_pairing.layout import MAX_CARDS
from dealmill.pipeline.games.card_pairing.sets import (
    EIGHT,
    FOUR,
    GAVE_UP,
    LOST,
    ONE,
    THREE,
    TWO,
    WON,
    ZERO,
    Halves,
    Words,
)
from dealmill.verdicts import Verdict

SCORED = int(Verdict.SCORED)
UNDECIDED = int(Verdict.UNDECIDED)

CERTAINTY = 10**6
"""The value of a deal that every play wins."""
MAX_POSITIONS = 1_000_000
"""A deal with more positions is undecided."""
ROOMS = (1 << 13, 1 << 17, 1 << 21)
"""The positions for which a graph has room: enough for random deals of the default size, for larger ones, and for any
deal. A graph for the last needs up to 270 MB."""
MOVES, DIGITS = 8, 16
"""The room for moves and digits per position. A deal that needs more in the largest graph is undecided."""
LONGEST_NUMBER = 400
"""The most digits of a number, 3,853 decimal digits; Python reads and writes up to 4,300."""
LONGEST_EVIDENCE = 4 * 4 * LONGEST_NUMBER
MAX_LAYERS = MAX_CARDS // 2 + 1
MAX_FACTORS = 140
"""The least multiple of all numbers of moves has fewer than 2,920 bits, and each factor but the last at least 21: there
are at most 2,016 moves."""

NO_WIN = np.uint32(0xFFFFFFFF)
GOING_ON, FULL = 0, 4
"""What exploring a position can come to, besides `GAVE_UP`."""
POSITIONS, EDGES, LAYERS = range(3)
DIGIT_BITS, LOW_DIGIT = np.uint64(32), np.uint64(0xFFFFFFFF)
DIGIT_BYTES, LOW_BYTE = np.uint64(4), np.uint64(255)
WORD = np.uint64(64)


class Deal(NamedTuple):
    """A deal, without its empty stacks."""

    rank_at: Words
    """The rank of each card, stack by stack from bottom to top."""
    first_card: Words
    """The lowest card of each stack."""
    shifts: Words
    """For each stack, the lowest bit of its number of cards in a position."""
    masks: Words
    ranks: np.uint64
    start: np.uint64
    """The position before the first move; 0 if it does not fit into a word."""


class Graph(NamedTuple):
    """The positions that can be reached from a deal, in the order in which they are reached, and the moves."""

    positions: Words
    slots: Halves
    """A hash table with open addressing: the index of a position plus 1, or 0."""
    first_edge: Halves
    """For each position, its first edge, and that of the next position."""
    edges: Halves
    """For each move, the index of the position after it."""
    layers: Words
    """The first position of each layer, and the end of the last one."""
    first_digit: Halves
    """For each position, the first digit of its number of winning orders, which those of its chance follow; `NO_WIN` if
    there are no winning orders."""
    digits: Halves
    counts: Words
    """The numbers of positions with cards left, of edges, and of layers of positions with cards left."""


def odds(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Compute the chance that random play wins; a node is a position with cards left that can be reached."""
    solved = run_kernel(_solve_each, layouts, max_nodes, LONGEST_EVIDENCE)
    written = solved.evidence.concatenated_text.tobytes()
    ends = (solved.evidence.starts - solved.evidence.starts[0]).tolist()
    values, evidence = [], []
    for (begin, end), positions in zip(pairwise(ends), solved.nodes.tolist(), strict=True):
        if begin == end:
            values.append(0)
            evidence.append("")
            continue
        size = (end - begin) // 4
        orders, won, plays, critical = (
            int.from_bytes(written[at : at + size], "little") for at in range(begin, end, size)
        )
        common = gcd(won, plays)
        values.append(-(-won * CERTAINTY // plays))
        evidence.append(f"{won // common}/{plays // common} {orders} {critical} {positions}")
    return Solved(solved.verdicts, np.array(values, dtype=np.int64), solved.nodes, to_texts(evidence))


@kernel
def _solve_each(text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    small = _new_graph(ROOMS[0])
    most_positions = np.uint64(min(limit, MAX_POSITIONS))
    end = ZERO
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - np.int64(end) < LONGEST_EVIDENCE:
            return i
        deal = _read(text, np.uint64(starts[i]), np.uint64(starts[i + 1]))
        results.verdicts[i] = UNDECIDED
        for room in ROOMS:
            graph = small if room == ROOMS[0] else _new_graph(room)
            outcome = _reach(deal, graph, most_positions)
            results.nodes[i] = min(graph.counts[POSITIONS], most_positions)
            size = _write_numbers(graph, results.evidence[end:], outcome == WON) if outcome in (WON, LOST) else ZERO
            if size:
                results.verdicts[i] = SCORED
                end += size
            if size or outcome == GAVE_UP:
                break
        results.ends[i] = end
    return len(results.verdicts)


@allocating
def _new_graph(room: int) -> Graph:
    return Graph(
        np.empty(room, dtype=np.uint64),
        np.empty(2 * room, dtype=np.uint32),
        np.empty(room + 1, dtype=np.uint32),
        np.empty(MOVES * room, dtype=np.uint32),
        np.empty(MAX_LAYERS + 1, dtype=np.uint64),
        np.empty(room, dtype=np.uint32),
        np.empty(DIGITS * room, dtype=np.uint32),
        np.empty(3, dtype=np.uint64),
    )


@allocating
def _read(text: Bytes, begin: np.uint64, end: np.uint64) -> Deal:
    rank_at = np.empty(end - begin, dtype=np.uint64)
    sizes = np.zeros(end - begin, dtype=np.uint64)
    first_card = np.zeros(end - begin + TWO, dtype=np.uint64)
    _, all_stacks, ranks = read_cards(text, begin, end, rank_at, sizes, first_card)
    shifts = np.empty(all_stacks, dtype=np.uint64)
    masks = np.empty(all_stacks, dtype=np.uint64)
    stacks = start = shift = ZERO
    for stack in range(all_stacks):
        height, bits = first_card[stack + ONE] - first_card[stack], ZERO
        if height == ZERO:
            continue
        while height >> bits:
            bits += ONE
        if shift + bits > WORD:
            start = ZERO
            break
        first_card[stacks], shifts[stacks], masks[stacks] = first_card[stack], shift, (ONE << bits) - ONE
        start |= height << shift
        shift += bits
        stacks += ONE
    return Deal(rank_at, first_card[:stacks], shifts[:stacks], masks[:stacks], ranks, start)


@allocating
def _reach(deal: Deal, graph: Graph, limit: np.uint64) -> int:
    """Reach all positions, layer by layer.

    Returns `WON` or `LOST`, `GAVE_UP` if the positions with cards left are more than `limit`, and `FULL` if the graph
    has not enough room.
    """
    graph.counts[:] = ZERO
    if ZERO in (deal.start, limit):
        return GAVE_UP
    graph.slots[:] = 0
    tops = np.empty(deal.ranks, dtype=np.uint64)
    graph.positions[ZERO], graph.layers[ZERO] = deal.start, ZERO
    graph.counts[POSITIONS] = ONE
    begin = ZERO
    while begin < graph.counts[POSITIONS]:
        if graph.positions[begin] == ZERO:
            graph.counts[POSITIONS] = begin
            return WON
        end = graph.counts[POSITIONS]
        outcome = _explore(deal, graph, begin, tops, limit)
        if outcome != GOING_ON:
            return outcome
        graph.counts[LAYERS] += ONE
        graph.layers[graph.counts[LAYERS]] = begin = end
    return LOST


@routine
def _explore(deal: Deal, graph: Graph, begin: np.uint64, tops: Words, limit: np.uint64) -> int:
    """Enter the moves of the last layer, which starts with position `begin`, and the positions after them.

    `tops` has room for the set of stacks on which each rank is uncovered. To call a function for each position would
    take longer than to explore it.
    """
    positions, slots, first_edge, edges, _, _, _, counts = graph
    last_slot, edge = np.uint64(len(slots)) - ONE, counts[EDGES]
    for number in range(begin, counts[POSITIONS]):
        position = positions[number]
        first_edge[number] = edge
        tops[:] = ZERO
        for stack in range(np.uint64(len(deal.shifts))):
            height = position >> deal.shifts[stack] & deal.masks[stack]
            if height == ZERO:
                continue
            rank = deal.rank_at[deal.first_card[stack] + height - ONE]
            others = tops[rank]
            tops[rank] |= ONE << stack
            while others:
                after = position - (ONE << deal.shifts[stack]) - (ONE << deal.shifts[lowest_bit(others)])
                others &= others - ONE
                slot = (after * GOLDEN >> DIGIT_BITS) & last_slot
                while slots[slot] and positions[slots[slot] - ONE] != after:
                    slot = (slot + ONE) & last_slot
                if slots[slot] == 0:
                    if counts[POSITIONS] == limit and after != ZERO:
                        return GAVE_UP
                    if counts[POSITIONS] == len(positions):
                        return FULL
                    positions[counts[POSITIONS]] = after
                    counts[POSITIONS] += ONE
                    slots[slot] = counts[POSITIONS]
                if edge == len(edges):
                    return FULL
                edges[edge] = slots[slot] - ONE
                edge += ONE
        first_edge[number + ONE] = counts[EDGES] = edge
    return GOING_ON


@allocating
def _write_numbers(graph: Graph, evidence: Bytes, won: bool) -> np.uint64:
    """Write four numbers of equal size: the winning orders, the numerator and denominator of the chance, and the
    critical choices. Returns how many bytes that are, or 0 if there is not enough room for the numbers."""
    whole = np.zeros(LONGEST_NUMBER + 1, dtype=np.uint64)
    factors = np.empty(MAX_FACTORS, dtype=np.uint64)
    whole[ZERO] = width = ONE
    graph.digits[ZERO] = graph.digits[ONE] = won
    graph.first_digit[graph.counts[POSITIONS] if won else ZERO] = 0
    used, critical = TWO, ZERO
    layer = graph.counts[LAYERS] if won else ZERO
    while layer > ZERO:
        layer -= ONE
        begin, end, narrow = graph.layers[layer], graph.layers[layer + ONE], width
        count, choices = _find_winnable(graph, begin, end, factors)
        critical += choices
        for k in range(count):
            width = _multiply(whole, width, factors[k])
            if width > LONGEST_NUMBER:
                return ZERO
        used = _add_up(graph, begin, end, narrow, width, factors[:count], used)
        if used == ZERO:
            return ZERO
    size, first = DIGIT_BYTES * width, graph.first_digit[ZERO]
    for digit in range(width):
        at = DIGIT_BYTES * digit
        _write_digit(evidence, at, np.uint64(graph.digits[first + digit]))
        _write_digit(evidence, size + at, np.uint64(graph.digits[first + width + digit]))
        _write_digit(evidence, TWO * size + at, whole[digit])
        _write_digit(evidence, THREE * size + at, critical if digit == ZERO else ZERO)
    return FOUR * size


@routine
def _find_winnable(graph: Graph, begin: np.uint64, end: np.uint64, factors: Words) -> tuple[np.uint64, np.uint64]:
    """Mark the positions of a layer that cannot be won, and find factors whose product is the least multiple of the
    numbers of moves of the others.

    Returns the number of factors, each below 2³², and the number of positions where some moves can win, but not all.
    """
    count = choices = ZERO
    for number in range(begin, end):
        moves, winning = np.uint64(graph.first_edge[number + ONE]) - np.uint64(graph.first_edge[number]), ZERO
        for edge in range(graph.first_edge[number], graph.first_edge[number + ONE]):
            winning += ONE if graph.first_digit[graph.edges[edge]] != NO_WIN else ZERO
        graph.first_digit[number] = 0 if winning else NO_WIN
        if winning == ZERO:
            continue
        choices += ONE if winning < moves else ZERO
        rest = moves
        for k in range(count):
            rest //= _common_divisor(factors[k], rest)
        if rest > ONE and count > ZERO and factors[count - ONE] * rest <= LOW_DIGIT:
            factors[count - ONE] *= rest
        elif rest > ONE:
            factors[count] = rest
            count += ONE
    return count, choices


@routine
def _add_up(
    graph: Graph, begin: np.uint64, end: np.uint64, narrow: np.uint64, width: np.uint64, factors: Words, used: np.uint64
) -> np.uint64:
    """Set the two numbers of each position of a layer that can be won, of `width` digits, from those of the positions
    after its moves, of `narrow` digits.

    The chance is their mean. `factors` are those by which all chances grow with the change to the fraction of this
    layer, so that the mean is a whole number. Returns the number of digits in use, or 0 if there is not enough room.
    """
    first_edge, edges, first_digit, digits = graph.first_edge, graph.edges, graph.first_digit, graph.digits
    for number in range(begin, end):
        if first_digit[number] == NO_WIN:
            continue
        if used + TWO * width > len(digits):
            return ZERO
        first_digit[number] = used
        orders = chance = ZERO
        for digit in range(width):
            for edge in range(first_edge[number], first_edge[number + ONE] if digit < narrow else first_edge[number]):
                first = first_digit[edges[edge]]
                if first != NO_WIN:
                    orders += np.uint64(digits[first + digit])
                    chance += np.uint64(digits[first + narrow + digit])
            digits[used + digit], digits[used + width + digit] = orders & LOW_DIGIT, chance & LOW_DIGIT
            orders, chance = orders >> DIGIT_BITS, chance >> DIGIT_BITS
        moves = np.uint64(first_edge[number + ONE]) - np.uint64(first_edge[number])
        for k in range(len(factors)):
            common = _common_divisor(factors[k], moves)
            moves //= common
            for digit in range(used + width, used + TWO * width):
                chance += np.uint64(digits[digit]) * (factors[k] // common)
                digits[digit] = chance & LOW_DIGIT
                chance >>= DIGIT_BITS
        used += TWO * width
    return used


@inlined
def _common_divisor(a: np.uint64, b: np.uint64) -> np.uint64:
    while b:
        a, b = b, a % b
    return a


@inlined
def _multiply(number: Words, width: np.uint64, factor: np.uint64) -> np.uint64:
    """Multiply a number by a factor below 2³², and return how many digits it has then."""
    carry = ZERO
    for digit in range(width):
        carry += number[digit] * factor
        number[digit] = carry & LOW_DIGIT
        carry >>= DIGIT_BITS
    number[width] = carry
    return width + ONE if carry else width


@inlined
def _write_digit(evidence: Bytes, at: np.uint64, digit: np.uint64) -> None:
    for byte in range(DIGIT_BYTES):
        evidence[at + byte] = digit >> EIGHT * byte & LOW_BYTE
