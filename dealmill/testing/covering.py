"""The engine and both referees of a covering game against plain code, on positions with few cards, and the attack on
the statement of docs/proofs/covering.md, which proves losses by the pairs of ranks that matter: a position that can be
won can be won in the easier game, too.

Plain code plays the real game to the end, one turn of the stock at a time. It was written from docs/covering.md alone.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import combinations
from random import Random

from dealmill.pipeline.games.batch import to_batch, to_texts
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.covering import CoveringGame
from dealmill.pipeline.games.covering.referee import Loss, Referee, read_loss
from dealmill.pipeline.games.covering.rules import Position, Rules, written
from dealmill.testing.subject import Subject, require
from dealmill.verdicts import InvalidEvidence, Verdict, check_positions

RANKS, SUITS = "A23456789TJQK", "CHSD"
LOWER = RANKS[:6]
SMALL_LAYOUTS, MAX_STOCK = 100, 7
MAX_CLAIMED = 1_000_000
"""Positions that are claimed where only a win is looked for."""


class State:
    """A position in the plainest form: rows of cards or gaps, columns, stock, waste, further passes, and hole."""

    def __init__(self, layout: str, rules: Rules) -> None:
        self.rules = rules
        _, rows, *parts = layout.upper().split(" ")
        named = dict(part.split(":") for part in parts)
        self.rows = [_split(row) for row in rows.split("/")]
        self.columns = [_split(column.strip("-")) for column in named.get("COLUMNS", "").split("/")]
        self.stock, self.waste = _split(named.get("STOCK", "")), _split(named.get("WASTE", ""))
        self.passes = int(named.get("PASSES", 0)) if rules.passes else -1
        self.hole = named.get("HOLE", "")

    def copy(self) -> "State":
        """Return a position that can be changed."""
        state = object.__new__(State)
        state.rules, state.passes, state.hole = self.rules, self.passes, self.hole
        state.rows, state.columns = [list(row) for row in self.rows], [list(column) for column in self.columns]
        state.stock, state.waste = list(self.stock), list(self.waste)
        return state

    def key(self) -> str:
        """Return a text that tells positions apart."""
        return f"{self.rows} {self.columns} {self.stock} {self.waste} {self.passes} {self.hole[:1]}"

    def is_won(self) -> bool:
        """Return whether all has left that must leave."""
        left = [card for pile in (*self.rows, *self.columns) for card in pile if card != "--"]
        return not left and (self.rules.goal == "arrangement" or not self.stock + self.waste)

    def covering(self, row: int, number: int) -> list[tuple[int, int]]:
        """Return the places whose cards lie on that of a place."""
        if row + 1 == len(self.rows):
            return []
        peak, within = divmod(number, row + 1)
        left = peak * (row + 2 if row + 2 < len(self.rows) else row + 1) + within
        return [(row + 1, at) for at in (left, left + 1) if self.rows[row + 1][at] != "--"]

    def moves(self) -> Iterator["State"]:
        """Yield the positions after each move."""
        takes = list(self._takes())
        if self.rules.moves == "hole":
            for card, take in takes:
                apart = abs(RANKS.index(card[0]) - RANKS.index(self.hole[0]))
                if apart == 1 or (apart == 12 and self.rules.wrap):
                    after = self.copy()
                    take(after)
                    after.hole = card
                    yield after
        for at, (card, take) in enumerate(takes if self.rules.moves == "pairs" else ()):
            for mate, take_mate in [("", _nothing), *takes[at + 1 :], *self._lying_under(card)]:
                if _value(card) + _value(mate) == 13:
                    after = self.copy()
                    take(after)
                    take_mate(after)
                    yield after
        yield from self._turns()

    def _takes(self) -> Iterator[tuple[str, Callable[["State"], object]]]:
        for row, cards in enumerate(self.rows):
            for number, card in enumerate(cards):
                if card != "--" and not self.covering(row, number):
                    yield card, _gap(row, number)
        for column, cards in enumerate(self.columns):
            if cards:
                yield cards[-1], _last_of_column(column)
        if self.rules.moves == "pairs":
            if self.waste:
                yield self.waste[-1], lambda state: state.waste.pop()
            if self.stock and self.rules.playable:
                yield self.stock[0], lambda state: state.stock.pop(0)

    def _lying_under(self, card: str) -> Iterator[tuple[str, Callable[["State"], object]]]:
        for row, cards in enumerate(self.rows if self.rules.overlap else ()):
            for number, under in enumerate(cards):
                covering = self.covering(row, number)
                if under != "--" and [self.rows[line][at] for line, at in covering] == [card]:
                    yield under, _gap(row, number)
        for column, cards in enumerate(self.columns if self.rules.overlap else ()):
            if cards[1:] and cards[-1] == card:
                yield cards[-2], _last_of_column(column)

    def _turns(self) -> Iterator["State"]:
        after = self.copy()
        if self.stock:
            card = after.stock.pop(0)
            if self.rules.moves == "hole":
                after.hole = card
            else:
                after.waste.append(card)
            yield after
        elif self.waste and self.passes:
            after.stock, after.waste, after.passes = after.waste, [], max(self.passes - 1, -1)
            yield after


def _nothing(_: State) -> None:
    pass


def _gap(row: int, number: int) -> Callable[[State], object]:
    return lambda state: state.rows[row].__setitem__(number, "--")


def _last_of_column(column: int) -> Callable[[State], object]:
    return lambda state: state.columns[column].pop()


def _value(card: str) -> int:
    return RANKS.index(card[0]) + 1 if card else 0


def _split(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def plainly_won(layout: str, rules: Rules) -> bool:
    """Return whether a position can be won."""
    latest = [State(layout, rules)]
    reached = {latest[0].key()}
    while latest:
        visited = latest.pop()
        if visited.is_won():
            return True
        for after in visited.moves():
            if after.key() not in reached:
                reached.add(after.key())
                latest.append(after)
    return False


def with_few_cards(rules: Rules, random: Random) -> Rules:
    """Return rules with a small arrangement, which are otherwise the same."""
    peaks, columns = random.randint(1, min(rules.peaks, 2)), min(rules.columns, random.randint(1, 3))
    rows = random.randint(2, 4 if peaks == 1 else 3)
    return replace(rules, peaks=peaks, rows=rows, columns=columns, column_size=2 if columns else 0)


def position_with_few_cards(rules: Rules, random: Random) -> str:
    """Return a position with a few cards of the arrangement and of the stock."""
    left = set(range(len(rules.covers)))
    for _ in range(random.randrange(len(left))):
        left.remove(random.choice([number for number in sorted(left) if left.isdisjoint(rules.covers[number])]))
    stock = random.randint(0, MAX_STOCK)
    deck = _cards_for_hole(random) if rules.moves == "hole" else _pairs(len(left) + stock, random)
    places = tuple(deck.pop() if number in left else "" for number in range(len(rules.covers)))
    if rules.moves == "hole":
        return written(rules, Position(places, tuple(deck[:stock]), hole=deck[-1]))
    turned = random.randint(0, len(deck))
    passes = random.randrange(rules.passes) if rules.counts_passes else 0
    return written(rules, Position(places, tuple(deck), turned, passes))


def _cards_for_hole(random: Random) -> list[str]:
    """Return the cards of six ranks that follow each other."""
    first = random.randrange(len(RANKS))
    cards = [RANKS[(first + number) % len(RANKS)] + suit for number in range(6) for suit in SUITS]
    random.shuffle(cards)
    return cards


def _pairs(count: int, random: Random) -> list[str]:
    """Return so many cards of few ranks that can leave in pairs, and kings."""
    kings = random.choice(range(count % 2, min(count, len(SUITS)) + 1, 2))
    needed = (count - kings) // 2
    ranks = random.sample(LOWER, max(-(-needed // len(SUITS)), random.randint(1, 3)))
    pairs = [
        (rank + suit, RANKS[11 - RANKS.index(rank)] + mate)
        for rank in ranks
        for suit, mate in zip(SUITS, random.sample(SUITS, len(SUITS)), strict=True)
    ]
    cards = [card for pair in random.sample(pairs, needed) for card in pair]
    cards += ["K" + suit for suit in random.sample(SUITS, kings)]
    random.shuffle(cards)
    return cards


def the_engine_and_the_referees_agree_with_plain_code(subject: Subject) -> str:
    """By the rules of the game, with few cards; also on easier games, if these prove losses."""
    game = subject.game
    assert isinstance(game, CoveringGame) and game.rules_text  # noqa: S101 -- see `checks`
    faults, won = list[str](), 0
    for seed in range(SMALL_LAYOUTS):
        random = Random(seed)
        rules = with_few_cards(game.rules, random)
        layout = position_with_few_cards(rules, random)
        can_be_won = plainly_won(layout, rules)
        won += can_be_won
        faults += [f"{layout}: {fault}" for fault in faults_of(Referee(rules), layout, can_be_won=can_be_won)]
    summary = f"{SMALL_LAYOUTS} positions with few cards were searched by plain code, won: {won}"
    require(not faults, f"{summary}; it disagrees in {len(faults):,} cases: {min(faults, key=len, default='')}")
    return summary


def faults_of(referee: Referee, layout: str, *, can_be_won: bool) -> Iterator[str]:
    """Yield what the engine and the referees say of a layout and plain code does not, in words."""
    from dealmill.pipeline.games.covering.counting import count_positions  # loads numba
    from dealmill.pipeline.games.covering.engine import Winnable

    rules = referee.rules
    solved = to_batch(Winnable(rules)(to_texts([layout])))
    [verdict], [evidence] = solved.verdicts, solved.evidence
    if verdict is not (Verdict.WINNABLE if can_be_won else Verdict.UNWINNABLE):
        yield f"the engine says {verdict}"
        return
    try:
        referee("winnable", layout, verdict, None, evidence or "")
        if rules.moves == "pairs" and not can_be_won:
            loss = read_loss(rules, evidence or "")
            check_positions(count_positions(rules, referee.position(layout), loss), loss.positions)
    except InvalidEvidence as error:
        yield f"a referee refuses {verdict} with {evidence}: {error}"
    if can_be_won:
        yield from (f"it is lost in the easier game {loss}" for loss in refuting(referee, layout, all_losses(rules)))


def all_losses(rules: Rules) -> Iterator[Loss]:
    """Yield what evidence of a loss may claim: all sets of pairs of ranks, with both forms of the stock."""
    if rules.moves == "hole":
        yield Loss("", MAX_CLAIMED)
        return
    for size in range(1, len(LOWER) + 1):
        for pairs in map("".join, combinations(LOWER, size)):
            yield from (Loss(pairs, MAX_CLAIMED, is_turned) for is_turned in (False, True))


def refuting(referee: Referee, layout: str, losses: Iterable[Loss]) -> Iterator[Loss]:
    """Yield the losses whose easier game cannot be won, by both referees."""
    from dealmill.pipeline.games.covering.counting import count_positions  # loads numba

    rules, position = referee.rules, referee.position(layout)
    for loss in losses:
        easier, first = referee.easier(position, loss)
        counts = [partial(easier.sweep, first)] if rules.moves == "hole" else []
        if rules.moves == "pairs":
            counts = [partial(easier.count, first, MAX_CLAIMED), partial(count_positions, rules, position, loss)]
        for count in counts:
            with suppress(InvalidEvidence):
                count()
                yield loss


def checks(game: Game) -> tuple[Callable[[Subject], str], ...]:
    """Return the checks of a covering game; none of another game."""
    return (the_engine_and_the_referees_agree_with_plain_code,) if isinstance(game, CoveringGame) else ()
