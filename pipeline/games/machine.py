"""The memory of this machine, and what does not fit into it."""

import os
from pathlib import Path

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.descriptions import Engine

CGROUP = Path("/sys/fs/cgroup/memory.max")
"""The limit of a container, or the word ``max``."""


def memory_of_machine() -> int | None:
    """Return the bytes of memory of this machine, or of the container; None where the system does not say."""
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
    try:
        return min(total, int(CGROUP.read_text()))
    except (OSError, ValueError):
        return total


def check_memory(size: int, what: str) -> None:
    """Check that this machine has so many bytes of memory, before they are reserved.

    Raises
    ------
    MemoryError
        If it has less; it says what needs how much.
    """
    memory = memory_of_machine()
    if memory is not None and size > memory:
        raise MemoryError(f"{what} takes up to {in_gigabytes(size)}, and this machine has {in_gigabytes(memory)}")


def check_limit(engine: Engine, max_nodes: int | None) -> None:
    """Check that a search with a node limit fits into the memory of this machine.

    Raises
    ------
    UsageError
        If it does not; it says what would fit.
    """
    memory = memory_of_machine()
    if engine.memory is None or max_nodes is None or memory is None or engine.memory(max_nodes) <= memory:
        return
    fits = 1
    while engine.memory(2 * fits) <= memory:
        fits *= 2
    raise UsageError(
        f"a search of {max_nodes:,} nodes takes up to {in_gigabytes(engine.memory(max_nodes))} of memory, and this "
        f"machine has {in_gigabytes(memory)}: lower --max-nodes, such as to {fits:,}"
    )


def in_gigabytes(size: int) -> str:
    """Return a number of bytes in gigabytes, in words."""
    return f"{size / 1e9:,.1f} GB"
