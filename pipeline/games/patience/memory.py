"""The memory that searches take; without the searches themselves, which load the compiler."""

FEWEST_SLOTS = 1 << 18
MEMORY_OF_BEAMS = 40_000_000
"""The bytes of a beam of 8,192 positions: two layers, candidates for the next one, and the moves that led to each."""

WIDER = 16
"""How many times as wide a beam is, after a search for losses without the arrangement of moved cards."""
NODES_WITHOUT_ARRANGEMENTS = 6_500_000
"""The nodes of that search."""
MEMORY_OF_WIDER_BEAMS = 90_000_000
"""The bytes of a beam of 16,384 positions."""


def table_slots(positions: int) -> int:
    """Return the slots of a table for so many positions, of which it fills at most three fifths."""
    slots = FEWEST_SLOTS
    while 5 * positions > 3 * slots:
        slots *= 4
    return slots


def memory_of_table(max_nodes: int) -> int:
    """Return the bytes of the two tables of a plain search with so many nodes, nearly all that it takes."""
    return 2 * 8 * table_slots(max_nodes)


def slots_of_quotient(max_nodes: int) -> int:
    """Return the slots of the table of a search in the quotient, of which it fills at most four fifths."""
    return max(5 * max_nodes // 4 + 1, FEWEST_SLOTS)


def memory_of_quotient(max_nodes: int) -> int:
    """Return the bytes of the table of a search in the quotient, nearly all that it takes."""
    return 8 * slots_of_quotient(max_nodes)


def memory_of_pieces(max_nodes: int) -> int:
    """Return the bytes of the tables of a plain search and of one without the arrangement of pieces."""
    return memory_of_table(max_nodes) + memory_of_quotient(max_nodes)


def memory_of_walks(max_nodes: int) -> int:
    """Return the bytes of the table of a search by walks with so many nodes, and of the smaller one before it."""
    return 8 * table_slots(max_nodes) * 5 // 4


def memory_with_beams(max_nodes: int) -> int:
    """Return the bytes of the tables, and of the widest beam."""
    return memory_of_table(max_nodes) + MEMORY_OF_BEAMS


def memory_of_singles(max_nodes: int) -> int:
    """Return the bytes of the tables, with that of a search without the arrangement of moved cards, and of a beam."""
    searched = min(max_nodes, NODES_WITHOUT_ARRANGEMENTS)
    return memory_of_table(max_nodes) + memory_of_quotient(searched) + MEMORY_OF_WIDER_BEAMS
