"""List the moves of a position of a patience, the most promising first."""

from dealmill.kernels import inlined, routine
from dealmill.pipeline.games.patience.search.moves import (
    is_ahead,
    top_of_foundation,
)
from dealmill.pipeline.games.patience.search.settling import (
    is_safe,
    move_together,
)
from dealmill.pipeline.games.patience.search.words import (
    ABSENT,
    AWAY,
    CELL,
    CELL_CARDS,
    CELL_COUNT,
    CELLS,
    COLUMNS,
    COMPLETE,
    DEALT,
    DISORDER,
    DOWN,
    DRAW,
    FIRST_COLUMN_LIMIT,
    FOUNDATION,
    FULL_COLUMNS,
    HOLE,
    HOLE_TOP,
    IN_HOLE,
    LENGTH,
    LIFTED,
    LITERAL,
    MOVES,
    NO_CARD,
    NOISE,
    ORDERED,
    PARENTS,
    PARTIAL,
    PASSES,
    PASSES_LEFT,
    RANKS,
    REMOVABLE,
    RESERVE,
    RESERVE_CARDS,
    RESERVE_COUNT,
    RESERVED,
    REST,
    SCORE,
    SPACES,
    STACKED,
    STOCK,
    STOCK_CARDS,
    STOCK_COUNT,
    TO_COLUMNS,
    TO_HOLE,
    TOP,
    TOPS,
    UNDER,
    UP,
    WRAP,
    Words,
    bit_of,
    first_of,
    word,
)


@inlined
def _add(s: Words, end: int, score: int, move: int) -> int:
    if s[NOISE]:
        s[NOISE] = (s[NOISE] * word(6364136223846793005) + word(1442695040888963407)) | 1
        score += (s[NOISE] >> 40) & s[DISORDER]
    s[s[MOVES] + end] = word(score + 200) << SCORE | move
    return end + 1


@inlined
def _suited_score(s: Words, card: int, source: int, count: int, parent: int) -> int:
    """Return the score of a move onto a card, or an empty place, where only whole suits leave the columns: suits are to
    come together, to stay so, and columns to be emptied."""
    score = word(0)
    if parent == card + 1:
        score += 90
    elif parent == NO_CARD:
        score -= 30
    if source < FIRST_COLUMN_LIMIT:
        under, shown = s[UNDER + card], s[LENGTH + source] - s[DOWN + source]
        if under == NO_CARD:
            score += 60
        elif count == shown:
            score += 50
        elif under == card + 1:
            score -= 100
        elif s[PARENTS + card] & bit_of(under) == 0:
            score += 30
    return score + count


@routine
def _targets(s: Words, end: int, card: int, source: int, count: int, index: int, score: int, space: int) -> int:
    """Add the moves of a card with those on it to columns; `space` is an empty one that may be used, or -1."""
    move = card | source << 6 | count << 18 | index << 24
    if s[PARENTS + card] & s[TOPS]:
        for column in range(s[COLUMNS]):
            top = s[TOP + column]
            if top != NO_CARD and s[PARENTS + card] & bit_of(top) and column != source:
                if s[COMPLETE]:
                    score = _suited_score(s, card, source, count, top)
                end = _add(s, end, score, move | column << 12)
    if space >= 0 and s[SPACES] & bit_of(card):
        score = word(-25)
        if s[COMPLETE]:
            score = _suited_score(s, card, source, count, word(NO_CARD))
        end = _add(s, end, score, move | space << 12)
        if s[ORDERED]:
            for column in range(space + 1, s[COLUMNS]):
                if s[LENGTH + column] == 0:
                    end = _add(s, end, score, move | column << 12)
    return end


@routine
def _single(s: Words, end: int, card: int, source: int, index: int) -> int:
    """Add the moves of one card to foundation, cell and hole."""
    move = card | source << 6 | 1 << 18 | index << 24
    if s[HOLE]:
        apart = abs(card % 13 - s[HOLE_TOP] % 13)
        if apart == 1 or (s[WRAP] and s[RANKS] > 2 and apart == s[RANKS] - 1):
            end = _add(s, end, word(100), move | IN_HOLE << 12)
    elif s[COMPLETE] == 0 and source != FOUNDATION and s[UP + card // 13] == card % 13:
        end = _add(s, end, word(100), move | FOUNDATION << 12)
    if source != CELL and s[CELL_COUNT] < s[CELLS]:
        end = _add(s, end, word(-20), move | CELL << 12)
    return end


@inlined
def _completed(s: Words, column: int) -> int:
    """Return the last card of a whole suit that lies on top of a column; -1 if there is none."""
    card, last = s[TOP + column], word(-1)
    if card % 13 == 0 and s[LENGTH + column] - s[DOWN + column] >= s[RANKS]:
        while card % 13 + 1 < s[RANKS] and s[UNDER + card] == card + 1:
            card += 1
        if card % 13 + 1 == s[RANKS]:
            last = card
    return last


@routine
def _list_several(s: Words, end: int, space: int) -> int:
    """Add the moves of whole suits to foundations, and of a row of the stock to the columns."""
    if s[COMPLETE]:
        for column in range(s[COLUMNS]):
            if s[LENGTH + column]:
                card = _completed(s, word(column))
                if card >= 0:
                    end = _add(s, end, word(600), card | column << 6 | FOUNDATION << 12 | s[RANKS] << 18)
    if s[ORDERED] and (space < 0 or s[FULL_COLUMNS] == 0):
        card = s[STOCK_CARDS + first_of(s[REST])]
        end = _add(s, end, word(-45), card | STOCK << 6 | DEALT << 12 | min(s[COLUMNS], s[STOCK_COUNT]) << 18)
    return end


@routine
def list_moves(s: Words, start: int, chosen: int) -> int:
    """Write the moves of the chosen cards, and those of whole suits and rows, to the list of moves from `start` on, the
    most promising first; return the end. `LIFTED` gets all cards that can be moved."""
    end, space, lifted = start, word(-1), word(0)
    for column in range(s[COLUMNS]):
        if s[LENGTH + column] == 0:
            space = word(column)
            break
    for column in range(s[COLUMNS]):
        length = s[LENGTH + column]
        if length == 0:
            continue
        card, count = s[TOP + column], word(1)
        if chosen & bit_of(card):
            end = _single(s, end, card, word(column), word(0))
        shown = length - s[DOWN + column]
        while True:
            lifted |= bit_of(card)
            under = s[UNDER + card]
            joined = count < shown and move_together(s, card, under)
            needed = s[LITERAL] or s[PARTIAL] == 0 or not joined or (s[UP + under // 13] == under % 13)
            if needed and chosen & bit_of(card):
                score = word(70) if count == shown and shown < length else word(30)
                target = space if count < length or s[ORDERED] else word(-1)
                end = _targets(s, end, card, word(column), count, word(0), score, target)
            if not joined:
                break
            card = under
            count += 1
    single, none = word(1), word(0)
    cards = s[CELL_CARDS] & chosen
    lifted |= s[CELL_CARDS]
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        end = _single(s, end, card, word(CELL), none)
        end = _targets(s, end, card, word(CELL), single, none, word(60), space)
    cards = s[RESERVE]
    if s[STACKED] and cards:
        cards = bit_of(s[RESERVE_CARDS + s[RESERVE_COUNT] - 1])
    lifted |= cards
    cards &= chosen
    while cards:
        card = first_of(cards)
        cards &= cards - 1
        end = _single(s, end, card, word(RESERVED), none)
        end = _targets(s, end, card, word(RESERVED), single, none, word(60), space)
    rest, index = s[REST], word(0)
    if s[TO_HOLE] and rest:
        card = s[STOCK_CARDS + first_of(rest)]
        end = _add(s, end, word(15), card | STOCK << 6 | IN_HOLE << 12 | 1 << 18)
        rest = none
    if s[TO_COLUMNS] or s[COMPLETE]:
        end = _list_several(s, end, space)
    if s[TO_COLUMNS]:
        rest = none
    while rest:
        card = s[STOCK_CARDS + first_of(rest)]
        rest &= rest - 1
        index += 1
        if chosen & bit_of(card) == 0:
            continue
        if is_ahead(s, index, s[STOCK_COUNT]) or (index % s[DRAW] == 0 and (s[PASSES] == 0 or s[PASSES_LEFT] > 0)):
            end = _single(s, end, card, word(STOCK), index)
            end = _targets(s, end, card, word(STOCK), single, index, word(15), space)
            if s[DRAW] > 1 and s[PARENTS + card] & s[ABSENT]:
                end = _add(s, end, word(90), card | STOCK << 6 | AWAY << 12 | 1 << 18 | index << 24)
    if s[REMOVABLE]:
        for suit in range(4):
            card = top_of_foundation(s, suit)
            if card >= 0:
                lifted |= bit_of(card)
            if card >= 0 and chosen & bit_of(card) and (s[LITERAL] or not is_safe(s, card)):
                end = _single(s, end, card, word(FOUNDATION), none)
                end = _targets(s, end, card, word(FOUNDATION), single, none, word(-30), space)
    if s[HOLE]:
        for rank in range(s[RANKS]):
            for suit in range(4):
                card = word(13 * suit + rank)
                if s[ABSENT] & bit_of(card):
                    end = _single(s, end, card, word(AWAY), none)
                    break
    s[LIFTED] |= lifted
    _sort(s, s[MOVES] + start, s[MOVES] + end)
    return end


@inlined
def _sort(s: Words, first: int, stop: int) -> None:
    """Sort moves by falling scores; those with the same score keep their order."""
    for at in range(first + 1, stop):
        move = s[at]
        slot = at
        while slot > first and s[slot - 1] >> SCORE < move >> SCORE:
            s[slot] = s[slot - 1]
            slot -= 1
        s[slot] = move
