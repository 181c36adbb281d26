"""The game and the referee that are proved in Coq, against those in Python; see docs/proofs/README.md."""

import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.covering.deal import deal
from dealmill.pipeline.games.covering.engine import Winnable
from dealmill.pipeline.games.covering.referee import LOWER, Referee
from dealmill.pipeline.games.covering.rules import RANKS, SUITS, Position, Rules, written
from dealmill.pipeline.games.covering.schema import canonical_rules
from dealmill.testing.covering import State, position_with_few_cards, with_few_cards
from dealmill.verdicts import InvalidEvidence, Unchecked, Verdict
from tests.games import proved
from tests.games.covering.test_agreement import GAMES, rules_of
from tests.games.proved import ClaimedLoss as Claim
from tests.games.proved import altered_texts_of

pytestmark = pytest.mark.slow

WITH_A_HOLE = ("tripeaks", "tripeaks-no-wrap", "escalator")
OF_PAIRS = tuple(name for name in GAMES if name not in WITH_A_HOLE)
MOST = 100_000
"""The positions that random claims allow."""
FEW_POSITIONS = 3_000
"""Claims of more positions, in games of pairs, take the referee in Python too long."""
FEW_WINS = 0.1
"""The share of random claims that are kept of those that are wrong."""


def write_rules(rules: Rules, folder: Path) -> Path:
    path = folder / f"{rules.name}.toml"
    path.write_text(canonical_rules(rules))
    return path


def reason_of_python(claim: Claim) -> str:
    """Return why the referee in Python does not accept a claim; empty if it does."""
    try:
        Referee(claim.rules)("winnable", claim.layout, Verdict.UNWINNABLE, None, claim.evidence)
    except (InvalidEvidence, Unchecked) as error:
        return str(error)
    return ""


def engine_claims(games: Iterable[str], count: int) -> Iterator[Claim]:
    """Yield the losses among some deals of each game, as our engine proves them, if they are checked fast."""
    for rules in map(rules_of, games):
        layouts = list(to_strings(deal(rules, 59, 1, count)))
        solved = to_batch(Winnable(rules)(to_texts(layouts)))
        for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
            if verdict is Verdict.UNWINNABLE and evidence and is_short(rules, evidence):
                yield Claim(rules, layout, evidence)


def is_short(rules: Rules, evidence: str) -> bool:
    return rules.moves == "hole" or int(evidence.rpartition(" ")[2]) <= FEW_POSITIONS


def random_claims(games: tuple[str, ...], first_seed: int) -> Iterator[Claim]:
    """Yield claims on positions with few cards without end, most of them true."""
    seed = first_seed
    while True:
        seed += 1
        random = Random(seed)
        rules = with_few_cards(rules_of(random.choice(games)), random)
        layout = position_with_few_cards(rules, random)
        for _ in range(6 if rules.moves == "pairs" else 1):
            claim = Claim(rules, layout, f"{random_form(rules, random)} {MOST}")
            number = re.search(r"([\d,]+) positions? can be reached, not", reason_of_python(claim))
            if number:
                yield claim._replace(evidence=claim.evidence.replace(str(MOST), number[1].replace(",", "")))
                break
        else:
            if random.random() < FEW_WINS:
                yield claim


def random_form(rules: Rules, random: Random) -> str:
    """Return what evidence says before the number of positions."""
    if rules.moves == "hole":
        return "*"
    pairs = sorted(random.sample(LOWER, random.randint(1, 6)), key=RANKS.index)
    return random.choice(["", "stock "]) + "*" + "".join(pairs)


def altered(claim: Claim, other: Claim) -> Iterator[Claim]:
    """Yield claims that differ a little, most of them wrong."""
    random = Random(repr(claim))
    form, number = claim.evidence.rsplit(" ", 1)
    for count in {int(number) + 1, max(1, int(number) - 1)} - {int(number)}:
        yield claim._replace(evidence=f"{form} {count}")
    yield claim._replace(evidence=f"{random_form(claim.rules, random)} {number}")
    yield claim._replace(layout=swapped(claim.layout, random))
    for layout in altered_texts_of(claim.layout, other.layout, 2, random):
        yield claim._replace(layout=layout)
    for evidence in altered_texts_of(claim.evidence, other.evidence, 2, random):
        yield claim._replace(evidence=evidence)


def swapped(layout: str, random: Random) -> str:
    """Return a layout in which two cards have changed places."""
    cards = sorted(set(re.findall(rf"[{RANKS}][{SUITS}]", layout)))
    if len(cards) < 2:
        return layout
    first, second = random.sample(cards, 2)
    return re.sub(f"{first}|{second}", lambda card: second if card[0] == first else first, layout)


def some_claims(real: list[Claim], number: int) -> list[Claim]:
    """Return real claims and altered ones."""
    random = Random(number)
    claims = [each for claim in real for each in (claim, *altered(claim, random.choice(real)))]
    return random.sample(sorted(set(claims), key=repr), number)


def disagreements(programs: Path, claims: list[Claim], folder: Path) -> list[tuple[Claim, str]]:
    """Return the claims that only one of the two referees accepts, with what Python says."""
    differing, accepted = proved.differences(programs, claims, folder, write_rules, reason_of_python)
    assert accepted > len(claims) // 20
    return differing


def test_the_proved_referee_agrees_with_the_one_in_python_on_games_with_a_hole(programs: Path, tmp_path: Path) -> None:
    real = [*engine_claims(WITH_A_HOLE, 4), *islice(random_claims(WITH_A_HOLE, 20_000), 180)]
    assert disagreements(programs, some_claims(real, 500), tmp_path) == []


def test_the_proved_referee_agrees_with_the_one_in_python_on_games_of_pairs(programs: Path, tmp_path: Path) -> None:
    real = [*engine_claims(OF_PAIRS, 12), *islice(random_claims(OF_PAIRS, 20_000), 150)]
    assert disagreements(programs, some_claims(real, 500), tmp_path) == []


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
@pytest.mark.parametrize("games", [WITH_A_HOLE, OF_PAIRS])
def test_the_proved_referee_agrees_in_many_cases(games: tuple[str, ...], programs: Path, tmp_path: Path) -> None:
    real = [*engine_claims(games, 40), *islice(random_claims(games, 40_000), 3_000)]
    assert disagreements(programs, some_claims(real, 20_000), tmp_path) == []


def test_wins_and_large_losses_are_not_covered(programs: Path, tmp_path: Path) -> None:
    rules = rules_of("pyramid")
    [layout] = to_strings(deal(rules, 1, 1, 1))
    rows = [proved.Claim(layout, Verdict.WINNABLE, "-"), proved.Claim(layout, Verdict.UNWINNABLE, "stock *A 100001")]
    export = tmp_path / "export.jsonl"
    export.write_text("".join(f"{json.dumps(row_of(row))}\n" for row in rows))
    command = [programs / "referee", write_rules(rules, tmp_path), export]
    judged = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (judged.returncode, judged.stdout.splitlines()) == (
        3,
        [
            "line 1: not covered: the verdict winnable",
            "line 2: not covered: more than 100000 positions",
            "0 wins and 0 losses proved, 0 wrong, 2 rows not covered",
        ],
    )


def row_of(claim: proved.Claim) -> dict[str, str]:
    return {"layout": claim.layout, "verdict": claim.verdict.word, "evidence": claim.evidence}


@pytest.mark.parametrize("seed", range(60))
def test_the_game_in_the_proofs_is_ours(programs: Path, seed: int, tmp_path: Path) -> None:
    """It has the same moves in positions with few cards, and in those that follow. That an empty waste is turned over,
    which changes nothing but the passes, does not count."""
    random = Random(seed)
    rules = with_few_cards(rules_of((*WITH_A_HOLE, *GAMES)[seed % 12]), random)
    command = [str(programs / "moves"), str(write_rules(rules, tmp_path))]
    layouts = [position_with_few_cards(rules, random) for _ in range(4)]
    for _ in range(4):
        lines = "".join(f"{layout}\n" for layout in layouts)
        moved = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
        following = dict[str, str]()
        for layout, line in zip(layouts, moved, strict=True):
            state = State(layout, rules)
            cards = ranks_of(state).rpartition(" ")[0]
            after = {ranks_of(each): layout_of(each) for each in state.moves()}
            assert {text for text in line.split("\t") if text.rpartition(" ")[0] not in ("", cards)} == after.keys(), (
                layout
            )
            following |= after
        layouts = list(following.values())[:40]
        if not layouts:
            break


def position_of(state: State) -> Position:
    rules = state.rules
    cards = ["" if card == "--" else card for row in state.rows for card in row]
    for column in state.columns[: rules.columns]:
        cards += [*column, *[""] * (rules.column_size - len(column))]
    stock = (*state.waste, *state.stock)
    return Position(tuple(cards), stock, len(state.waste), max(state.passes, 0), state.hole)


def layout_of(state: State) -> str:
    return written(state.rules, position_of(state))


def ranks_of(state: State) -> str:
    """Return the ranks of a position, as the program `moves` writes them."""
    places, stock, turned, passes, hole = position_of(state)
    parts = (places, stock[turned:], stock[:turned], (hole,))
    return " ".join([*("".join(card[:1] or "-" for card in cards) for cards in parts), str(passes)])
