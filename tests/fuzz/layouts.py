"""Unusual layouts of Dealmill's own games, and texts that are nearly layouts, for checks and kernels."""

from collections.abc import Callable
from functools import cache
from random import Random

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.camelot.layout import VALUES
from dealmill.pipeline.games.card_pairing.layout import MAX_CARDS, MAX_STACKS, RANKS
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.tantrix.tiles import COLOURS, HAND, LEAST, MAX_ON_FIELD, TILES
from dealmill.testing.subject import Subject

STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))


@cache
def subject_of(name: str) -> Subject:
    """Return a game as the subject of checks, with its unusual lines."""
    return Subject(find_game(name), unusual_lines(name))


def unusual_lines(name: str) -> list[str]:
    """Return `EXTREMES` and `BEYOND` of a game."""
    return [*EXTREMES.get(name, list)(), *BEYOND.get(name, [])]


def canonical_texts(game: Game) -> list[bytes]:
    """Deals of every size, and `EXTREMES`."""
    return subject_of(game.name).canonical_texts


def _camelot() -> list[str]:
    """Sorted decks, and those that deal all values in turn: from the lowest value on, or from the highest."""
    return [deck for values in (VALUES, VALUES[::-1]) for deck in ("".join(value * 4 for value in values), values * 4)]


def _card_pairing() -> list[str]:
    """Classic layouts, then others."""
    return [*_classic(), *_any_size()]


def _classic() -> list[str]:
    """The fewest cards, the most, the most stacks and the highest ones; ranks in order are won, in turn often lost."""
    shapes = [(1, 2), (1, 4), (9, 36), (16, 2), (16, 32), (16, 16), (16, 4)]
    decks = [(RANKS[:ranks], ranks * 4 // stacks) for ranks, stacks in shapes]
    ordered = [("".join(rank * 4 for rank in ranks), height) for ranks, height in decks]
    in_turn = [(ranks * 4, height) for ranks, height in decks]
    return [
        " ".join(cards[start : start + height] for start in range(0, len(cards), height))
        for cards, height in ordered + in_turn
    ]


def _any_size() -> list[str]:
    """The fewest cards, the most, the most stacks, the longest symbols, stacks and ranks of all kinds, and deals that
    take many lemmas."""
    random = Random(1)
    long = [f"{number:04}SYMB" for number in range(MAX_CARDS // 2)] * 2
    mixed = ["A"] * 2 + ["12"] * 4 + ["Q"] * 6 + ["103"] * 8
    random.shuffle(long)
    random.shuffle(mixed)
    return [
        *("A A", "- AA", "12,12 -", "- 12, 12", "12, 12 K K", "AAKK KKAA - -", "AKAK Q QKA - AK"),
        f"{','.join(long)}{' -' * (MAX_STACKS - 1)}",
        f"{long[0]}, {' '.join(long[1:])}",
        " ".join(",".join(mixed[at : at + 5]) or "-" for at in (0, 5, 20, 10, 15)),
        f"{'AK' * 256} {'AK' * 256}",
        *to_strings(find_game("card-pairing").deal(1, 1, 20, ranks=36, stacks=24)),
        *to_strings(find_game("card-pairing").deal(77, 1, 4, ranks=100, stacks=50)),
    ]


def _hi_q() -> list[str]:
    """No peg, all pegs, and all but one, for each hole."""
    full = "XXX/XXX/XXXXXXX/XXXXXXX/XXXXXXX/XXX/XXX"
    holes = [at for at, sign in enumerate(full) if sign == "X"]
    return [full, full.replace("X", "O"), *(f"{full[:at]}O{full[at + 1 :]}" for at in holes)]


def _memory() -> list[str]:
    """One pair, and 52 of them: side by side, one half after the other, and mirrored."""
    letters = "".join(map(chr, [*range(ord("A"), ord("Z") + 1), *range(ord("a"), ord("z") + 1)]))
    return ["AA", "".join(letter * 2 for letter in letters), letters * 2, letters + letters[::-1]]


def _tantrix() -> list[str]:
    """One tile, and straight lines of all tiles in each direction: no layout reaches farther, since all are joined."""
    return [f"0,0:{TILES[-1]} / {' '.join(TILES[:HAND])}", *(tantrix_line(side) for side in range(len(STEPS)))]


def tantrix_line(side: int, tiles: int = MAX_ON_FIELD) -> str:
    """The text of so many tiles in a line that leaves 0,0 by a side."""
    random = Random(side)
    while True:
        bag = random.sample(TILES, len(TILES))
        line = [bag.pop()]
        while len(line) < tiles:
            fitting = [tile for tile in LEAST if LEAST[tile] in bag and tile[(side + 3) % 6] == line[-1][side]]
            if not fitting:
                break
            line.append(random.choice(fitting))
            bag.remove(LEAST[line[-1]])
        else:
            x, y = STEPS[side]
            field = sorted((x * distance, y * distance, tile) for distance, tile in enumerate(line))
            return f"{' '.join(f'{x},{y}:{tile}' for x, y, tile in field)} / {' '.join(sorted(bag)[:HAND])}"


def _tantrix_loop() -> list[str]:
    """The fewest tiles and all tiles of each colour; a set without curves, and one of sharp curves only."""
    bearing = {colour: [tile for tile in TILES if colour in tile] for colour in COLOURS}
    straight, sharp = (
        [tile for tile in bearing["G"] if tile.rindex("G") - tile.index("G") in apart] for apart in ((3,), (1, 5))
    )
    sets = [(colour, tiles[:count]) for colour, tiles in bearing.items() for count in (3, len(tiles))]
    return [f"{colour} / {' '.join(tiles)}" for colour, tiles in [*sets, ("G", straight), ("G", sharp)]]


EXTREMES: dict[str, Callable[[], list[str]]] = {
    "camelot": _camelot,
    "card-pairing": _card_pairing,
    "hi-q": _hi_q,
    "memory": _memory,
    "tantrix": _tantrix,
    "tantrix-loop": _tantrix_loop,
}
"""By game, canonical layouts that are larger, smaller or stranger than deals."""

BEYOND: dict[str, list[str]] = {
    "camelot": ["A" * 52, "A234567890JQK" * 5],
    "card-pairing": [
        *("AAAA", "- -", "AAA -", "AA 12", "12 12", "K,A A,K", "12,12, A,A", "12, 12,", "ABCDEFGHI, ABCDEFGHI"),
        *("A" * (MAX_CARDS + 2) + " -", "10,10" + " -" * MAX_STACKS, ",".join(["10"] * (MAX_CARDS + 2)) + " -"),
    ],
    "memory": ["A" * 4, "AB" * 52, "A" * 106],
    "tantrix-loop": [
        *("R / BBGGRR BBGRRG", f"R / {' '.join(TILES)}", "R / BBGGYY BBGRRG BRYRBY", "R / BBGRRG BBGGRR BRYRBY"),
        *(
            "R / BBGGRR BBGGRR BRYRBY",
            "R / BBGGRR BGRRGB BRYRBY",
            "X / BBGGRR BBGRRG BRYRBY",
            "R- BBGGRR BBGRRG BRYRBY",
        ),
    ],
}
"""By game, texts that break one limit and keep all others, where alterations would hardly hit on them."""
