"""The compiled referee of losses by cards that wait, `losses.waits`. It is written from docs/proofs/waiting.md, on the
game of `positions` and `moves`, and shares no code with the engine."""

from functools import partial

from dealmill.kernels import inlined, int64, kernel, routine
from dealmill.pipeline.games.patience.compiled.counting import check_count, note_count
from dealmill.pipeline.games.patience.compiled.keys import WON, Slots, Words, bit_of, first_of
from dealmill.pipeline.games.patience.compiled.moves import list_moves, play, settle
from dealmill.pipeline.games.patience.compiled.positions import encode, is_new, locate_cards, read_key
from dealmill.pipeline.games.patience.compiled.words import (
    CODES,
    DECK,
    EMPTY_COLUMNS,
    FACE_DOWN,
    HOME,
    IN_STOCK,
    LAST_RANK,
    MOVES,
    MOVES_RUNS,
    NO_CARD,
    ON,
    PARENTS,
    RUN_PARENTS,
    SPACES,
    SUIT,
    UNDER,
    UP,
    WAS_STOCK,
)
from dealmill.pipeline.games.patience.losses.waits import WaitingLoss, cards_wait
from dealmill.pipeline.games.patience.rules import RANKS, Rules


def check_waiting(rules: Rules, layout: str, loss: WaitingLoss, *, is_pair: bool) -> list[int]:
    """Check the claim of a loss, by a pair or not; return and raise what `counted` does."""
    base = RANKS.index(rules.foundations)
    cards = sum(1 << rules.card_number(card, base) for card in loss.cards)
    count = partial(_count, cards, is_pair, cards_wait(rules))
    return check_count(rules, layout, WaitingLoss(None, loss.positions), count)


@routine
def _place_cards(t: Words) -> None:
    """Write which card lies on each."""
    for card in range(52):
        t[ON + card] = NO_CARD
    cards = t[DECK] & ~t[UP] & ~t[IN_STOCK]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        if t[UNDER + card] != NO_CARD:
            t[ON + t[UNDER + card]] = card


@inlined
def _is_face_down(t: Words, card: int) -> bool:
    """Return whether a card lies face down: what lies on it has lain there from the start."""
    on = t[ON + card]
    was_dealt = t[FACE_DOWN] & bit_of(card) and on != NO_CARD
    return bool(was_dealt and t[CODES + on] == HOME and t[WAS_STOCK] & bit_of(on) == 0)


@routine
def _joined(t: Words) -> int:
    """Return the cards that lie on their only places."""
    joined, cards = int64(0), t[DECK] & ~t[UP] & ~t[IN_STOCK]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        if card % 13 != t[LAST_RANK] and t[UNDER + card] == card + 1:
            joined |= bit_of(card)
    return joined


@routine
def _pairs(t: Words, joined: int) -> int:
    """Return the joined cards on cards that lie face down."""
    in_pairs = int64(0)
    while joined:
        card = first_of(joined)
        joined &= joined - 1
        if _is_face_down(t, card + 1):
            in_pairs |= bit_of(card)
    return in_pairs


@inlined
def _kings(t: Words) -> int:
    kings = int64(0)
    for suit in range(4):
        kings |= bit_of(13 * suit + t[LAST_RANK])
    return kings


@routine
def _kings_stay(t: Words, waiting: int) -> bool:
    """Return whether no king can go to an empty column before one of these cards moves."""
    lowest, cards, others = int64(0), t[DECK] & ~t[UP] & ~t[IN_STOCK], waiting & ~_kings(t)
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        if t[UNDER + card] == NO_CARD:
            lowest |= bit_of(card)
    stay = t[EMPTY_COLUMNS] == 0 and lowest & ~(_kings(t) | waiting) == 0
    for suit in range(4):
        own = int64(SUIT) << 13 * suit
        stay = stay and (t[DECK] & ~t[UP] & own == 0 or others & own != 0)
    return stay


@routine
def _cannot_begin(t: Words, card: int, waiting: int, stay: int, kings_stay: bool) -> bool:
    """Return whether a card cannot be the first of the waiting ones to move. Those of `stay` move with others only."""
    if _is_face_down(t, card) and stay & bit_of(t[ON + card]):
        return True
    if card % 13 == t[LAST_RANK]:
        return kings_stay and t[UNDER + card] != NO_CARD
    on_place = t[ON + card + 1]
    if on_place != NO_CARD and waiting & bit_of(on_place):
        return True
    above = t[ON + card]
    while above != NO_CARD and stay & bit_of(above):
        if above == card + 1:
            return True
        above = t[ON + above]
    return False


@routine
def _largest(t: Words, waiting: int, joined: int) -> int:
    """Return the largest set within these cards of which none can be the first to move; none if it has only kings."""
    before = int64(0)
    waiting &= ~joined & t[DECK] & ~t[UP] & ~t[IN_STOCK]
    while waiting != before:
        before, left, kings_stay = waiting, waiting, _kings_stay(t, waiting)
        while left:
            card = first_of(left)
            left &= left - 1
            if not _cannot_begin(t, card, before, before | joined, kings_stay):
                waiting &= ~bit_of(card)
    return waiting if waiting & ~_kings(t) else int64(0)


@routine
def _suits_that_stay(t: Words, waiting: int) -> int:
    """Return the cards of the suits of which a waiting card has to move by itself: one that is no king, and does not
    lie on the next higher card of its suit, face up."""
    suits, cards = int64(0), waiting & ~_kings(t)
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        if t[UNDER + card] != card + 1 or _is_face_down(t, card + 1):
            suits |= int64(SUIT) << 13 * (card // 13)
    return suits


@routine
def _columns_stay(t: Words, waiting: int) -> bool:
    """Return whether no column is empty, or becomes empty before a waiting card moves by itself."""
    cards = t[DECK] & ~t[UP] & ~t[IN_STOCK] & ~waiting
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        if t[UNDER + card] == NO_CARD:
            return False
    return bool(t[EMPTY_COLUMNS] == 0)


@routine
def _has_no_place(t: Words, card: int, waiting: int, columns_stay: bool) -> bool:
    """Return whether a card cannot be the first of the waiting ones to move by itself, if its suit stays."""
    lower, above = card, t[ON + card]
    while above != NO_CARD and waiting & bit_of(above):
        in_run = t[MOVES_RUNS] != 0 and t[RUN_PARENTS + above] & bit_of(lower) != 0
        if not in_run or _is_face_down(t, lower):
            return True
        lower, above = above, t[ON + above]
    if t[SPACES] & bit_of(card) and not columns_stay:
        return False
    places = t[PARENTS + card] & t[DECK] & ~t[UP]
    if places & t[IN_STOCK]:
        return False
    while places:
        parent = first_of(places)
        places &= places - 1
        if t[ON + parent] == NO_CARD or not waiting & bit_of(t[ON + parent]):
            return False
    return True


@routine
def _is_lost_with_places(t: Words) -> bool:
    """Return whether there are waiting cards, in a game in which cards have several places."""
    before, waiting = int64(0), t[DECK] & ~t[UP] & ~t[IN_STOCK]
    while waiting != before:
        before, columns_stay = waiting, _columns_stay(t, waiting)
        waiting &= _suits_that_stay(t, waiting)
        left = waiting
        while left:
            card = first_of(left)
            left &= left - 1
            if not _has_no_place(t, card, before, columns_stay):
                waiting &= ~bit_of(card)
    return bool(waiting != 0)


@routine
def _is_lost(t: Words, cards: int, is_pair: bool, has_one_place: bool) -> bool:
    """Return whether these cards are a pair or wait for one another; without any, whether there are such cards."""
    _place_cards(t)
    if not has_one_place:
        return _is_lost_with_places(t)
    joined = _joined(t)
    if cards:
        return cards == (cards & _pairs(t, joined) if is_pair else _largest(t, cards, joined))
    return _pairs(t, joined) != 0 or _largest(t, t[DECK], joined) != 0


@kernel
def _count(
    cards: int, is_pair: bool, has_one_place: bool, t: Words, keys: Words, slots: Slots, counts: Words, limit: int
) -> int:
    """Return the number of positions that can be reached without a move in those that are lost by waiting cards, or
    `limit` + 1 if there are more; `WON` if one is won. If the layout is claimed to be lost by some cards, that is 1 if
    it is. Write to `counts` how many can be reached without a move, with at most one, and so on, as far as they go."""
    settle(t)
    encode(t)
    count, visited = int64(0), int64(0)
    count += is_new(t, keys, slots, count)
    if cards and not _is_lost(t, cards, is_pair, has_one_place):
        return limit + 1
    while visited < count:
        note_count(t, counts, visited, count)
        read_key(t, keys, visited)
        locate_cards(t)
        if t[DECK] & ~t[UP] == 0:
            return int64(WON)
        for number in range(0 if _is_lost(t, cards, is_pair, has_one_place) else list_moves(t)):
            play(t, keys, visited, t[MOVES + number])
            settle(t)
            encode(t)
            if is_new(t, keys, slots, count):
                count += 1
                if count > limit:
                    return count
        visited += 1
    return count
