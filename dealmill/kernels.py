"""For engines and checks that are compiled with numba."""

from dealmill.pipeline.games.batch import Results, run_kernel
from dealmill.pipeline.games.kernels import count_bits, inlined, kernel, lowest_bit

__all__ = ["Results", "count_bits", "inlined", "kernel", "lowest_bit", "run_kernel"]
