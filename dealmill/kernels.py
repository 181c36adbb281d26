"""For engines and checks that are compiled with numba."""

from dealmill.pipeline.games.batch import Results, run_kernel
from dealmill.pipeline.games.bits import count_bits, lowest_bit
from dealmill.pipeline.games.kernel import inlined, kernel

__all__ = ["Results", "count_bits", "inlined", "kernel", "lowest_bit", "run_kernel"]
