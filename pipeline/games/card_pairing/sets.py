"""What the kernels of card pairing share: sets of cards as words of 64 bits, small unsigned numbers, and outcomes."""

import numpy as np
from numpy.typing import NDArray

from dealmill.pipeline.games.card_pairing.layout import STACK_NAMES

Words = NDArray[np.uint64]
"""An array of sets (of cards, ranks or matchings, as bits) or of unsigned numbers."""
Halves = NDArray[np.uint32]
"""An array of unsigned numbers that need half the room."""
ZERO, ONE, TWO, THREE, FOUR, EIGHT = (np.uint64(number) for number in (0, 1, 2, 3, 4, 8))
WON, LOST, GAVE_UP = 1, 2, 3
"""What a search can come to."""
STACK_SIGNS = np.frombuffer(STACK_NAMES.encode("ascii"), dtype=np.uint8)
"""The names of stacks that have a name of one letter."""
