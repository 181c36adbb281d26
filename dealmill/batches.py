"""Batches of layouts and results, as arrays for engines and as lists."""

from dealmill.pipeline.games.batch import (
    Batch,
    Bytes,
    Mask,
    Numbers,
    Solved,
    Texts,
    pack,
    texts_from_rows,
    to_solved,
    unpack,
)

__all__ = ["Batch", "Bytes", "Mask", "Numbers", "Solved", "Texts", "pack", "texts_from_rows", "to_solved", "unpack"]
