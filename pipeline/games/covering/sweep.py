"""The kernel that decides games with a hole: one pass over all that can be left of the arrangement.

For each number of cards in the stock, and each set of cards that can be left, it has a mask of the ranks that can be in
the hole then. Taking a card leads to a later set, and turning one to fewer cards in the stock, so each mask is complete
when it is read.
"""

import numpy as np
from numpy.typing import NDArray

from dealmill.kernels import count_bits, kernel

WON, LOST, STOPPED = 1, 2, 3


@kernel
def sweep(
    masks: NDArray[np.uint16],
    begins: NDArray[np.int64],
    takes: NDArray[np.int64],
    ranks: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    tops: NDArray[np.int64],
    first: int,
    limit: int,
    nodes: NDArray[np.int64],
) -> int:
    """Fill the masks, and return whether the game is won; in `nodes` the positions, and the layer of the win.

    ``masks[layer, set]`` are ranks as bits; in a layer, ``tops[layer]`` is the rank that was turned last. From a set,
    ``takes[begins[set] : begins[set + 1]]`` are the cards that can be taken, each with the set that is left, as
    ``set << 6 | card``; the last set is empty. `first` is the set at the start, and `neighbours` are masks by rank.
    """
    last = len(begins) - 2
    count = 0
    for layer in range(len(tops)):
        for left in range(first, last + 1):
            mask = np.int64(masks[layer, left])
            if left == first if layer == 0 else masks[layer - 1, left] != 0:
                mask |= 1 << tops[layer]
            if mask == 0:
                continue
            masks[layer, left] = mask
            count += np.int64(count_bits(np.uint64(mask)))  # type: ignore[assignment]
            if count > limit:
                nodes[0] = limit
                return STOPPED
            if left == last:
                nodes[0], nodes[1] = count, layer
                return WON
            for at in range(begins[left], begins[left + 1]):
                rank = ranks[takes[at] & 63]
                if mask & neighbours[rank]:
                    masks[layer, takes[at] >> 6] |= 1 << rank
    nodes[0] = count
    return LOST
