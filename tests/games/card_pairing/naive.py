"""Card pairing by exhaustive search over literal play, and its theory by trying everything.

Nothing here knows closures or minds the order of play: positions are tuples of stacks, and every move is tried.
"""

import random
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import accumulate, combinations, pairwise, permutations, product
from typing import NamedTuple

Stacks = tuple[tuple[str, ...], ...]
Card = tuple[int, int]
"""A stack and a height in it."""
Pair = frozenset[Card]
Pairs = frozenset[Pair]

NAMES = "0123456789abcdefghijklmnopqrstuvwxyz"
SHAPES = [(ranks, stacks) for ranks in range(2, 6) for stacks in range(2, 11) if 4 * ranks % stacks == 0]
"""Ranks and stacks of decks that are small enough to try everything."""


def decks(ranks: int, stacks: int, count: int) -> list[str]:
    """Shuffled decks, the same ones each time."""
    chance = random.Random(100 * ranks + stacks)
    height = 4 * ranks // stacks
    dealt = []
    for _ in range(count):
        cards = "".join(chance.sample("A23456789TJQK"[:ranks] * 4, 4 * ranks))
        dealt.append(" ".join(cards[start : start + height] for start in range(0, len(cards), height)))
    return dealt


def uneven_decks(seed: int, count: int, sizes: tuple[int, ...] = (2, 2, 4, 4, 6)) -> list[str]:
    """Shuffled decks, with two to eight stacks of any height and two to five ranks of these sizes."""
    chance = random.Random(seed)
    dealt = []
    for _ in range(count):
        ranks = chance.sample(["A", "2", "10", "QUEEN", "K"], chance.randint(2, 5))
        dealt.append(cut_anywhere([rank for rank in ranks for _ in range(chance.choice(sizes))], chance))
    return dealt


def cut_anywhere(cards: list[str], chance: random.Random) -> str:
    """Cards shuffled and divided into stacks of any height."""
    chance.shuffle(cards)
    ends = [0, *sorted(chance.choices(range(len(cards) + 1), k=chance.randint(1, 7))), len(cards)]
    return deck_of([tuple(cards[start:end]) for start, end in pairwise(ends)])


def deck_of(stacks: Sequence[Sequence[str]]) -> str:
    """The canonical text of stacks: in compact form if every symbol is a letter, else in list form with a comma."""
    if {rank for stack in stacks for rank in stack} <= set("A23456789TJQKBCD"):
        return " ".join("".join(stack) or "-" for stack in stacks)
    text = " ".join(",".join(stack) or "-" for stack in stacks)
    return text if "," in text else re.sub("[^ -]+", r"\g<0>,", text, count=1)


def stacks_of(deck: str) -> Stacks:
    """The symbols of each stack, bottom first."""
    if "," in deck:
        return tuple(tuple(re.findall("[^,-]+", stack)) for stack in deck.split(" "))
    return tuple(tuple(stack.replace("-", "")) for stack in deck.split(" "))


def places_of(deck: str) -> dict[str, list[Card]]:
    """Where the cards of each rank lie; the ranks are in the order of their first cards."""
    places: dict[str, list[Card]] = {}
    for number, stack in enumerate(stacks_of(deck)):
        for height, rank in enumerate(stack):
            places.setdefault(rank, []).append((number, height))
    return places


def without_tops(stacks: Stacks, numbers: tuple[int, ...]) -> Stacks:
    return tuple(stack[:-1] if number in numbers else stack for number, stack in enumerate(stacks))


def moves(stacks: Stacks) -> list[tuple[int, int]]:
    """Every two stacks with equal top cards."""
    full = [number for number, stack in enumerate(stacks) if stack]
    return [(left, right) for left, right in combinations(full, 2) if stacks[left][-1] == stacks[right][-1]]


def winnable_by_play(deck: str) -> bool:
    """Whether some sequence of removals empties all stacks."""

    @cache
    def wins(stacks: Stacks) -> bool:
        return not any(stacks) or any(wins(without_tops(stacks, move)) for move in moves(stacks))

    return wins(stacks_of(deck))


def some_win(deck: str) -> str | None:
    """The moves of a play that wins, if there is one."""

    @cache
    def won(stacks: Stacks) -> tuple[tuple[int, int], ...] | None:
        if not any(stacks):
            return ()
        plays = ((move, won(without_tops(stacks, move))) for move in moves(stacks))
        return next(((move, *rest) for move, rest in plays if rest is not None), None)

    stacks = stacks_of(deck)
    play = won(stacks)
    return None if play is None else " ".join(move_between(*move, len(stacks)) for move in play)


def move_between(left: int, right: int, stacks: int) -> str:
    """A move as a trace has it."""
    return NAMES[left] + NAMES[right] if stacks <= len(NAMES) else f"{left},{right}"


class Odds(NamedTuple):
    """The chance of random play, and the numbers of winning orders, critical choices and positions with cards left."""

    chance: Fraction
    orders: int
    critical: int
    positions: int


def odds_by_play(deck: str) -> Odds:
    """The odds if each pair of equal tops is as likely as any other to be the next."""
    critical: set[Stacks] = set()

    @cache
    def played(stacks: Stacks) -> tuple[Fraction, int]:
        if not any(stacks):
            return Fraction(1), 1
        after = [played(without_tops(stacks, move)) for move in moves(stacks)]
        if any(orders for _, orders in after) and not all(orders for _, orders in after):
            critical.add(stacks)
        return sum((chance for chance, _ in after), Fraction()) / max(1, len(after)), sum(orders for _, orders in after)

    chance, orders = played(stacks_of(deck))
    return Odds(chance, orders, len(critical), played.cache_info().currsize - bool(orders))


def stated_odds(deck: str, evidence: str) -> bool:
    """Whether evidence states exactly the odds of a deck."""
    chance, orders, critical, positions = odds_by_play(deck)
    return evidence == f"{chance.numerator}/{chance.denominator} {orders} {critical} {positions}"


def is_win(deck: str, trace: str) -> bool:
    """Whether the pairs of stacks in a trace can be removed one after the other, and leave nothing."""
    stacks = stacks_of(deck)
    for move in trace.split(" "):
        possible = {
            move_between(left, right, len(stacks)): {left, right}
            for pair in moves(stacks)
            for left, right in permutations(pair)
        }
        if move not in possible:
            return False
        stacks = without_tops(stacks, tuple(possible[move]))
    return not any(stacks)


def ways_to_pair(deck: str, rank: str) -> list[list[Pair]]:
    """The ways in which the cards of a rank can leave in pairs; three if there are four."""
    return list(pairings(places_of(deck)[rank]))


def pairings(cards: list[Card]) -> Iterator[list[Pair]]:
    """All ways to split cards into pairs."""
    if not cards:
        yield []
    for mate in cards[1:]:
        for others in pairings([card for card in cards[1:] if card != mate]):
            yield [frozenset({cards[0], mate}), *others]


def is_acyclic(pairs: list[Pair]) -> bool:
    below = TopologicalSorter[Pair]()
    for upper, lower in product(pairs, repeat=2):
        if any(above[0] == card[0] and above[1] > card[1] for above in upper for card in lower):
            below.add(lower, upper)
    try:
        below.prepare()
    except CycleError:
        return False
    return True


def is_refutation(deck: str, certificate: str) -> bool:
    """Whether the ranks of a certificate, used up exactly, jam every way to pair them off."""
    entries = iter(certificate)

    def refutes(pairs: list[Pair], used: str) -> bool:
        rank = next(entries, " ")
        if rank not in places_of(deck) or rank in used:
            return False
        return all(
            not clears_relaxed(deck, pairs + way) or refutes(pairs + way, used + rank)
            for way in ways_to_pair(deck, rank)
        )

    return refutes([], "") and next(entries, None) is None


def clears_relaxed(deck: str, pairs: list[Pair]) -> bool:
    """Whether some order of play clears the stacks if cards that are in no pair leave by themselves."""
    mates = {card: pair for pair in pairs for card in pair}
    start = tuple(map(len, stacks_of(deck)))
    seen = {start}
    waiting = [start]
    while waiting:
        heights = waiting.pop()
        if not any(heights):
            return True
        tops = {(number, height - 1) for number, height in enumerate(heights) if height}
        for top in tops:
            leaving = mates.get(top, {top})
            if leaving <= tops:
                after = tuple(h - any(number == card[0] for card in leaving) for number, h in enumerate(heights))
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return False


class Table(NamedTuple):
    """The options of a deck, each the pairs that leave together, and the numbers of those of each group."""

    options: list[frozenset[Pair]]
    groups: list[list[int]]


def table_of(deck: str) -> Table:
    options: list[frozenset[Pair]] = []
    groups: list[list[int]] = []
    for cards in places_of(deck).values():
        few = len(cards) <= 4
        added = (
            [*map(frozenset, pairings(cards))] if few else [frozenset({frozenset(p)}) for p in combinations(cards, 2)]
        )
        numbers = range(len(options), len(options) + len(added))
        options += added
        groups += [
            [number for number in numbers if any(card in pair for pair in options[number])]
            for card in (cards[:1] if few else cards)
        ]
    return Table(options, groups)


@cache
def winning_pairs(deck: str) -> set[Pairs]:
    """Who left with whom, for every play that wins."""

    @cache
    def plays(stacks: Stacks) -> set[Pairs]:
        if not any(stacks):
            return {frozenset()}
        return {
            later | {frozenset((number, len(stacks[number]) - 1) for number in move)}
            for move in moves(stacks)
            for later in plays(without_tops(stacks, move))
        }

    return plays(stacks_of(deck))


@cache
def winning_options(deck: str) -> set[frozenset[int]]:
    """The numbers of the options that each winning play takes."""
    options = table_of(deck).options
    return {frozenset(number for number, pairs in enumerate(options) if pairs <= play) for play in winning_pairs(deck)}


class State(NamedTuple):
    """The numbers of the options that are taken and shut."""

    taken: frozenset[int] = frozenset()
    shut: frozenset[int] = frozenset()


class Contradiction(Exception):
    """No winning play takes what is taken and avoids what is shut."""


def pairs_taken(table: Table, state: State) -> list[Pair]:
    return [pair for number in state.taken for pair in table.options[number]]


def is_closed(table: Table, state: State, option: int) -> bool:
    return option in state.shut or has_circle(frozenset(pairs_taken(table, state)) | table.options[option])


@cache
def has_circle(pairs: frozenset[Pair]) -> bool:
    return not is_acyclic(list(pairs))


def with_option(table: Table, state: State, option: int) -> State:
    """The state with one more option taken."""
    if is_closed(table, state, option):
        raise Contradiction
    others = {rival for group in table.groups if option in group for rival in group} - {option}
    return State(state.taken | {option}, state.shut | others)


def without_option(state: State, option: int) -> State:
    return State(state.taken, state.shut | {option})


def jams(deck: str, table: Table, state: State, upwards: bool) -> bool:
    """Whether cards stay if all leave that are uncovered and have an open option with an uncovered mate."""
    staying = {card for cards in places_of(deck).values() for card in cards}
    mates = {card: set[Card]() for card in staying}
    for number, pairs in enumerate(table.options):
        if not is_closed(table, state, number):
            for card, mate in pairs:
                mates[card].add(mate)
                mates[mate].add(card)
    while True:
        covered = {
            (stack, height)
            for stack, height in mates
            if any(s == stack and (h < height if upwards else h > height) for s, h in staying)
        }
        leaving = {card for card in staying - covered if mates[card] - covered}
        if not leaving:
            return bool(staying)
        staying -= leaving


Literals = list[tuple[str, int]]
"""Statements that an option is taken, ``+``, or not, ``-``."""
HINT, NUMBER = "[gl](?:0|[1-9][0-9]*)|[v^]", "(?:0|[1-9][0-9]*)"


def one_true(table: Table, state: State, literals: Literals) -> State:
    """The state if at least one of some literals is true.

    Raises
    ------
    ValueError
        If more than one of them can be true.
    """
    possible = [
        (sign, option)
        for sign, option in literals
        if (option not in state.taken if sign == "-" else not is_closed(table, state, option))
    ]
    if not possible:
        raise Contradiction
    [(sign, option)] = possible
    return with_option(table, state, option) if sign == "+" else without_option(state, option)


def followed(deck: str, table: Table, lemmas: list[Literals], state: State, hint: str) -> State:
    """The state after a hint.

    Raises
    ------
    ValueError, IndexError
        If it leads nowhere.
    """
    if hint in ("v", "^"):
        if jams(deck, table, state, hint == "^"):
            raise Contradiction
        raise ValueError("no jam")
    number = int(hint[1:])
    if hint[0] == "g":
        return one_true(table, state, [("+", option) for option in table.groups[number]])
    if not number:
        raise ValueError("lemmas are counted from 1")
    return one_true(table, state, lemmas[::-1][number - 1])


def assumed_false(table: Table, state: State, sign: str, option: int) -> State:
    return without_option(state, option) if sign == "+" else with_option(table, state, option)


def is_proof_by_lemmas(deck: str, certificate: str) -> bool:
    """Whether a certificate consists of lemmas with hints, as docs/games.md defines them, that prove a loss."""
    table = table_of(deck)
    lemmas: list[Literals] = []
    root = State()
    steps = certificate.split(" ")
    try:
        for number, step in enumerate(steps, start=1):
            if lemma := re.fullmatch(f"((?:[+-]{NUMBER})+):((?:{HINT})*)", step):
                lemmas.append(proved(deck, table, lemmas, root, lemma))
            elif re.fullmatch(HINT, step):
                try:
                    root = followed(deck, table, lemmas, root, step)
                except Contradiction:
                    return number == len(steps)
            else:
                return False
    except (ValueError, IndexError):
        pass
    return False


def proved(deck: str, table: Table, lemmas: list[Literals], state: State, lemma: re.Match[str]) -> Literals:
    """The literals of a lemma, if its hints prove it.

    Raises
    ------
    ValueError, IndexError
        If not.
    """
    numbers = list(map(int, re.findall("[0-9]+", lemma[1])))
    literals = list(zip(re.findall("[+-]", lemma[1]), accumulate(numbers), strict=True))
    hints = re.findall(HINT, lemma[2])
    if 0 in numbers[1:] or sum(numbers) >= len(table.options):
        raise ValueError("the options are not in order")
    left = len(literals) + len(hints)
    try:
        for sign, option in literals:
            left -= 1
            state = assumed_false(table, state, sign, option)
        for hint in hints:
            left -= 1
            state = followed(deck, table, lemmas, state, hint)
    except Contradiction:
        if not left:
            return literals
    raise ValueError("no contradiction at the end")
