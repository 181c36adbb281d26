"""Positions of the quotient and their moves; see docs/proofs/klondike.md."""

from dealmill.kernels import inlined, int64, routine
from dealmill.pipeline.games.patience.engine.bits import bit_of, count_of, first_of
from dealmill.pipeline.games.patience.engine.quotient import words as k
from dealmill.pipeline.games.patience.engine.quotient.words import (
    Words,
    black_ranks,
    both_black,
    both_red,
    cards_of,
    red_ranks,
)


@routine
def decode(q: Words, key: int) -> None:
    """Write the position that a key stands for, and its key: cards that begin a column count as moved as soon as spaces
    take any card."""
    waiting = int64(0)
    for suit in range(4):
        field = key >> k.FIELD * suit & (bit_of(k.FIELD) - 1)
        height = first_of(field)
        q[k.HEIGHTS + suit] = height
        waiting |= (field >> height + 1 << height) << 13 * suit
    rest = key >> k.CARD_FIELDS
    q[k.FURTHER_PASSES] = rest // (q[k.STOCK_SIZE] + 1)
    q[k.TURNED] = rest - q[k.FURTHER_PASSES] * (q[k.STOCK_SIZE] + 1)
    for column in range(q[k.COLUMNS]):
        q[k.ROWS + column] = q[k.BLOCKS + column] + count_of(waiting & q[k.WAITING_IN + column])
    if q[k.TO_SPACES] == k.ANY_CARD:
        beginning = _beginning(q, waiting)
        if beginning and count_of(beginning) <= q[k.COLUMNS]:
            for column in range(q[k.COLUMNS]):
                row = q[k.BLOCKS + column]
                if q[k.ROWS + column] > row + 1:
                    beginning &= ~q[k.LOWEST + row + 1]
                elif q[k.ROWS + column] == row + 1:
                    q[k.ROWS + column] = row
            while beginning:
                card = first_of(beginning)
                beginning &= beginning - 1
                waiting ^= bit_of(card)
                key ^= bit_of(card + card // 13 + 1)
    q[k.KEY], q[k.WAITING] = key, waiting


@inlined
def _beginning(q: Words, waiting: int) -> int:
    """Return the cards that wait to begin a column, or begin one."""
    cards = int64(0)
    for at in range(q[k.BEGINNING_COUNT]):
        cards |= waiting & bit_of(q[k.BEGINNING + at])
    return cards


@routine
def _offered(q: Words) -> int:
    """Return the cards that turning the stock would uncover."""
    cards, left = int64(0), q[k.STOCK]
    draw, turned, count, number = q[k.DRAW], q[k.TURNED], count_of(left), int64(0)
    further = q[k.PASSES] == 0 or q[k.FURTHER_PASSES] > 0
    ahead, whole = turned if turned else draw, int64(0)
    for at in range(q[k.STOCK_SIZE]):
        card = bit_of(q[k.STOCK_ORDER + at])
        if left & card == 0:
            continue
        number += 1
        whole += 1
        ahead -= 1
        is_offered = number == count
        if ahead == 0:
            is_offered = True
            ahead = draw
        if whole == draw:
            is_offered = is_offered or further
            whole = int64(0)
        if is_offered:
            cards |= card
    return cards


@inlined
def _survey_beginning(q: Words, in_columns: int) -> None:
    """Write which cards of a reserve begin columns, which can be taken, and which are buried."""
    q[k.BEGUN], q[k.UNCOVERED], q[k.BURIED], before = 0, 0, 0, int64(0)
    for at in range(q[k.BEGINNING_COUNT]):
        card = q[k.WAITING] & bit_of(q[k.BEGINNING + at])
        if card & ~in_columns:
            if before < q[k.COLUMNS]:
                q[k.BEGUN] |= card
            elif before == q[k.COLUMNS]:
                q[k.UNCOVERED] = card
            else:
                q[k.BURIED] |= card
        before += card != 0


@routine
def survey(q: Words) -> None:
    """Write the sets of cards that follow from the position."""
    up, hidden, dealt, nexts, spaces = int64(0), int64(0), int64(0), int64(0), int64(0)
    for suit in range(4):
        height = q[k.HEIGHTS + suit]
        up |= (bit_of(height) - 1) << 13 * suit
        if height < q[k.RANKS]:
            nexts |= bit_of(13 * suit + height)
    for column in range(q[k.COLUMNS]):
        row = q[k.ROWS + column]
        hidden |= q[k.HIDDEN + row]
        dealt |= q[k.LOWEST + row]
        spaces += q[k.LOWEST + row] == 0
    stock, reserve = q[k.WAITING] & q[k.STOCK_CARDS], q[k.WAITING] & q[k.OPEN_RESERVE]
    if q[k.TO_SPACES] == k.ANY_CARD:
        _survey_beginning(q, dealt | hidden)
        dealt |= q[k.BEGUN]
        spaces -= count_of(q[k.BEGUN])
        hidden |= q[k.BURIED]
        reserve |= q[k.UNCOVERED]
    shown = q[k.DECK] & ~(up | hidden | stock | reserve)
    moved = shown & ~dealt
    q[k.UP], q[k.HIDING], q[k.DEALT], q[k.NEXT], q[k.SHOWN], q[k.MOVED] = up, hidden, dealt, nexts, shown, moved
    black, red, two_black, two_red = black_ranks(shown), red_ranks(shown), both_black(shown), both_red(shown)
    on_red, on_black = black_ranks(moved), red_ranks(moved)
    two_on_red, two_on_black = both_black(moved), both_red(moved)
    q[k.BARE] = shown & cards_of(
        (black & ~(on_black << 1)) | (two_black & ~(two_on_black << 1)),
        (red & ~(on_red << 1)) | (two_red & ~(two_on_red << 1)),
    )
    last = bit_of(q[k.RANKS] - 1)
    free = cards_of(
        (red >> 1 & ~on_red) | (two_red >> 1 & ~two_on_red),
        (black >> 1 & ~on_black) | (two_black >> 1 & ~two_on_black),
    )
    kings = cards_of(last, last)
    if q[k.TO_SPACES] == k.KINGS and spaces > count_of(moved & kings):
        free |= kings
    if q[k.TO_SPACES] == k.ANY_CARD:
        begun = count_of(on_red & ~(red >> 1)) + count_of(two_on_red & ~(two_red >> 1))
        begun += count_of(on_black & ~(black >> 1)) + count_of(two_on_black & ~(two_black >> 1))
        if spaces > begun:
            free = q[k.DECK]
            q[k.BARE] = shown
    q[k.FREE] = free
    q[k.STOCK], q[k.RESERVE], q[k.OFFERED] = stock, reserve, reserve
    if stock:
        q[k.OFFERED] |= _offered(q)


@inlined
def _safe_cards(q: Words) -> int:
    """Return the next cards of foundations on which no card needs to lie."""
    safe = int64(0)
    black = min(q[k.HEIGHTS + 0], q[k.HEIGHTS + 2])
    red = min(q[k.HEIGHTS + 1], q[k.HEIGHTS + 3])
    for suit in range(4):
        height, sibling = q[k.HEIGHTS + suit], q[k.HEIGHTS + (suit + 2) % 4]
        opposite = black if suit & 1 else red
        if opposite >= height - 1 and sibling >= height - 2:
            safe |= bit_of(13 * suit + height)
    return int64(safe & q[k.NEXT])


@inlined
def _key_without(q: Words, card: int) -> int:
    """Return the key after a card has left a column, the stock or the reserve."""
    key, bit = int64(q[k.KEY]), bit_of(card)
    if q[k.WAITING] & bit:
        key ^= bit_of(card + card // 13 + 1)
    return _key_without_stock(q, key, card) if q[k.STOCK] & bit else key


@inlined
def _key_without_stock(q: Words, key: int, card: int) -> int:
    """Return the key with the fields of the stock as they are after a card has left it."""
    slot, number, count, turned = int64(0), int64(1), count_of(q[k.STOCK]), q[k.TURNED]
    while q[k.STOCK_ORDER + slot] != card:
        number += q[k.STOCK] >> q[k.STOCK_ORDER + slot] & 1
        slot += 1
    further = q[k.FURTHER_PASSES]
    ahead = number >= turned and ((number - turned) % q[k.DRAW] == 0 or number == count)
    if q[k.PASSES] and not ahead:
        further -= 1
    after = number - 1
    if q[k.PASSES] == 0 and (after % q[k.DRAW] == 0 or after == count - 1):
        after = int64(0)
    fields = (bit_of(k.CARD_FIELDS) - 1) & key
    return int64(fields | (after + further * (q[k.STOCK_SIZE] + 1)) << k.CARD_FIELDS)


@routine
def settle(q: Words) -> None:
    """Let safe cards go up, in the order of suits, as long as there are any."""
    q[k.SETTLED_COUNT] = 0
    while True:
        survey(q)
        safe = _safe_cards(q)
        available = q[k.BARE] | q[k.RESERVE]
        if q[k.DRAW] == 1 and q[k.PASSES] == 0:
            available |= q[k.OFFERED]
        q[k.SAFE] = safe
        rising = safe & available
        if rising == 0:
            return
        card = first_of(rising)
        q[k.SETTLED + q[k.SETTLED_COUNT]] = card
        q[k.SETTLED_COUNT] += 1
        decode(q, _key_without(q, card) + bit_of(card + card // 13))


@inlined
def _add(q: Words, key: int, move: int, score: int) -> None:
    at = q[k.CHILD_COUNT]
    if q[k.NOISE]:
        q[k.NOISE] = (q[k.NOISE] * int64(6364136223846793005) + int64(1442695040888963407)) | 1
        score += (q[k.NOISE] >> 40) & 511
    while at and q[k.CHILD_SCORES + at - 1] > score:
        q[k.CHILD_KEYS + at] = q[k.CHILD_KEYS + at - 1]
        q[k.CHILD_MOVES + at] = q[k.CHILD_MOVES + at - 1]
        q[k.CHILD_SCORES + at] = q[k.CHILD_SCORES + at - 1]
        at -= 1
    q[k.CHILD_KEYS + at], q[k.CHILD_MOVES + at], q[k.CHILD_SCORES + at] = key, move, score
    q[k.CHILD_COUNT] += 1


@routine
def _add_moves(q: Words, cards: int, kind: int, score: int) -> None:
    """Add the moves of cards in columns, the stock or the reserve."""
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        key = _key_without(q, card)
        if kind == k.TO_FOUNDATION:
            key += bit_of(card + card // 13)
        _add(q, key, card | kind << 6, score)


@routine
def list_moves(q: Words) -> None:
    """List the moves of the position that was surveyed and settled, the most promising last. Safe cards that come back
    would go up again."""
    q[k.CHILD_COUNT] = 0
    rising = q[k.BARE] & q[k.NEXT]
    _add_moves(q, rising & q[k.DEALT], int64(k.TO_FOUNDATION), int64(300))
    _add_moves(q, rising & ~q[k.DEALT], int64(k.TO_FOUNDATION), int64(100))
    _add_moves(q, q[k.DEALT] & q[k.FREE], int64(k.TO_PLACE), int64(250))
    _add_moves(q, q[k.OFFERED] & q[k.NEXT], int64(k.TO_FOUNDATION), int64(200))
    _add_moves(q, q[k.OFFERED] & q[k.FREE], int64(k.TO_PLACE), int64(60))
    for suit in range(4 * q[k.REMOVABLE]):
        height = q[k.HEIGHTS + suit]
        card = int64(13 * suit) + height - 1
        if height > q[k.LEAST_UP] and q[k.FREE] & bit_of(card):
            _add(q, q[k.KEY] - bit_of(card + suit), card | k.TO_PLACE << 6, int64(0))
