"""The compiled referee of losses by a relaxed game, `losses.cut`, for more positions than plain Python visits in a
moment. It is written from docs/proofs/cut.md, on the game of `positions` and `moves`; it shares no code with the
engine."""

from functools import cache, partial

import numpy as np

from dealmill.kernels import inlined, int64, kernel, routine
from dealmill.pipeline.games.patience.compiled.counting import check_count, note_count
from dealmill.pipeline.games.patience.compiled.keys import WON, Slots, Words, bit_of, count_of, first_of
from dealmill.pipeline.games.patience.compiled.moves import (
    change,
    list_moves,
    moves_along,
    open_reserve,
    passes_after,
    play,
    settle,
)
from dealmill.pipeline.games.patience.compiled.positions import (
    change_key,
    copy_key,
    encode,
    is_new,
    locate_cards,
    read_key,
    turning_of,
)
from dealmill.pipeline.games.patience.compiled.single_cards import ALWAYS, NEVER, lag_table
from dealmill.pipeline.games.patience.compiled.words import (
    CODES,
    COMPLETE,
    DEALT,
    DECK,
    DOWNWARD_PILES,
    DRAW,
    EMPTY_COLUMNS,
    FILLS,
    IN_CELLS,
    IN_RESERVE,
    IN_STOCK,
    LAST_RANK,
    MOVES,
    NO_CARD,
    ON_FOUNDATION,
    ON_SPACE,
    PARENTS,
    PASSES,
    RESERVE_ORDER,
    RESERVE_SIZE,
    SPACES,
    STACKED,
    STOCK_ORDER,
    STOCK_SIZE,
    SUIT,
    TO_COLUMNS,
    TOPS,
    UNDER,
    UP,
)
from dealmill.pipeline.games.patience.losses.cut import CutLoss
from dealmill.pipeline.games.patience.losses.safe import safe_cards_are_known
from dealmill.pipeline.games.patience.rules import UNLIMITED, Rules


def check_cut(rules: Rules, layout: str, loss: CutLoss) -> list[int]:
    """Check the claim of a loss; return and raise what `counted` does."""
    return check_count(rules, layout, loss, partial(_count, _lags(rules)))


@cache
def _lags(rules: Rules) -> Words:
    """Return how many ranks each foundation may be behind the next card of each suit for that card to be safe."""
    lags = lag_table(rules)
    if rules.move == "any":
        lags = np.where(lags > 1, ALWAYS, NEVER if rules.removable else 0)
        np.fill_diagonal(lags, ALWAYS)
    if not safe_cards_are_known(rules):
        lags[:] = NEVER
    return lags


@inlined
def _height(up: int, suit: int) -> int:
    """Return how many cards of a suit are up, from the lowest on to the first that is not."""
    return first_of(~(up >> 13 * suit & SUIT))


@inlined
def _last_rank(t: Words, up: int, suit: int) -> int:
    """Return the rank of the last card of a suit that is not up, or -1."""
    rank: int = t[LAST_RANK]
    while rank >= 0 and up & bit_of(13 * suit + rank):
        rank -= 1
    return rank


@routine
def _safe_card(t: Words, lags: Words) -> int:
    """Return the safe card of the first suit that has one, or `NO_CARD`."""
    near = t[TOPS] | open_reserve(t)
    if t[DRAW] == 1 and t[PASSES] == UNLIMITED and t[TO_COLUMNS] == 0:
        near |= t[IN_STOCK]
    for suit in range(4):
        height = _height(t[UP], suit)
        if height > t[LAST_RANK] or near & bit_of(13 * suit + height) == 0:
            continue
        is_safe = True
        for second in range(4):
            is_safe = is_safe and _height(t[UP], second) >= height - lags[suit, second]
        if is_safe:
            return 13 * suit + height
    for suit in range(4 * t[DOWNWARD_PILES]):
        rank = _last_rank(t, t[UP], suit)
        if rank >= 0 and near & bit_of(13 * suit + rank) and lags[suit, suit] != NEVER:
            return 13 * suit + rank
    return int64(NO_CARD)


@routine
def _settle(t: Words, lags: Words) -> None:
    """Do what happens without a move, and let safe cards go up."""
    settle(t)
    card = _safe_card(t, lags)
    while card != NO_CARD:
        change(t, card, int64(ON_FOUNDATION), turning_of(t))
        settle(t)
        card = _safe_card(t, lags)


@routine
def _offered(t: Words) -> int:
    """Return the cards of the stock that can be taken without taking another one before, or that will be dealt."""
    if t[TO_COLUMNS]:
        stock: int = t[IN_STOCK]
        return stock
    cards, count, index = int64(0), count_of(t[IN_STOCK]), int64(0)
    for slot in range(t[STOCK_SIZE]):
        card = bit_of(t[STOCK_ORDER + slot])
        if t[IN_STOCK] & card:
            index += 1
            if passes_after(t, index, count) >= 0:
                cards |= card
    return cards


@inlined
def _leaves(t: Words, card: int, bare: int, up: int, space: int) -> bool:
    """Return whether a card that can be lifted in the relaxed game has somewhere to go."""
    return bool((up | t[SPACES] * space) & bit_of(card) or t[PARENTS + card] & bare)


@routine
def _take_apart(t: Words, tops: int, bare: int, left: int, up: int, space: int) -> tuple[int, int, int, int]:
    """Let cards leave what they lie on, in each column down to the first that cannot be lifted; `tops` are the cards of
    the columns above which all have left. Return these, which cards are bare and have left, and whether there is an
    empty column."""
    columns, tops = tops, int64(0)
    while columns:
        card, above = first_of(columns), int64(NO_CARD)
        columns &= columns - 1
        top = card
        while card != NO_CARD:
            if above == NO_CARD or left & bit_of(above):
                bare |= bit_of(card)
            elif not moves_along(t, above):
                break
            if _leaves(t, card, bare, up & bare, space):
                left |= bit_of(card)
                space |= t[UNDER + card] == NO_CARD
                if card == top:
                    top = t[UNDER + card]
            card, above = t[UNDER + card], card
        if top != NO_CARD:
            tops |= bit_of(top)
    return tops, bare, left, space


@routine
def _take(t: Words, bare: int, up: int, space: int) -> int:
    """Return the bare cards with those that can be taken from a stacked reserve and from the stock."""
    for slot in range(t[RESERVE_SIZE] * t[STACKED]):
        card = t[RESERVE_ORDER + t[RESERVE_SIZE] - 1 - slot]
        if t[IN_RESERVE] & bit_of(card):
            bare |= bit_of(card)
            if not (_leaves(t, card, bare, up, space) or (t[FILLS] and space)):
                break
    stock = t[IN_STOCK] & bare
    while stock:
        if _leaves(t, first_of(stock), bare, up, space):
            bare |= t[IN_STOCK]
        stock &= stock - 1
    return bare


@routine
def _risen(t: Words, bare: int, up: int) -> int:
    """Return the cards that are up with the bare ones that can follow them."""
    for suit in range(4):
        height = _height(up, suit)
        while height <= t[LAST_RANK] and bare & bit_of(13 * suit + height):
            up |= bit_of(13 * suit + height)
            height += 1
    for suit in range(4 * t[DOWNWARD_PILES]):
        rank = _last_rank(t, up, suit)
        while rank >= 0 and bare & bit_of(13 * suit + rank):
            up |= bit_of(13 * suit + rank)
            rank -= 1
    return up


@routine
def _is_refuted(t: Words) -> bool:
    """Return whether not all cards go up in the relaxed game of the position whose cards are located."""
    up, left, space = int64(t[UP]), int64(0), int64(t[EMPTY_COLUMNS] != 0)
    bare, tops = up | open_reserve(t) | _offered(t), int64(t[TOPS])
    while True:
        bare_before, left_before, up_before = bare, left, up
        tops, bare, left, space = _take_apart(t, tops, bare, left, up, space)
        bare = _take(t, bare, up, space)
        up = _risen(t, bare, up)
        if t[DECK] & ~up == 0:
            return False
        if bare == bare_before and left == left_before and up == up_before:
            return True


@inlined
def _next_cards(t: Words) -> int:
    """Return the lowest card of each suit that is not up, and the highest one if that may go up, too."""
    cards = int64(0)
    for suit in range(4):
        cards |= int64(_height(t[UP], suit) < 13) << 13 * suit + _height(t[UP], suit)
    for suit in range(4 * t[DOWNWARD_PILES]):
        rank = _last_rank(t, t[UP], suit)
        cards |= int64(rank >= 0) << 13 * suit + max(rank, 0)
    return cards


@inlined
def _bares_nothing(t: Words, move: int, next_cards: int) -> bool:
    """Return whether nothing changes by a move but where a card is, and what is turned: then no card becomes safe, as
    none was before. Neither a foundation nor, if it is part of a position, which columns are empty; and no card can be
    taken after it that is the next one of its suit and could not be taken before, or was in the stock."""
    card, code = move & 63, (move >> 6) & 15
    if code in (ON_FOUNDATION, DEALT) or t[CODES + card] == ON_FOUNDATION:
        return False
    if t[IN_STOCK] & next_cards & bit_of(card):
        return False  # a card that could be safe, but for the stock, in which it was not looked for
    if t[TO_COLUMNS] and t[IN_STOCK] and (code == ON_SPACE or t[CODES + card] == ON_SPACE):
        return False  # which columns are empty changes, too
    if (t[IN_STOCK] | t[IN_RESERVE] | t[IN_CELLS]) & bit_of(card):
        return bool(t[STACKED] == 0 or t[IN_RESERVE] & bit_of(card) == 0)
    under = t[UNDER + card]
    return bool(under == NO_CARD or next_cards & bit_of(under) == 0)


@kernel
def _count(lags: Words, t: Words, keys: Words, slots: Slots, counts: Words, limit: int) -> int:
    """Return the number of positions that can be reached, or `limit` + 1 if there are more; `WON` if one is won. Write
    to `counts` how many can be reached without a move, with at most one, and so on, as far as they go.

    After a move that bares nothing, nothing happens without a move in most games, so that its key differs from that of
    the position in one card and in what is turned. Other moves are played, after these.
    """
    is_quiet = t[FILLS] == 0 and t[COMPLETE] == 0
    _settle(t, lags)
    encode(t)
    count, visited = int64(0), int64(0)
    count += is_new(t, keys, slots, count)
    while visited < count:
        note_count(t, counts, visited, count)
        read_key(t, keys, visited)
        locate_cards(t)
        if t[DECK] & ~t[UP] == 0:
            return int64(WON)
        moves, played = 0 if _is_refuted(t) else list_moves(t), int64(0)
        next_cards, turning = _next_cards(t), turning_of(t)
        for number in range(moves):
            move = t[MOVES + number]
            if is_quiet and _bares_nothing(t, move, next_cards):
                copy_key(t, keys, visited)
                change_key(t, move, turning)
                count += is_new(t, keys, slots, count)
            else:
                t[MOVES + played] = move
                played += 1
            if count > limit:
                return count
        for number in range(played):
            play(t, keys, visited, t[MOVES + number])
            _settle(t, lags)
            encode(t)
            count += is_new(t, keys, slots, count)
            if count > limit:
                return count
        visited += 1
    return count
