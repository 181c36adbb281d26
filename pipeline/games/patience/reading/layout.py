"""Layouts of patiences: positions on one line, see `dealmill.pipeline.games.patience.rules`."""

from bisect import insort
from collections.abc import Iterator, Mapping

from dealmill.cards import LONGEST_LINE, WIDE, capital_ranks, is_name_of, wide_characters, with_letters
from dealmill.game import BadLayout
from dealmill.pipeline.games.patience.position import FOUNDATIONS, in_order_on_foundations
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, Rules

NO_PASSES = "passes:0"


def canonical(referee: Referee, text: str, to_add: str = "add {} to the line") -> str:
    """Return a position with single blanks, its parts and foundations in order, capital ranks, ``T`` for tens
    and letters for suits, and the passes if the rules limit them. `to_add` says how to write those if they are missing.

    Raises
    ------
    BadLayout
        With all reasons, if the text is not a position.
    """
    if len(text) > LONGEST_LINE:
        raise BadLayout([f"the line is {len(text)} characters long, expected at most {LONGEST_LINE}"])
    if wide := WIDE.search(text):
        raise BadLayout([wide_characters(wide[0])])
    name, *words = with_letters(text).split() or [""]
    name = referee.rules.name if is_name_of(referee.rules.name, name) else name
    position = _joined(referee.rules, name, words[:1], words[1:])
    if reasons := list(referee.reasons(position)):
        raise BadLayout(reasons)
    if referee.rules.counts_passes and "passes" not in (parts := parts_of(position)):
        passes = implied_passes(referee.rules, parts)
        if passes is None:
            numbers = " or ".join(f"passes:{number}" for number in range(referee.rules.passes))
            raise BadLayout(
                [f"cards of the stock were turned, so the passes that are left must be known: {to_add.format(numbers)}"]
            )
        return _joined(referee.rules, name, words[:1], [*words[1:], f"passes:{passes}"])
    return position


def _joined(rules: Rules, name: str, columns: list[str], parts: list[str]) -> str:
    return " ".join([name, *map(capital_ranks, columns), *sorted(_in_order(rules, parts))])


def parts_of(position: str) -> dict[str, str]:
    """Return the parts of a position after its columns, by name."""
    return dict(part.split(":") for part in position.split(" ")[2:])


def implied_passes(rules: Rules, parts: Mapping[str, str]) -> int | None:
    """Return how many further passes are left if the parts of a position do not say it: all if no card of the stock was
    turned, and none if the stock is used up. Otherwise None: nobody knows."""
    count = len(parts.get("stock", "")) // 2
    if "waste" in parts or count not in (0, rules.stock):
        return None
    return rules.passes - 1 if count else 0


def spellings(rules: Rules, layout: str) -> tuple[str, ...]:
    """Return the canonical texts of a position: that of today, and that of earlier versions, which did not say that no
    pass is left."""
    name_and_columns, parts = layout.split(" ")[:2], layout.split(" ")[2:]
    if not rules.counts_passes:
        return (layout,)
    if NO_PASSES in parts:
        parts.remove(NO_PASSES)
        return (layout, " ".join([*name_and_columns, *parts]))
    if any(part.startswith("passes:") for part in parts):
        return (layout,)
    insort(parts, NO_PASSES)
    return (" ".join([*name_and_columns, *parts]), layout)


SUIT_NAMES = ("CHSD", "SHCD", "CDSH", "SDCH", "HCDS", "DCHS", "HSDC", "DSHC")
"""The ways to rename suits such that two of one colour still have one colour."""


def nameless(rules: Rules, layout: str) -> str:
    """Return the least text of those that differ in the names of suits and in the order of columns, which matters if
    the stock is dealt to them."""
    in_order = rules.to == "tableau" and " stock:" in layout
    return min(_renamed(rules, layout, names, in_order=in_order) for names in SUIT_NAMES)


def _renamed(rules: Rules, layout: str, names: str, *, in_order: bool) -> str:
    renamed = str.maketrans(SUITS + SUITS.lower(), names + names.lower())
    name, columns, *parts = layout.split(" ")
    split = [part.partition(":") for part in parts]
    words = [part + colon + cards.translate(renamed) for part, colon, cards in split]
    piles = columns.translate(renamed).split("/")
    return " ".join([name, "/".join(piles if in_order else sorted(piles)), *_in_order(rules, words)])


def _in_order(rules: Rules, parts: list[str]) -> Iterator[str]:
    """Yield parts with their cards as they are written; foundations in their order."""
    base = next((part[-1:].upper() for part in parts if part.startswith("base:")), rules.foundations)
    for part in parts:
        name, colon, cards = part.partition(":")
        cards = capital_ranks(cards)
        if name in FOUNDATIONS and len(cards) % 2 == 0:
            tops = [cards[at : at + 2] for at in range(0, len(cards), 2)]
            cards = "".join(in_order_on_foundations(tops, rules, RANKS.find(base)))
        yield name + colon + cards
