"""Texts for checks and kernels: canonical layouts, also the largest and the smallest, and texts that are nearly so."""

from collections.abc import Callable, Iterator
from functools import cache
from random import Random

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.camelot.layout import VALUES
from dealmill.pipeline.games.card_pairing.layout import RANKS
from dealmill.pipeline.games.contract import Game, Layout
from dealmill.pipeline.games.tantrix.tiles import HAND, LEAST, MOST_ON_FIELD, TILES
from tests.fuzz.inputs import real_lines

SHORTEST_NOISE, LONGEST_NOISE = 0, 200
STEPS = ((0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1))


def is_canonical(game: Game, text: bytes) -> bool:
    """Whether the reader of the game takes a text as one layout and writes it in the same way: what a mask must say."""
    read = list(game.layout.read([(1, text.decode("utf-8", "replace"))]))
    return len(read) == 1 and isinstance(read[0], Layout) and read[0].text.encode() == text


def canonical_texts(game: Game) -> list[bytes]:
    """Deals of every size, and `EXTREMES`."""
    return _canonical_texts(game.name)


@cache
def _canonical_texts(name: str) -> list[bytes]:
    game = find_game(name)
    read = [entry for line in real_lines(game) for entry in game.layout.read([(1, line)])]
    texts = [entry.text for entry in read if isinstance(entry, Layout)]
    texts += EXTREMES.get(game.name, list)()
    return [text.encode() for text in texts]


def _camelot() -> list[str]:
    """Sorted decks, and those that deal all values in turn: from the lowest value on, or from the highest."""
    return [deck for values in (VALUES, VALUES[::-1]) for deck in ("".join(value * 4 for value in values), values * 4)]


def _card_pairing() -> list[str]:
    """The fewest cards, the most, the most stacks and the highest ones; ranks in order are won, in turn often lost."""
    shapes = [(1, 2), (1, 4), (9, 36), (16, 2), (16, 32), (16, 16), (16, 4)]
    decks = [(RANKS[:ranks], ranks * 4 // stacks) for ranks, stacks in shapes]
    ordered = [("".join(rank * 4 for rank in ranks), height) for ranks, height in decks]
    in_turn = [(ranks * 4, height) for ranks, height in decks]
    return [
        " ".join(cards[start : start + height] for start in range(0, len(cards), height))
        for cards, height in ordered + in_turn
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


def tantrix_line(side: int, tiles: int = MOST_ON_FIELD) -> str:
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
            field = sorted((x * place, y * place, tile) for place, tile in enumerate(line))
            return f"{' '.join(f'{x},{y}:{tile}' for x, y, tile in field)} / {' '.join(sorted(bag)[:HAND])}"


EXTREMES: dict[str, Callable[[], list[str]]] = {
    "camelot": _camelot,
    "card-pairing": _card_pairing,
    "hi-q": _hi_q,
    "memory": _memory,
    "tantrix": _tantrix,
}
"""By game, canonical layouts that are larger, smaller or stranger than deals."""

BEYOND: dict[str, list[str]] = {
    "camelot": ["A" * 52, "A234567890JQK" * 5],
    "card-pairing": ["AAAA", *(" ".join(RANKS[:ranks] * 4) for ranks in (10, 12, 16))],
    "memory": ["A" * 4, "AB" * 52, "A" * 106],
}
"""By game, texts that break one limit and keep all others, where alterations would hardly hit on them."""


def _set_byte(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    return text[:at] + _byte(text, random) + text[at + 1 :]


def _flip_bit(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    return text[:at] + bytes(byte ^ 1 << random.randrange(8) for byte in text[at : at + 1]) + text[at + 1 :]


def _insert(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    return text[:at] + _byte(text, random) + text[at:]


def _delete(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    return text[:at] + text[at + random.randint(1, 3) :]


def _duplicate(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    return text[:at] + text[max(at - random.randint(1, 8), 0) :]


def _swap_bytes(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    low, high = sorted((at, random.randrange(len(text) + 1)))
    return text[:low] + text[high : high + 1] + text[low + 1 : high] + text[low : low + 1] + text[high + 1 :]


def _swap_words(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    separator = random.choice([b" ", b"/", b":", b","])
    words = text.split(separator)
    one, other = random.randrange(len(words)), at % len(words)
    words[one], words[other] = words[other], words[one]
    return separator.join(words)


def _cut(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    return text[:at] if random.random() < 0.5 else text[at:]


def _append(text: bytes, other: bytes, at: int, random: Random) -> bytes:
    return text + random.choice([b"", b" ", b"\n", b"\0", text[:1]]) + random.choice([text, other, other[:at], b""])


def _splice(text: bytes, other: bytes, at: int, _: Random) -> bytes:
    return text[:at] + other[at:]


def _change_case(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    end = at + random.choice([1, 6, len(text)])
    return text[:at] + text[at:end].swapcase() + text[end:]


def _byte(text: bytes, random: Random) -> bytes:
    """A byte of the text, so that what comes out is nearly right, or any."""
    return bytes([random.choice(text) if text and random.random() < 0.7 else random.randrange(256)])


ALTERATIONS = (
    _set_byte,
    _flip_bit,
    _insert,
    _delete,
    _duplicate,
    _swap_bytes,
    _swap_words,
    _cut,
    _append,
    _splice,
    _change_case,
)


def altered_texts(game: Game, seed: int) -> Iterator[bytes]:
    """Without end: canonical texts with an alteration or two, some of them canonical again."""
    random = Random(seed)
    texts = canonical_texts(game)
    while True:
        text = random.choice(texts)
        for _ in range(random.choice([1, 1, 1, 2])):
            at = random.randrange(len(text) + 1)
            text = random.choice(ALTERATIONS)(text, random.choice(texts), at, random)
        yield text


def noise(game: Game, seed: int) -> Iterator[bytes]:
    """`BEYOND` and, without end, random bytes: any, those of the texts of the game, or one of these repeated."""
    yield from (text.encode() for text in BEYOND.get(game.name, []))
    random = Random(seed)
    alphabet = bytes(sorted(set(b"".join(canonical_texts(game)))))
    lengths = [len(text) for text in canonical_texts(game)]
    while True:
        length = random.choice([random.choice(lengths), random.randint(SHORTEST_NOISE, LONGEST_NOISE)])
        bytes_of = random.choice([range(256), alphabet, alphabet, [random.choice(alphabet)]])
        yield bytes(random.choices(bytes_of, k=length))
