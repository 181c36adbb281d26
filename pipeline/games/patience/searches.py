"""Which search decides the layouts of a game, in which version, and the memory that it can take; without the search
itself, which loads the compiler."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dealmill.pipeline.games.patience.rules import Rules

CORRECTED_VERSION = "8"
"""The version of `winnable` for rules whose outputs differ from those of the version that all other rules have."""
FEWEST_SLOTS = 1 << 18


def corrected(rules: "Rules") -> bool:
    """Return whether version 7 of `winnable` was wrong by some rules, and refused a layout or its own loss.

    With a hole and cells, it put absent cards into cells. Cards did not come back from a foundation that nobody needed
    as places of others, but to fill a column before a row is dealt, or to be carried away. Parts of runs did not move
    where whole suits leave, though the cards on which they lie are not alike then.
    """
    absent_in_cells = rules.hole != "none" and rules.cells > 0 and rules.build == "none"
    carried_away = rules.move == "any" or rules.run != "build"
    needed = rules.removable and rules.to == "tableau" and (rules.full_columns or carried_away)
    runs = rules.move == "run" and rules.run == "build" and rules.cells == 0 and rules.copies == 1
    return absent_in_cells or needed or (rules.complete and rules.to != "tableau" and runs)


def searched_by_stages(rules: "Rules") -> bool:
    """Return whether the engine for Spider searches a game: if cards exist more than once, and wherever whole suits
    leave columns to which a stock is dealt, since it decides more of these deals; but not if any card moves with those
    on it, nor with places that it does not know."""
    dealt = rules.complete and rules.to == "tableau" and rules.stock > 0 and rules.move != "any"
    places = rules.cells == 0 and rules.reserve == 0 and rules.hole == "none" and rules.foundations != "dealt"
    return rules.copies > 1 or (dealt and places)


def table_slots(positions: int) -> int:
    """Return the slots of a table for so many positions, of which it fills at most three fifths."""
    slots = FEWEST_SLOTS
    while 5 * positions > 3 * slots:
        slots *= 4
    return slots


def memory_of_table(max_nodes: int) -> int:
    """Return the bytes of the two tables of a search with so many nodes, nearly all that it takes."""
    return 2 * 8 * table_slots(max_nodes)
