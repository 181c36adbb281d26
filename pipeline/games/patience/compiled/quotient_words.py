"""The array of the compiled referee of losses in the quotient, how a layout is read into it, and sets of cards.

Cards are numbers, 13 for each suit, counted from the base of the foundations; black and red suits alternate, so two
cards of a *kind*, a rank and a colour, are 26 apart, and the lower number is that of the kind. A position is some
numbers, in fields of bits that are as wide as the layout needs: the heights of the foundations, the turned cards of the
stock, the further passes, the dealt cards that are left in each column, and the sets of cards that are left in the
stock and in the reserve; of a reserve that fills columns, the first of these begin those that have no other dealt card.
`t` is one array of all but the positions, with the offsets below.
"""

from dealmill.kernels import Fields, inlined, int64
from dealmill.pipeline.games.patience.compiled.keys import Words
from dealmill.pipeline.games.patience.rules import UNLIMITED, Rules
from dealmill.rules_files import MAX_COLUMNS

MAX_MOVES = 200
"""A position has fewer moves."""
AT_ONCE = 8
"""Positions that are visited at once."""
MAX_ROWS = 52 + MAX_COLUMNS
MAX_WORDS = 8
WORD_BITS = 62
TURNED, PASSES_LEFT, STOCK, RESERVE, FIRST_COLUMN = 4, 5, 6, 7, 8
MAX_FIELDS = FIRST_COLUMN + MAX_COLUMNS
"""The fields of a position: heights, `TURNED`, `PASSES_LEFT`, `STOCK`, `RESERVE`, and the columns."""

ARRAY = Fields()
# Rules and layout
LAST, DRAW, PASSES, KINGS_FILL, ANY_FILLS, STACKED, REMOVABLE, LEAST, COLUMNS, STOCK_SIZE, DECK, WORDS = ARRAY.words(12)
STOCK_ORDER, RESERVE_CARDS, STARTS = ARRAY.row(52), ARRAY.row(52), ARRAY.row(MAX_COLUMNS)
LOWER, AFTER, TOPS, COMING = ARRAY.rows(4, MAX_ROWS)
"""For each column, the index of its first row, with a row for each number of dealt cards that are left: these cards as
a set, how many are left after the last one has left, that card, and those that are moved cards or shown then."""
ORIGIN = ARRAY.row(52)
"""Where each card was dealt: the number of its column, or its own in the stock or in the reserve."""
FIELD_WORDS, FIELD_SHIFTS, FIELD_MASKS = ARRAY.rows(3, MAX_FIELDS)
# A position
FIELDS = ARRAY.row(MAX_FIELDS)
UP, SHOWN, MOVED, OFFERED, BARE, PLACES, IN_STOCK, IN_RESERVE, BURIED, BEGUN = ARRAY.words(10)
"""Sets of cards, but `BARE` and `PLACES` of kinds: those that can be bared, and those that have a free place."""
RISEN, EVER_BARE, EVER_PLACES, EVER_OFFERED, CAME, EMPTIED = ARRAY.words(6)
HEIGHTS, STAYED, LEFT_OVER = ARRAY.row(4), ARRAY.row(4), ARRAY.row(MAX_COLUMNS)
"""The same in the relaxed game, the cards that came to the columns, how many columns were emptied, the heights of the
foundations, and without the cards that came back, and the dealt cards that are left in each column."""
KEY, VISITED, KEYS_AFTER = *ARRAY.rows(2, MAX_WORDS), ARRAY.row(AT_ONCE * MAX_MOVES * MAX_WORDS)
"""The key of a position, that of the position that is visited, and those after the moves of those that are visited at
once, before safe cards go up."""
SIZE = ARRAY.size
KINDS, SUIT = (1 << 26) - 1, (1 << 13) - 1
LOWEST = 1 | 1 << 13
"""The sets of all kinds, of the cards of a suit, and of the kinds of the lowest rank."""


def load(t: Words, rules: Rules, layout: str) -> None:
    """Write the rules and the first position."""
    _, columns, *parts = layout.split(" ")
    texts = dict(part.split(":") for part in parts)
    base = rules.base_of(texts)

    def numbers(text: str) -> list[int]:
        cards = zip(text[::2], text[1::2], strict=True)
        return [rules.card_number(rank + suit, base) for rank, suit in cards]

    t[LAST], t[DRAW], t[PASSES], t[KINGS_FILL] = rules.ranks - 1, rules.draw, rules.passes, rules.spaces == "kings"
    t[ANY_FILLS], t[STACKED] = rules.spaces in ("any", "reserve"), rules.stacked
    t[REMOVABLE], t[LEAST], t[COLUMNS] = rules.removable, rules.initial == "all", len(rules.sizes)
    t[DECK] = sum(1 << 13 * suit + rank for suit in range(4) for rank in range(rules.ranks))
    stock = numbers(texts.get("waste", "") + texts.get("stock", ""))
    t[STOCK_SIZE] = len(stock)
    t[STOCK_ORDER : STOCK_ORDER + len(stock)] = stock
    reserve = numbers(texts.get("reserve", ""))[:: -1 if rules.stacked else 1]
    t[RESERVE_CARDS : RESERVE_CARDS + len(reserve)] = reserve
    for cards in (stock, reserve):
        for number, card in enumerate(cards):
            t[ORIGIN + card] = number
    fields = [(0, rules.ranks)] * 4
    for top in numbers(texts.get("foundations", "")):
        fields[top // 13] = top % 13 + 1, rules.ranks
    turned = len(texts.get("waste", "")) // 2
    if rules.passes == UNLIMITED and (turned % rules.draw == 0 or turned == len(stock)):
        turned = 0
    fields += [(turned, len(stock)), (int(texts.get("passes", 0)), rules.passes), ((1 << len(stock)) - 1,) * 2]
    fields.append(((1 << len(reserve)) - 1,) * 2)
    row = 0
    for number, text in enumerate(columns.split("/")):
        t[STARTS + number] = row
        cards, is_up = numbers(text.strip("-")), list(map(str.isupper, text[1::2]))
        for left, card in enumerate(cards, start=1):
            after, t[ORIGIN + card] = _dealt(t, cards, is_up, left - 1), number
            t[LOWER + row + left] = t[LOWER + row + left - 1] | 1 << card
            t[AFTER + row + left], t[TOPS + row + left] = after, 1 << card
            t[COMING + row + left] = t[LOWER + row + left - 1] & ~(t[LOWER + row + after - 1] if after else 0)
        fields.append((_dealt(t, cards, is_up, len(cards)), len(cards)))
        row += len(cards) + 1
    used = [0]
    for number, (value, greatest) in enumerate(fields):
        width = greatest.bit_length()
        if used[-1] + width > WORD_BITS:
            used.append(0)
        t[FIELD_WORDS + number], t[FIELD_SHIFTS + number] = len(used) - 1, used[-1]
        t[FIELD_MASKS + number], t[FIELDS + number] = (1 << width) - 1, value
        used[-1] += width
    t[WORDS] = len(used)


def _dealt(t: Words, cards: list[int], is_up: list[bool], count: int) -> int:
    """Return how many of the first `count` cards of a column are dealt ones if no others are left."""
    while count > 1 and is_up[count - 2]:
        card, below = cards[count - 1], cards[count - 2]
        if below % 13 != card % 13 + 1 or (below - card) // 13 % 2 == 0:
            break
        count -= 1
    return 0 if count == 1 and cards[0] % 13 == t[LAST] and not t[ANY_FILLS] else count


@inlined
def kinds_of(cards: int) -> int:
    """Return the kinds of which at least one card is among these."""
    return (cards | cards >> 26) & KINDS


@inlined
def kinds_of_both(cards: int) -> int:
    """Return the kinds of which both cards are among these."""
    return cards & cards >> 26 & KINDS


@inlined
def cards_of(kinds: int) -> int:
    """Return all cards of some kinds."""
    return kinds | kinds << 26


@inlined
def kinds_that_fit(kinds: int) -> int:
    """Return the kinds that fit some kinds."""
    lower = (kinds & ~int64(LOWEST)) >> 1
    return (lower << 13 | lower >> 13) & KINDS


@inlined
def kinds_below(t: Words, kinds: int) -> int:
    """Return the kinds that some kinds fit."""
    higher: int = (kinds & ~(int64(LOWEST) << t[LAST])) << 1
    return (higher << 13 | higher >> 13) & KINDS


@inlined
def kings_to_spaces(t: Words) -> int:
    """Return the kinds of kings, if they go to empty columns."""
    kinds: int = (int64(LOWEST) << t[LAST]) * t[KINGS_FILL]
    return kinds
