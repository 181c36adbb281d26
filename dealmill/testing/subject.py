"""Texts to try: real layouts, and texts that are nearly layouts. The same seed gives the same texts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from random import Random
from typing import NamedTuple, TypeVar

from dealmill.pipeline.errors import UsageError
from dealmill.pipeline.games.batch import Batch, to_strings
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine, Layout
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.solving.solve import solve

DEALS = 30
SMALL_LIMIT, SHARE = 10_000, 20
"""For engines with a node limit of their own: the nodes that are tried, and one of how many deals, also of games with a
rules file."""
DEALS_OF_COSTLY = 2
"""The deals of a costly engine that are tried."""
LARGEST = 4
"""How many times its default a parameter of the deals is at most, since very large deals may take long to solve."""
SHORTEST_NOISE, LONGEST_NOISE = 0, 200


def real_lines(game: Game) -> list[str]:
    """Return the lines of the statement's example, if there is one, and numbered deals of several sizes."""
    lines = example(game, "statement.txt").splitlines() if game.has_statement else []
    lines += to_strings(game.deal(1, 1, DEALS))
    for name, parameter in game.deals.parameters.items():
        middle = (parameter.least + parameter.default) // 2
        for value in sorted({parameter.least, middle, min(parameter.most, LARGEST * parameter.default)}):
            try:
                lines += to_strings(game.deal(2, 1, 3, **{name: value}))
            except UsageError:  # not every size goes with the other parameters
                continue
    return lines


def example(game: Game, kind: str) -> str:
    """Return an example file of a game: ``statement.txt``, ``statement.answer`` or ``deals.txt``."""
    return (game.examples / f"{game.name}-{kind}").read_text()


def is_canonical(game: Game, text: bytes) -> bool:
    """Return whether the reader of a game reads a text as one layout whose canonical text is the same text, apart from
    the spellings of earlier versions."""
    read = list(game.read([(1, game.spellings(text.decode("utf-8", "replace"))[0])]))
    if [*map(type, read)] != [Layout]:
        return False
    return text in [spelling.encode() for spelling in game.spellings(read[0].text)]


def altered_texts(texts: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """Yield, without end, texts with one or two alterations."""
    while True:
        text = random.choice(texts)
        for _ in range(random.choice([1, 1, 1, 2])):
            at = random.randrange(len(text) + 1)
            text = random.choice(ALTERATIONS)(text, random.choice(texts), at, random)
        yield text


def noise(texts: Sequence[bytes], random: Random) -> Iterator[bytes]:
    """Yield, without end, random bytes: any bytes, bytes that occur in the texts, or one of these repeated."""
    alphabet = bytes(sorted(set(b"".join(texts))))
    lengths = [len(text) for text in texts]
    while True:
        length = random.choice([random.choice(lengths), random.randint(SHORTEST_NOISE, LONGEST_NOISE)])
        bytes_of = random.choice([range(256), alphabet, alphabet, [random.choice(alphabet)]])
        yield bytes(random.choices(bytes_of, k=length))


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
    first, second = random.randrange(len(words)), at % len(words)
    words[first], words[second] = words[second], words[first]
    return separator.join(words)


def _cut(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    return text[:at] if random.random() < 0.5 else text[at:]


def _append(text: bytes, donor: bytes, at: int, random: Random) -> bytes:
    return text + random.choice([b"", b" ", b"\n", b"\0", text[:1]]) + random.choice([text, donor, donor[:at], b""])


def _splice(text: bytes, donor: bytes, at: int, _: Random) -> bytes:
    return text[:at] + donor[at:]


def _change_case(text: bytes, _: bytes, at: int, random: Random) -> bytes:
    end = at + random.choice([1, 6, len(text)])
    return text[:at] + text[at:end].swapcase() + text[end:]


def _byte(text: bytes, random: Random) -> bytes:
    """Return a byte of the text, so that the result is nearly right, or any byte."""
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


SUBJECT_SEED, SUBJECT_DEALS = 17, 200
"""Deals among which layouts with each verdict are looked for."""


class CheckFailed(AssertionError):
    """A game does not meet a requirement; the message says what was found, with the layout."""


def require(met: object, message: str) -> None:
    """Fail unless a requirement is met.

    Raises
    ------
    CheckFailed
        With the message `message`.
    """
    if not met:
        raise CheckFailed(message)


Function = TypeVar("Function", bound=Callable[..., None])


def assumes(assumption: str) -> Callable[[Function], Function]:
    """Mark a check that rests on an assumption. A game for which it does not hold can say so, see `Game.waivers`."""

    def mark(check: Function) -> Function:
        check.assumption = assumption  # type: ignore[attr-defined]
        return check

    return mark


class Row(NamedTuple):
    """What an engine says of a layout."""

    layout: str
    verdict: Verdict
    value: int | None
    evidence: str


@dataclass(frozen=True, eq=False)
class Subject:
    """A game under test. `lines` are more lines to try, layouts and others, apart from examples and deals."""

    game: Game
    lines: Sequence[str] = ()

    def deal(self, seed: int, first: int, count: int, **parameters: int) -> list[str]:
        """Return the canonical texts of the deals `[first, first + count)`."""
        return to_strings(self.game.deal(seed, first, count, **parameters))

    def solve(self, engine: Engine, layouts: Sequence[str], max_nodes: int | None = None) -> Batch:
        """Solve layouts; one on which the engine raises an error is `FAILED`."""
        return solve(self.game.full_name(engine), layouts, small_limit(engine) if max_nodes is None else max_nodes)

    def deals_for(self, engine: Engine, seed: int, count: int) -> list[str]:
        """Return the first `count` deals of a seed; fewer if the engine has a node limit of its own or the game a rules
        file, since it then searches for long, and two if it is costly."""
        if engine.max_nodes is None and self.game.rules_text is None:
            return self.deal(seed, 1, count)
        if is_costly(engine):
            return self.deal(seed, 1, DEALS_OF_COSTLY)
        return self.deal(seed, 1, -(-count // SHARE))

    def verdicts(self, engine: Engine, layouts: Sequence[str]) -> list[Row]:
        """Return layouts with their verdicts, values and evidence; without the claims of a program, which nothing
        proves."""
        solved = self.solve(engine, layouts)
        rows = zip(layouts, solved.verdicts, solved.values, solved.evidence, strict=True)
        return [
            Row(layout, verdict, value, evidence or "")
            for layout, verdict, value, evidence in rows
            if evidence is not None or verdict is Verdict.UNDECIDED or not engine.program
        ]

    def some_of_each_verdict(self, engine: Engine, limit: int) -> list[Row]:
        """Return up to `limit` layouts for each verdict but undecided, from deals, examples and `lines`."""
        rows = _solved_once(self, engine)
        verdicts = [verdict for verdict in Verdict if verdict is not Verdict.UNDECIDED]
        return [row for verdict in verdicts for row in [row for row in rows if row.verdict is verdict][:limit]]

    @cached_property
    def canonical_texts(self) -> list[bytes]:
        """The canonical texts of the statement, of deals of every size, and of `lines`."""
        lines = [*real_lines(self.game), *self.lines]
        read = [entry for line in lines for entry in self.game.read([(1, line)])]
        return [entry.text.encode() for entry in read if isinstance(entry, Layout)]

    def hostile_texts(self, seed: int, count: int) -> list[bytes]:
        """Return all canonical texts, `count` altered ones, some of them canonical, and a fifth as much of noise."""
        given = [line.encode() for line in self.lines if not is_canonical(self.game, line.encode())]
        altered = islice(altered_texts(self.canonical_texts, Random(seed)), count)
        return [*self.canonical_texts, *given, *altered, *islice(noise(self.canonical_texts, Random(seed)), count // 5)]

    def bad_texts(self, seed: int, count: int) -> list[str]:
        """Return texts that are not canonical layouts: some special ones, then hostile ones."""
        good = self.canonical_texts[0].decode()
        special = ["", "garbage", "ä", "\ud800", "\0", f"{good}\n", f"{good}\n{good}", "x" * 5_000]
        texts = [*(text.encode("utf-8", "surrogatepass") for text in special), *self.hostile_texts(seed, count)]
        hostile = [text for text in texts if not is_canonical(self.game, text)]
        return [text.decode("utf-8", "replace") for text in hostile]


@lru_cache(maxsize=1)
def _solved_once(subject: Subject, engine: Engine) -> list[Row]:
    """Return the verdicts on deals, examples and lines; eight checks of an engine, one after the other, share them. Of
    a costly engine, only the last texts are tried, the lines if there are any."""
    others = [text.decode() for text in subject.canonical_texts[-DEALS_OF_COSTLY if is_costly(engine) else 0 :]]
    return subject.verdicts(engine, [*subject.deals_for(engine, SUBJECT_SEED, SUBJECT_DEALS), *others])


def is_costly(engine: Engine) -> bool:
    """Return whether each node takes long, so that no lower limit makes the engine quick."""
    return engine.max_nodes is not None and engine.max_nodes < SMALL_LIMIT


def to_judge(engine: Engine, rows: list[Row]) -> list[Row]:
    """Return the rows that a referee judges: only the first one of a costly engine, since judging takes long, too."""
    return rows[:1] if is_costly(engine) else rows


def small_limit(engine: Engine) -> int | None:
    """Return the node limit with which an engine is tried; None if it searches without one."""
    return None if engine.max_nodes is None else min(engine.max_nodes, SMALL_LIMIT)


def numbered(lines: Iterable[str]) -> list[tuple[int, str]]:
    """Return lines with their numbers, as readers take them."""
    return list(enumerate(lines, start=1))
