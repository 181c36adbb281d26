"""What deals, engines and compiled checks of a game need of Dealmill; see ``docs/add-a-game.md``.

`Texts` and `Solved` hold layouts and results as arrays. `kernel` and `inlined` compile functions, and `pointer_to`
makes what routines may get instead of an array; `Fields` gives offsets to the fields of one, and `int64` makes
variables of constants. `open_stream`, `below` and `shuffle` are random numbers for deals, and `shuffled` and its like
shuffle decks of cards by number.
Importing this module loads NumPy and the compiler.
"""

import warnings

from dealmill.pipeline.games.batch import (
    Batch,
    Bytes,
    Mask,
    Numbers,
    Results,
    Solved,
    Texts,
    concatenate_solved,
    run_kernel,
    texts_from_rows,
    to_solved,
    to_strings,
    to_texts,
)
from dealmill.pipeline.games.bits import (
    count_bits,
    int64,
    lowest_bit,
)
from dealmill.pipeline.games.fields import Fields, Item, Row, Word, row_of
from dealmill.pipeline.games.kernels import (
    allocating,
    compiling,
    inlined,
    kernel,
    routine,
)
from dealmill.pipeline.games.machine import check_memory
from dealmill.pipeline.games.philox import (
    Stream,
    below,
    open_stream,
    shuffle,
)
from dealmill.pipeline.games.pointers import load_ahead, pointer_to
from dealmill.pipeline.games.shuffles import (
    shuffled,
    shuffled_by_microsoft,
    shuffled_by_pysol,
    shuffled_by_solvitaire,
)

__all__ = [
    "Batch",
    "Bytes",
    "Fields",
    "Item",
    "Mask",
    "Numbers",
    "Results",
    "Row",
    "Solved",
    "Stream",
    "Texts",
    "Word",
    "allocating",
    "below",
    "check_memory",
    "compiling",
    "concatenate_solved",
    "count_bits",
    "inlined",
    "int64",
    "kernel",
    "load_ahead",
    "lowest_bit",
    "open_stream",
    "pointer_to",
    "routine",
    "row_of",
    "run_kernel",
    "shuffle",
    "shuffled",
    "shuffled_by_microsoft",
    "shuffled_by_pysol",
    "shuffled_by_solvitaire",
    "texts_from_rows",
    "to_solved",
    "to_strings",
    "to_texts",
]


RENAMED = {"pack": to_texts, "unpack": to_strings}


def __getattr__(name: str) -> object:
    if name in RENAMED:
        new = RENAMED[name]
        warnings.warn(
            f"dealmill.kernels.{name} was renamed {new.__name__} and will be removed in 0.4.0",
            DeprecationWarning,
            stacklevel=2,
        )
        return new
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
