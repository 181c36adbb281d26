"""The engine of Tantrix loop: an odd number of gentle curves, or a depth-first search along the loop.

A link is a gentle curve if its ends are two sides apart. A loop has an even number of them, see `rules`.

The search lays the first tile on 0,0 and follows the loop. Each further tile goes to the space to which the loop
leads, in one of the two orientations that continue it. Its sides must match those of all tiles around. The loop must
lead on to an empty space from which the tiles left reach back to the first tile. The tiles laid are a *chain*; each
chain is a node.

An unlucky beginning can cost any time. So the search gives up after `PATIENCE` chains and starts again with the tiles
in another random order. If `STARTS` of these searches find no loop, or one of them has laid all its chains, the last
one goes through all chains from the first tile of the layout, which are the certificate.
"""

from typing import NamedTuple

import numpy as np

from dealmill.game import NO_LIMIT
from dealmill.kernels import (
    Bytes,
    Mask,
    Numbers,
    Results,
    Solved,
    Stream,
    Texts,
    allocating,
    inlined,
    kernel,
    open_stream,
    routine,
    run_kernel,
    shuffle,
)
from dealmill.pipeline.games.tantrix.board import COLOURS, ONE_PER_SIDE, STEPS, ZERO
from dealmill.pipeline.games.tantrix.loop.canonical import FIRST_TILE, TILE_PITCH
from dealmill.pipeline.games.tantrix.loop.layout import MAX_TILES
from dealmill.pipeline.games.tantrix.notation import (
    BITS,
    BLANK,
    DIGIT,
    ORIGIN,
    ROW,
    SPACES,
    WHOLE_TILE,
    Words,
    read_tile,
    turned,
    write_placed,
)
from dealmill.pipeline.games.tantrix.tiles import SIDES
from dealmill.verdicts import Verdict

PATIENCE, STARTS = 500, 400
CERTIFIED = 1_000_000
"""The most chains that a certificate can count. If there are more, a layout without a loop is undecided."""

GENTLE, CHAINS = (np.frombuffer(word, dtype=np.uint8) for word in (b"gentle ", b"chains "))
LONGEST_EVIDENCE = len("-21,-21:BBGGRR ") * MAX_TILES
OCCUPIED = np.uint64(1 << 24)
"""Set in the word of a space with a tile. The lower bits are the colours that neighbours show, as in `board`."""
SIDE_BITS, FIRST_SIDE = np.uint64(4), np.uint64(20)
ONE, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)

WINNABLE, UNWINNABLE, UNDECIDED = int(Verdict.WINNABLE), int(Verdict.UNWINNABLE), int(Verdict.UNDECIDED)


class Tiles(NamedTuple):
    """The tiles of a layout by number, end of their link, and side: turned so that this end is on that side."""

    oriented: Words
    exits: Numbers
    """The side on which the other end is then."""
    homes: Numbers
    """For each tile as the layout has it, the greater of the two sides of its link."""


class Chain(NamedTuple):
    """The tiles laid, and for each level of the search: a space, and what can be laid on it."""

    field: Words
    used: Mask
    numbers: Numbers
    spaces: Words
    laid: Words
    entries: Numbers
    """The side on which the loop enters the space."""
    forbidden: Words
    """The colours that the sides of a tile must not have."""
    tried: Numbers
    """The number of orientations tried, two for each tile."""


def winnable(layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
    """Look for a loop through all tiles of each layout; each chain is a node."""
    return run_kernel(_solve_each, layouts, max_nodes, LONGEST_EVIDENCE)


@kernel
def _solve_each(text: Bytes, starts: Numbers, first: int, limit: int, results: Results) -> int:
    tiles = Tiles(
        np.empty((MAX_TILES, 2, SIDES), dtype=np.uint64),
        np.empty((MAX_TILES, 2, SIDES), dtype=np.int64),
        np.empty(MAX_TILES, dtype=np.int64),
    )
    room = MAX_TILES + 1
    chain = Chain(
        np.zeros(SPACES, dtype=np.uint64),
        np.zeros(room, dtype=np.bool_),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.uint64),
        np.empty(room, dtype=np.uint64),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.uint64),
        np.empty(room, dtype=np.int64),
    )
    stream = np.empty(8, dtype=np.uint64)
    end = 0
    for i in range(first, len(results.verdicts)):
        if len(results.evidence) - end < LONGEST_EVIDENCE:
            return i
        count = (starts[i + 1] - starts[i] - FIRST_TILE + 1) // TILE_PITCH
        gentle = _read(text, starts[i], count, tiles)
        results.verdicts[i] = UNDECIDED
        if gentle % 2 and limit >= 1:
            results.nodes[i], results.verdicts[i] = 1, UNWINNABLE
            end = _write_count(GENTLE, gentle, results.evidence, end)
        elif limit >= 1:
            chains, in_all, is_loop = _solve(tiles, count, limit, chain, stream)
            results.nodes[i] = in_all
            if is_loop:
                results.verdicts[i] = WINNABLE
                end = _write_loop(chain, count, results.evidence, end)
            elif chains:
                results.verdicts[i] = UNWINNABLE
                end = _write_count(CHAINS, chains, results.evidence, end)
        results.ends[i] = end
    return len(results.verdicts)


@kernel
def _read(text: Bytes, begin: int, count: int, tiles: Tiles) -> int:
    """Set up the layout whose text starts at `begin`, and return its number of gentle curves."""
    colour = BITS[text[begin]]
    gentle = 0
    for number in range(count):
        tile = read_tile(text, begin + FIRST_TILE + TILE_PITCH * number)
        ends = [side for side in range(SIDES) if tile >> _shift(side) & COLOURS == colour]
        gentle += (ends[1] - ends[0]) % 2 == 0
        tiles.homes[number] = ends[1]
        for turn in range(SIDES):
            for end in range(2):
                entry = (ends[end] - turn) % SIDES
                tiles.oriented[number, end, entry] = tile
                tiles.exits[number, end, entry] = (ends[1 - end] - turn) % SIDES
            tile = turned(tile)
    return gentle


@allocating
def _solve(tiles: Tiles, count: int, limit: int, chain: Chain, stream: Stream) -> tuple[int, int, bool]:
    """Search until a loop is found, all chains have been laid, or there are `limit` of them.

    Returns the number of chains from the layout's first tile if there is no loop, else 0; the number of chains laid in
    all searches; and whether the last one is a loop.
    """
    order = np.arange(count).astype(np.uint8)
    start = in_all = 0
    while start <= STARTS:
        if start == STARTS:
            for number in range(count):
                order[number] = number
        elif start:
            open_stream(stream, ZERO, np.uint64(start))
            shuffle(stream, order, count)
        budget = CERTIFIED if start == STARTS else PATIENCE
        chains, is_loop, complete = _search(tiles, order, min(budget, limit - in_all), chain)
        in_all += chains
        if complete and start in (0, STARTS):
            return chains, in_all, False
        if is_loop or in_all == limit:
            return 0, in_all, is_loop
        start = STARTS if complete else start + 1
    return 0, in_all, False


@routine
def _search(tiles: Tiles, order: Bytes, limit: int, chain: Chain) -> tuple[int, bool, bool]:
    """Lay at most `limit` chains, trying tiles in an order.

    Returns their number, whether the last one is a loop, and if not, whether these are all. Leaves the field empty.
    """
    count = len(order)
    home_side = tiles.homes[order[0]]
    home = ORIGIN + STEPS[home_side]
    chain.spaces[0], chain.entries[0] = ORIGIN, home_side
    _lay(tiles, order[0], 1, 0, chain)
    chains, level = 1, 1
    while 0 < level < count:
        if chain.tried[level] == 2 * count:
            level -= 1
            _lift(chain, level)
            continue
        number, end = order[chain.tried[level] >> 1], chain.tried[level] & 1
        chain.tried[level] += 1
        entry = chain.entries[level]
        if chain.used[number] or tiles.oriented[number, end, entry] & chain.forbidden[level] != ZERO:
            continue
        after = chain.spaces[level] + STEPS[tiles.exits[number, end, entry]]
        left = count - 1 - level
        occupied = chain.field[after] & OCCUPIED != ZERO
        if occupied != (left == 0) or (left > 0 and _distance(after, home) >= left):
            continue
        if chains == limit:
            break
        chains += 1
        _lay(tiles, number, end, level, chain)
        level += 1
    for laid in range(level):
        _lift(chain, laid)
    return chains, level == count, level == 0


@inlined
def _lay(tiles: Tiles, number: int, end: int, level: int, chain: Chain) -> None:
    """Lay a tile with this end of its link towards the tile before, and look at the space to which the loop leads."""
    space, entry = chain.spaces[level], chain.entries[level]
    tile, side = tiles.oriented[number, end, entry], tiles.exits[number, end, entry]
    chain.used[number], chain.numbers[level], chain.laid[level] = True, number, tile
    chain.field[space] |= OCCUPIED
    for beside in range(SIDES):
        shown = tile >> _shift(beside) & COLOURS
        chain.field[space + STEPS[beside]] |= shown << _shift((beside + 3) % SIDES)
    after = space + STEPS[side]
    links = chain.field[after] & WHOLE_TILE
    touching = (links | links >> ONE | links >> TWO | links >> THREE) & ONE_PER_SIDE
    chain.spaces[level + 1], chain.entries[level + 1] = after, (side + 3) % SIDES
    chain.forbidden[level + 1], chain.tried[level + 1] = links ^ touching * COLOURS, 0


@inlined
def _lift(chain: Chain, level: int) -> None:
    """Remove a tile."""
    space = chain.spaces[level]
    chain.used[chain.numbers[level]] = False
    chain.field[space] ^= OCCUPIED
    for beside in range(SIDES):
        chain.field[space + STEPS[beside]] &= ~(COLOURS << _shift((beside + 3) % SIDES))


@inlined
def _shift(side: int) -> np.uint64:
    """Return the index of the lowest bit of a side."""
    return FIRST_SIDE - SIDE_BITS * np.uint64(side)


@inlined
def _distance(start: np.uint64, target: np.uint64) -> int:
    """Return the number of steps between two spaces."""
    x, y = np.int64(start) // ROW - np.int64(target) // ROW, np.int64(start) % ROW - np.int64(target) % ROW
    return int(max(abs(x), abs(y), abs(x + y)))


@kernel
def _write_loop(chain: Chain, count: int, evidence: Bytes, end: int) -> int:
    """Write the tiles along the loop at `end`, and return the new end."""
    for level in range(count):
        if level:
            evidence[end] = BLANK
            end += 1
        end = write_placed(chain.spaces[level], chain.laid[level], evidence, end)
    return end


@kernel
def _write_count(word: Bytes, count: int, evidence: Bytes, end: int) -> int:
    """Write a word and a number at `end`, and return the new end."""
    for sign in word:
        evidence[end] = sign
        end += 1
    power = 1
    while 10 * power <= count:
        power *= 10
    while power:
        evidence[end] = DIGIT + count // power % 10
        power //= 10
        end += 1
    return end
