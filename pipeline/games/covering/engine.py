"""The engine of all covering games: layouts to the words of the kernels, results to verdicts with evidence."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dealmill.game import NO_LIMIT
from dealmill.kernels import Batch, Solved, Texts, check_memory, to_solved, to_strings
from dealmill.pipeline.games.covering import pairing as k
from dealmill.pipeline.games.covering import sweep
from dealmill.pipeline.games.covering.rules import Rules
from dealmill.verdicts import Verdict

RANKS = "A23456789TJQK"
LOWER = RANKS[:6]
FEWEST_SLOTS, MORE_SLOTS = 1 << 12, 8
MAX_COUNTED = 20_000_000
"""No referee counts more positions of a loss."""
Result = tuple[Verdict, int, str | None]


class Table(NamedTuple):
    """The cards of a layout: the place of each card of the arrangement, which may be empty, the stock with the waste
    before it, the cards of the waste, the further passes, and the card in the hole."""

    places: list[str]
    stock: list[str]
    turned: int
    passes: int
    hole: str


def table_of(rules: Rules, layout: str) -> Table:
    """Return the cards of a layout."""
    _, rows, *words = layout.upper().split(" ")
    parts = dict(word.split(":") for word in words)
    places = [card.strip("-") for card in _cards(rows.replace("/", ""))]
    for column in parts["COLUMNS"].split("/") if rules.columns else ():
        cards = _cards(column.strip("-"))
        places += cards + [""] * (rules.column_size - len(cards))
    waste = _cards(parts.get("WASTE", ""))
    stock = _cards(parts.get("STOCK", ""))
    return Table(places, waste + stock, len(waste), int(parts.get("PASSES", 0)), parts.get("HOLE", ""))


def _cards(text: str) -> list[str]:
    return [text[at : at + 2] for at in range(0, len(text), 2)]


def coverings(rules: Rules) -> list[list[int]]:
    """Return the places that cover each place, in the order of `Table.places`."""
    covers, begin = list[list[int]](), 0
    for row in range(1, rules.rows):
        following = begin + rules.peaks * row
        step = row + 1 if row + 1 < rules.rows else row
        for peak in range(rules.peaks):
            for number in range(row):
                below = following + peak * step + number
                covers.append([below, below + 1])
        begin = following
    covers += [[] for _ in range(rules.peaks * (rules.rows - 1) + 1)]
    for _ in range(rules.columns):
        begin = len(covers)
        covers += [[begin + depth] for depth in range(1, rules.column_size)] + [[]]
    return covers


class Sets(NamedTuple):
    """What can be left of an arrangement, as sets of places: their numbers, and the cards that can be taken from each
    as the kernel reads them. The first set is the largest."""

    numbers: dict[int, int]
    begins: NDArray[np.int64]
    takes: NDArray[np.int64]


def sets_of(covers: list[list[int]]) -> Sets:
    """Return the sets of places that can be left."""
    masks = [sum(1 << cover for cover in each) for each in covers]
    numbers, rows = {(1 << len(covers)) - 1: 0}, list[list[tuple[int, int]]]()
    latest = list(numbers)
    while latest:
        before, latest = latest, []
        for left in before:
            free = [number for number in range(len(covers)) if left >> number & 1 and not left & masks[number]]
            for number in free:
                if left ^ 1 << number not in numbers:
                    numbers[left ^ 1 << number] = len(numbers)
                    latest.append(left ^ 1 << number)
            rows.append([(number, numbers[left ^ 1 << number]) for number in free])
    begins = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return Sets(
        numbers, begins, np.array([after << 6 | number for row in rows for number, after in row], dtype=np.int64)
    )


@dataclass(frozen=True)
class Winnable:
    """The engine for some rules: whether a game can be won if all cards are known."""

    rules: Rules

    def __call__(self, layouts: Texts, max_nodes: int = NO_LIMIT) -> Solved:
        """Solve layouts; a node is a position that is reached."""
        batch = Batch([], [], [], [])
        decide = self._swept if self.rules.moves == "hole" else Pairs(self.rules, self.covers).decided
        for layout in to_strings(layouts):
            verdict, nodes, evidence = decide(table_of(self.rules, layout), max_nodes)
            batch.verdicts.append(verdict)
            batch.values.append(None)
            batch.nodes.append(nodes)
            batch.evidence.append(evidence)
        return to_solved(batch)

    @cached_property
    def covers(self) -> list[list[int]]:
        """The places that cover each place."""
        return coverings(self.rules)

    @cached_property
    def sets(self) -> Sets:
        """What can be left of the arrangement."""
        return sets_of(self.covers)

    @cached_property
    def neighbours(self) -> NDArray[np.int64]:
        """The ranks on which each rank can go, as bits."""
        last = len(RANKS) - 1
        apart = (1, last) if self.rules.wrap else (1,)
        masks = [sum(1 << top for top in range(last + 1) if abs(rank - top) in apart) for rank in range(last + 1)]
        return np.array(masks, dtype=np.int64)

    def _swept(self, table: Table, limit: int) -> Result:
        sets = self.sets
        tops = [RANKS.index(card[0]) for card in (table.hole, *table.stock)]
        ranks = np.array([RANKS.index(card[0]) if card else 0 for card in table.places], dtype=np.int64)
        masks = np.zeros((len(tops), len(sets.numbers)), dtype=np.uint16)
        first = sets.numbers[sum(1 << number for number, card in enumerate(table.places) if card)]
        nodes = np.zeros(2, dtype=np.int64)
        result = sweep.sweep(
            masks, sets.begins, sets.takes, ranks, self.neighbours, np.array(tops, dtype=np.int64), first, limit, nodes
        )
        count, layer = nodes.tolist()
        if result == sweep.STOPPED:
            return Verdict.UNDECIDED, count, None
        if result == sweep.LOST:
            return Verdict.UNWINNABLE, count, f"* {count}"
        cards = self._way_back(table, tops, masks, layer)
        return Verdict.WINNABLE, count, " ".join(f"{card}h" for card in cards) or "-"

    def _way_back(self, table: Table, tops: list[int], masks: NDArray[np.uint16], layer: int) -> list[str]:
        """Return the cards of a win in order, from the masks of what is left when it is won in a layer."""
        numbers, left, cards = self.sets.numbers, 0, list[str]()
        first = sum(1 << number for number, card in enumerate(table.places) if card)
        rank = int(masks[layer, numbers[0]]).bit_length() - 1
        while layer or left != first:
            if rank == tops[layer] and layer and masks[layer - 1, numbers[left]]:
                cards.append(table.stock[layer - 1])
                layer -= 1
                rank = int(masks[layer, numbers[left]]).bit_length() - 1
                continue
            card, left = next(
                (card, before)
                for card, before in self._taken_last(table, left, RANKS[rank])
                if int(masks[layer, numbers[before]]) & int(self.neighbours[rank])
            )
            cards.append(card)
            rank = (int(masks[layer, numbers[left]]) & int(self.neighbours[rank])).bit_length() - 1
        return cards[::-1]

    def _taken_last(self, table: Table, left: int, rank: str) -> list[tuple[str, int]]:
        """Return the cards of a rank that may have been taken last, with what was left before."""
        return [
            (card, left | 1 << number)
            for number, card in enumerate(table.places)
            if card[:1] == rank and not left >> number & 1 and left | 1 << number in self.sets.numbers
        ]


class Pairs:
    """The engine for games of pairs."""

    def __init__(self, rules: Rules, covers: list[list[int]]) -> None:
        self.rules = rules
        self.places, self.stock = len(covers), rules.stock
        self.words = np.zeros(k.SIZE, dtype=np.int64)
        self.numbers = np.zeros(4, dtype=np.int64)
        self.scratch = np.zeros(2 * k.HALF, dtype=np.int64)
        words = self.words
        words[k.PLACES] = (1 << self.places) - 1
        words[k.STOCK_BITS] = (1 << self.places + self.stock) - (1 << self.places)
        words[k.IS_PLAYABLE], words[k.OVERLAPS] = rules.playable, rules.overlap
        words[k.NEEDS_ALL], words[k.LIMITS_PASSES] = rules.goal == "all", rules.passes > 0
        words[k.FIRST_STOCK] = self.places
        for number, each in enumerate(covers):
            words[k.COVERS + self._bit(number)] = sum(1 << self._bit(cover) for cover in each)
            for cover in each:
                words[k.COVERED + self._bit(cover)] |= 1 << self._bit(number)

    def _bit(self, number: int) -> int:
        return self.places - 1 - number

    def decided(self, table: Table, limit: int) -> Result:
        """Return the verdict of a layout, its nodes and its evidence."""
        names = [*table.places[::-1], *table.stock]
        by_rank = {rank: sum(1 << bit for bit, card in enumerate(names) if card[:1] == rank) for rank in RANKS}
        for rank, number in zip(RANKS, range(13), strict=True):
            self.words[k.BY_RANK + number] = by_rank[rank]
        for bit, card in enumerate(names):
            self.words[k.MATES + bit] = by_rank[_mate(card[0])] if card and card[0] != "K" else 0
        search = Search(self, sum(1 << bit for bit, card in enumerate(names) if card), table, by_rank, limit)
        match search.run(LOWER, k.DECIDE):
            case k.WON:
                states = self.scratch[: self.numbers[k.LENGTH]].tolist()
                moves = Writer(names, table).words(states, all_leave=self.rules.goal == "all")
                return Verdict.WINNABLE, search.nodes, " ".join(moves) or "-"
            case k.LOST_WITH_OPEN_STOCK:
                return search.shortest()
            case k.LOST:
                return search.with_the_stock()
        return search.undecided()


class Search:
    """The searches of one layout."""

    def __init__(self, game: Pairs, cards: int, table: Table, by_rank: dict[str, int], limit: int) -> None:
        self.game, self.cards, self.table, self.by_rank, self.limit = game, cards, table, by_rank, limit
        self.nodes = 0
        self.count = 0

    def run(self, pairs: str, aim: int, limit: int = NO_LIMIT) -> int:
        """Search with these pairs of ranks and no others; at most so many positions, if that is less than the limit."""
        game, slots = self.game, FEWEST_SLOTS
        game.words[k.IDLE] = sum(
            bits for rank, bits in self.by_rank.items() if rank not in pairs and _mate(rank) not in pairs
        )
        result = k.FULL
        while result == k.FULL:
            check_memory(16 * slots, f"the search of {slots // 2:,} positions")
            game.numbers[:] = 0, min(self.limit - self.nodes, limit), 0, 0
            tables = np.zeros(slots, dtype=np.int64), np.zeros(slots, dtype=np.int64)
            turned = self.table.turned, self.table.passes
            result = k.search(game.words, self.cards, *turned, aim, *tables, game.numbers, game.scratch)
            slots *= MORE_SLOTS
        self.count = int(game.numbers[k.COUNT])
        self.nodes += self.count
        return result

    def undecided(self) -> Result:
        """Return that the limit was reached."""
        return Verdict.UNDECIDED, self.limit, None

    def shortest(self) -> Result:
        """Return the fewest pairs of ranks with which a layout is lost with an open stock and, of those, the ones with
        the fewest positions."""
        for size in range(1, len(LOWER) + 1):
            best, pairs_of_best = MAX_COUNTED, ""
            for pairs in map("".join, combinations(LOWER, size)):
                result = self.run(pairs, k.OPEN, best)
                if result == k.STOPPED and self.nodes >= self.limit and self.count < best:
                    return self.undecided()
                if result == k.LOST_WITH_OPEN_STOCK and self.count < best:
                    best, pairs_of_best = self.count, pairs
            if pairs_of_best:
                return Verdict.UNWINNABLE, self.nodes, f"*{pairs_of_best} {best}"
        raise RuntimeError("two searches of the layout contradict each other")

    def with_the_stock(self) -> Result:
        """Return pairs of ranks with which a layout is lost with the real stock: all, without those that need not
        matter, each tried once."""
        pairs = LOWER
        for rank in LOWER:
            fewer = pairs.replace(rank, "")
            match self.run(fewer, k.DECIDE):
                case k.STOPPED:
                    return self.undecided()
                case k.LOST:
                    pairs = fewer
        match self.run(pairs, k.REAL, MAX_COUNTED):
            case k.LOST:
                return Verdict.UNWINNABLE, self.nodes, f"stock *{pairs} {self.count}"
            case k.STOPPED:
                return self.undecided()
        raise RuntimeError("two searches of the layout contradict each other")


def _mate(rank: str) -> str:
    return "K" if rank == "K" else RANKS[11 - RANKS.index(rank)]


class Writer:
    """The moves of a win in words. In the search, kings leave by themselves; here they leave when they are free in the
    arrangement or on the waste, or when the stock is turned past them."""

    def __init__(self, names: list[str], table: Table) -> None:
        self.places = {card: -bit for bit, card in enumerate(names[: len(table.places)]) if card}
        self.names, self.stock, self.turned = names, list(table.stock), table.turned
        self.moves = list[str]()

    def words(self, states: list[int], *, all_leave: bool) -> list[str]:
        """Return the moves from the layout through these positions of the search."""
        before = sum(1 << bit for bit, card in enumerate(self.names) if card)
        for state in states:
            gone = [card for bit, card in enumerate(self.names) if (before & ~state) >> bit & 1]
            pair = [card for card in gone if card[0] != "K"]
            drawn = [card for card in pair if card not in self.places]
            if drawn:
                self._turn_to(*drawn)
                self.stock = [card for card in self.stock if card not in drawn]
            self.moves += ["".join(sorted(pair, key=lambda card: self.places.get(card, 1)))] if pair else []
            self.moves += [card for card in gone if card[0] == "K" and card in self.places]
            self._free_waste()
            before = state & k.CARDS
        if all_leave:
            self._pass_kings(len(self.stock))
        return self.moves

    def _turn_to(self, first: str, last: str = "") -> None:
        """Turn the stock until the first card is free, and the last one follows; the kings before it leave."""
        if self.stock.index(first) < self.turned - 1:
            self._pass_kings(len(self.stock))
            self._free_waste()
            if "K" in (card[0] for card in self.stock[: self.stock.index(last or first)]):
                self.turned = 0
        self._pass_kings(self.stock.index(last or first))
        self.turned = self.stock.index(first)

    def _pass_kings(self, stop: int) -> None:
        """Have the kings leave that are turned up before card `stop` of the stock."""
        for king in [card for card in self.stock[self.turned : stop] if card[0] == "K"]:
            self.turned = self.stock.index(king)
            self.stock.remove(king)
            self.moves.append(king)

    def _free_waste(self) -> None:
        while self.turned and self.stock[self.turned - 1][0] == "K":
            self.turned -= 1
            self.moves.append(self.stock.pop(self.turned))
