"""Samples that are the same on every machine."""

from hashlib import blake2b


def sampled(number: int, size: int, items: int, seed: int) -> int:
    """Return the position of verdict `number` (from 1) of a sample of `size` out of `items`.

    The items are divided into `size` stretches of nearly equal length, and one item is drawn from each: the first of
    the stretch plus the BLAKE2b-64 of ``seed:number`` (ASCII; big-endian) modulo its length. So a sample is spread
    evenly, has every item once if `size` is `items`, and is the same on every machine.
    """
    start, stop = (number - 1) * items // size, number * items // size
    drawn = int.from_bytes(blake2b(f"{seed}:{number}".encode(), digest_size=8).digest(), "big")
    return start + 1 + drawn % (stop - start)
