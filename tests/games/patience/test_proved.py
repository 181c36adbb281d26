"""The game and the referee that are proved in Coq, against those in Python; see docs/proofs/README.md."""

import json
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses.counted import cards_may_be_absent_at_once, easier_game_is_sound
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import RANKS, SUITS, Rules
from dealmill.pipeline.games.patience.schema import canonical_rules
from dealmill.testing.patiences import naive
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games import proved
from tests.games.patience.files import FILES, rules_of
from tests.games.patience.random_rules import any_rules, random_rules
from tests.games.patience.test_swept import swept_rules
from tests.games.patience.test_walks import walked_rules
from tests.games.proved import ClaimedLoss as Claim

pytestmark = pytest.mark.slow

GOLDEN = Path(__file__).parents[2] / "golden"
FEW_POSITIONS = 1_000
"""Claims of more positions take the referee in Python too long."""
SAME = 300
"""The positions that random claims allow."""
GOLF = rules_of("golf")


def write_rules(rules: Rules, folder: Path) -> Path:
    path = folder / f"{rules.name}.toml"
    path.write_text(canonical_rules(rules))
    return path


def reason_of_python(claim: Claim) -> str:
    """Return why the referee in Python refuses a claim; empty if it does not."""
    try:
        Referee(claim.rules)("winnable", claim.layout, Verdict.UNWINNABLE, None, claim.evidence)
    except InvalidEvidence as error:
        return error.reason
    return ""


def golden_losses(name: str, count: int | None = None) -> Iterator[Claim]:
    """Yield the losses among the first `count` deals in the golden files of a game, as our engine proves them."""
    for path in GOLDEN.glob(f"{name}.winnable.*.jsonl"):
        for line in islice(path.read_text().splitlines(), count):
            layout, verdict, _, _, evidence = json.loads(line)
            if verdict == "unwinnable":
                yield Claim(rules_of(name), layout, evidence)


def golden_claims() -> Iterator[Claim]:
    """Yield the losses in the golden files that are proved by lists of cards or by counts of all positions."""
    for name, game in FILES.items():
        if game.rules.to != "tableau" and game.rules.run == "build" and not game.rules.complete:
            for claim in golden_losses(name):
                form, _, positions = claim.evidence.partition(" ")
                if not form.islower() and int(positions) <= FEW_POSITIONS:
                    yield claim


def within_the_proof(rules: Rules) -> Rules:
    """Return rules without what the proved referee refuses by name: columns that wrap or are built up, whole ones that
    move, and foundations in both directions."""
    move = rules.move if rules.move in ("card", "run") else "any"
    return replace(rules, build_wraps=False, direction="down", move=move, foundation_direction="up")


def random_claims(first_seed: int, some_rules: Callable[[Random], Rules] = random_rules) -> Iterator[Claim]:
    """Yield claims of random rules and live cards without end, true ones where there are any."""
    seed = first_seed
    while True:
        seed += 1
        random, rules = Random(seed), within_the_proof(some_rules(Random(seed)))
        for layout in to_strings(deal(rules, seed, 1, 2)):
            for share in (1.0, 0.3, 0.5, 0.7):
                live = [card for card in ordered(rules.deck()) if random.random() < share]
                form = "*" if share == 1 or not live else random.choice(["", "*"])
                claim = Claim(rules, layout, f"{form}{''.join(live) if share < 1 else ''} {SAME}")
                yield counted(claim)


def ordered(cards: Iterable[str]) -> list[str]:
    return sorted(cards, key=lambda card: (SUITS.index(card[1]), RANKS.index(card[0])))


def altered(claim: Claim) -> Iterator[Claim]:
    """Yield claims that differ a little, most of them wrong."""
    random = Random(repr(claim))
    cards, number = claim.evidence.split(" ")
    for count in {int(number) + 1, max(1, int(number) - 1)} - {int(number)}:
        yield claim._replace(evidence=f"{cards} {count}")
    if cards != "*":
        form = "*" * cards.startswith("*")
        cards = cards.removeprefix("*")
        live = [cards[at : at + 2] for at in range(0, len(cards), 2)]
        changes = (random.sample(live, len(live) - 1), [*live, random.choice(claim.rules.deck())], live[::-1])
        for changed in (changes[0], ordered(set(changes[1])), changes[2]):
            yield claim._replace(evidence=f"{form}{''.join(changed)} {number}")
    yield from altered_texts(claim)


def altered_texts(claim: Claim) -> Iterator[Claim]:
    """Yield claims with cards exchanged in their layouts, and with other letters."""
    random = Random(repr(claim))
    columns = claim.layout.split(" ")[1]
    face_up = sorted(set(re.findall(r"[2-9ATJQK][CHSD]", columns)))
    if len(face_up) > 1:
        first, second = random.sample(face_up, 2)
        swapped = {first: second, second: first}
        changed_columns = re.sub(f"{first}|{second}", lambda card: swapped[card[0]], columns)
        yield claim._replace(layout=claim.layout.replace(columns, changed_columns))
        yield claim._replace(layout=claim.layout.replace(first, second))
    for field in ("layout", "evidence"):
        text = getattr(claim, field)
        at = random.randrange(len(text))
        yield claim._replace(**{field: text[:at] + random.choice(text + "09/-* :c>") + text[at + 1 :]})


def is_covered(claim: Claim) -> bool:
    """Return whether the proof is about such claims: no lists that prove nothing."""
    rules = claim.rules
    if rules.complete or claim.evidence.startswith("* "):
        return True
    return easier_game_is_sound(rules) if claim.evidence.startswith("*") else cards_may_be_absent_at_once(rules)


def disagreements(programs: Path, claims: Iterable[Claim], folder: Path) -> list[tuple[Claim, str]]:
    """Return the claims that only one of the two referees accepts, with what Python says."""
    return proved.differences(programs, filter(is_covered, claims), folder, write_rules, reason_of_python)[0]


def first_claims(real: Iterable[Claim], altered: Callable[[Claim], Iterable[Claim]], number: int) -> list[Claim]:
    """Return so many claims, each once: those of our engine, and what they are altered to."""
    return list(dict.fromkeys(islice(chain.from_iterable(map(altered, real)), number)))


def some_claims(number: int, first_seed: int) -> list[Claim]:
    """Return claims of our engine and of random rules, real and altered ones, in equal parts."""
    real = [*golden_claims(), *islice(random_claims(first_seed), number)]
    claims = [each for claim in real for each in (claim, *altered(claim))]
    return Random(first_seed).sample(sorted(set(claims), key=repr), number)


def some_claims_of_sweeps(number: int, first_seed: int, deals: int) -> list[Claim]:
    """Return claims on deals of Golf and by random rules of games that are swept, real and altered ones."""
    real = [Claim(GOLF, layout, f"* {SAME}") for layout in to_strings(deal(GOLF, 1, first_seed, deals))]
    for seed in range(first_seed, first_seed + number // 6):
        rules = within_the_proof(swept_rules(Random(seed)))
        real += [Claim(rules, layout, f"* {SAME}") for layout in to_strings(deal(rules, seed, 1, 2))]
    claims = [each for claim in map(counted, real) for each in (claim, *altered(claim))]
    return Random(first_seed).sample(sorted(set(claims), key=repr), number)


def rules_with_a_hole(random: Random) -> Rules:
    """Rules of small decks in which no card is put on another one, with a stock, a reserve, or cells."""
    rules = random.choice((swept_rules, walked_rules))(random)
    return replace(rules, wrap=rules.wrap and random.random() < 0.5)


def some_lists_with_a_hole(number: int, first_seed: int) -> list[Claim]:
    """Return so many lists of cards in games with a hole, real and altered ones, and for each true one two others."""
    lists = (claim for claim in random_claims(first_seed, rules_with_a_hole) if re.match(r"\*\w", claim.evidence))
    true, others = list[Claim](), list[Claim]()
    while len(true) < number // 20:
        claim = next(lists)
        (others if reason_of_python(claim) else true).append(claim)
    claims = [each for claim in [*true, *others[: 2 * len(true)]] for each in (claim, *altered(claim))]
    return Random(first_seed).sample(sorted(set(claims), key=repr), number)


def counted(claim: Claim) -> Claim:
    """Return a claim with the number of positions that the referee in Python counts, if it counts them and none is
    won."""
    number = re.search(r"([\d,]+) positions? can be reached, not", reason_of_python(claim))
    return with_positions(claim, int(number[1].replace(",", ""))) if number else claim


def with_positions(claim: Claim, number: int) -> Claim:
    """Return the claim of a loss with another number of positions."""
    return claim._replace(evidence=f"{claim.evidence.rpartition(' ')[0]} {number}")


def assert_agrees(programs: Path, claims: list[Claim], folder: Path) -> None:
    """Check that the proved referee accepts those claims that the one in Python accepts, and that there are some."""
    differing, accepted = proved.differences(programs, claims, folder, write_rules, reason_of_python)
    assert differing == []
    assert accepted > len(claims) // 20


def assert_losses_are_proved(programs: Path, losses: list[Claim], folder: Path) -> None:
    """Check that the proved referee accepts losses, but none of them with one position more or less."""
    counts = [(claim, int(claim.evidence.rpartition(" ")[2])) for claim in losses]
    wrong = [with_positions(claim, count + more) for claim, count in counts for more in (-1, 1)]
    assert proved.differences(programs, losses, folder, write_rules, lambda _: "") == ([], len(losses))
    assert proved.differences(programs, wrong, folder, write_rules, lambda _: "wrong") == ([], 0)


def test_the_proved_referee_agrees_with_the_one_in_python(programs: Path, tmp_path: Path) -> None:
    claims = some_claims(500, 20_000)
    assert disagreements(programs, claims, tmp_path) == []


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
def test_the_proved_referee_agrees_with_the_one_in_python_in_many_cases(programs: Path, tmp_path: Path) -> None:
    claims = some_claims(20_000, 40_000)
    assert disagreements(programs, claims, tmp_path) == []


def test_the_proved_referee_agrees_with_the_one_in_python_on_sweeps(programs: Path, tmp_path: Path) -> None:
    claims = some_claims_of_sweeps(500, 60_000, 4)
    assert disagreements(programs, claims, tmp_path) == []


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
def test_the_proved_referee_agrees_on_sweeps_in_many_cases(programs: Path, tmp_path: Path) -> None:
    claims = some_claims_of_sweeps(20_000, 80_000, 40)
    assert disagreements(programs, claims, tmp_path) == []


def test_the_proved_referee_agrees_on_lists_in_games_with_a_hole(programs: Path, tmp_path: Path) -> None:
    assert_agrees(programs, some_lists_with_a_hole(500, 100_000), tmp_path)


@pytest.mark.by_hand
@pytest.mark.timeout(3_600)  # ten minutes
def test_the_proved_referee_agrees_on_lists_in_games_with_a_hole_in_many_cases(programs: Path, tmp_path: Path) -> None:
    assert_agrees(programs, some_lists_with_a_hole(20_000, 600_000), tmp_path)


@pytest.mark.parametrize("seed", range(7_000, 7_060))
def test_the_game_in_the_proofs_is_ours(programs: Path, seed: int, tmp_path: Path) -> None:
    """It has the same moves in positions of deals by random rules."""
    rules = within_the_proof(random_rules(Random(seed)))
    assert_same_moves(programs, rules, list(to_strings(deal(rules, seed, 1, 2))), tmp_path)


def small_penguin(random: Random) -> Rules:
    """Rules of small decks that are dealt as in Penguin: the first cards of three suits are up, and the fourth is the
    lowest one of the first column."""
    ranks, cells, removable = random.randint(3, 5), random.randint(0, 1), random.random() < 0.2
    cards = 4 * ranks - 3
    sizes = tuple(cards // 3 + (number < cards % 3) for number in range(3))
    return replace(rules_of("penguin"), ranks=ranks, sizes=sizes, cells=cells, removable=removable)


def test_deals_with_the_first_cards_of_three_suits_are_covered(programs: Path, tmp_path: Path) -> None:
    for seed in range(20):
        rules = small_penguin(Random(seed))
        assert_same_moves(programs, rules, list(to_strings(deal(rules, seed, 1, 2))), tmp_path)
    true = (claim for claim in random_claims(130_000, small_penguin) if not reason_of_python(claim))
    assert_agrees(programs, first_claims(true, lambda claim: (claim, *altered(claim)), 500), tmp_path)


COVERED_PARTLY = {
    *("tableau.move", "tableau.run", "tableau.spaces", "tableau.wrap", "tableau.direction", "deck.decks", "deck.suits"),
    *("stock.to", "stock.passes", "cells.count", "reserve.size", "hole.base", "foundations.base"),
    *("foundations.initial", "foundations.complete-runs"),
}
"""The keys of rules files of which the proofs do not cover all values, or not with all others."""


@pytest.mark.parametrize("first_seed", range(9_100, 9_400, 20))
def test_rules_of_every_kind_are_refused_by_name_or_those_of_the_proofs(
    programs: Path, first_seed: int, tmp_path: Path
) -> None:
    """No key that the proofs do not know falls through: what they do not refuse has the moves of plain code."""
    (tmp_path / "export.jsonl").write_text("")
    for seed in range(first_seed, first_seed + 20):
        rules = any_rules(Random(seed))
        command = [programs / "referee", write_rules(rules, tmp_path), tmp_path / "export.jsonl"]
        judged = subprocess.run(command, capture_output=True, text=True, check=False)
        if judged.returncode:
            refused = re.fullmatch(r".*: the proof does not cover ([a-z-]+\.[a-z-]+)( = .*)?\n", judged.stderr)
            assert judged.returncode == 2
            assert refused, judged.stderr
            assert refused[1] in COVERED_PARTLY
        else:
            assert_same_moves(programs, rules, list(to_strings(deal(rules, seed, 1, 1))), tmp_path)


def assert_same_moves(programs: Path, rules: Rules, layouts: list[str], folder: Path) -> None:
    """Check that the game in the proofs has the moves of plain code in these layouts, and up to three moves later.
    Moves that change nothing do not count."""
    command = [str(programs / "moves"), str(write_rules(rules, folder))]
    for _ in range(4):
        lines = "".join(f"{layout}\n" for layout in layouts)
        moved = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
        following = dict[object, str]()
        for layout, line in zip(layouts, moved, strict=True):
            state = naive.parsed(layout, rules)
            by_key = {naive.key(naive.parsed(text, rules), rules): text for text in line.split("\t") if text}
            keys = {naive.key(after, rules) for _, after in naive.following(state, rules)}
            unchanged = {naive.key(state, rules)}
            assert by_key.keys() - unchanged == keys - unchanged, (rules, layout)
            following |= by_key
        layouts = list(following.values())[:40]
        if not layouts:
            break


def wrong_sizes(first_seed: int) -> Iterator[tuple[Claim, Claim]]:
    """Yield true claims, and the same by rules with one card less in the stock, the reserve or the cells."""
    seed = first_seed
    while True:
        seed += 1
        rules = within_the_proof(random_rules(Random(seed)))
        rules = replace(rules, cells=rules.filled)
        [layout] = to_strings(deal(rules, seed, 1, 1))
        claim = counted(Claim(rules, layout, f"* {SAME}"))
        if not reason_of_python(claim):
            for change in ({"stock": rules.stock - 1}, {"reserve": rules.reserve - 1}):
                if min(change.values()) >= 0 and not rules.filled:
                    yield claim, claim._replace(rules=replace(rules, **change))  # type: ignore[arg-type]


def test_a_place_has_no_more_cards_than_the_rules_allow(programs: Path, tmp_path: Path) -> None:
    true, wrong = zip(*islice(wrong_sizes(120_000), 20), strict=True)
    assert proved.differences(programs, true, tmp_path, write_rules, lambda _: "") == ([], len(set(true)))
    assert proved.differences(programs, wrong, tmp_path, write_rules, reason_of_python) == ([], 0)


UNPROVED: list[tuple[str, str, dict[str, object]]] = [
    ("golf", "tableau.spaces", {"spaces": "waste"}),
    ("golf", "tableau.move", {"move": "whole-pile"}),
    ("golf", "tableau.direction", {"direction": "either"}),
    ("golf", "tableau.wrap", {"build_wraps": True}),
    ("golf", "foundations.direction", {"foundation_direction": "both"}),
    ("golf", "tableau.run", {"run": "same-suit"}),
    ("golf", "hole.base", {"complete": True}),
    ("golf", "stock.to", {"to": "tableau"}),
    ("golf", "stock.full-columns", {"full_columns": True}),
    ("canfield", "tableau.move", {"move": "whole-pile"}),
    ("canfield", "tableau.move", {"move": "card-or-pile"}),
    ("canfield", "tableau.spaces", {"spaces": "reserve-then-waste"}),
    ("canfield", "tableau.wrap", {"build_wraps": True}),
    ("canfield", "tableau.direction", {"direction": "either"}),
    ("canfield", "deck.decks", {"decks": 2}),  # with a stacked reserve
    ("klondike", "deck.suits", {"suits": 2}),
    ("forty-thieves", "deck.decks", {}),
    ("bisley", "foundations.direction", {"direction": "down"}),
    ("east-haven", "deck.decks", {"decks": 2}),
    ("east-haven", "tableau.run", {"run": "same-suit"}),
    ("east-haven", "tableau.wrap", {"build_wraps": True}),
]
"""Games, keys, and changes of their rules that the proof does not cover, which it refuses by the name of the key."""


def test_rules_and_claims_outside_the_proof_are_not_covered(programs: Path, tmp_path: Path) -> None:
    golf = rules_of("golf")
    [layout] = to_strings(deal(golf, 1, 5, 1))
    rows = [
        {"layout": layout, "verdict": "unwinnable", "evidence": evidence}
        for evidence in ("ACAH 1", "cut * 1", "safe * 1")
    ]
    (tmp_path / "export.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    path = write_rules(golf, tmp_path)
    judged = subprocess.run(
        [programs / "referee", path, tmp_path / "export.jsonl"], capture_output=True, text=True, check=False
    )
    assert (judged.returncode, judged.stdout.splitlines()[:3]) == (
        3,
        [
            "line 1: not covered: a list of cards by these rules",
            "line 2: not covered: positions in which safe cards have gone up by these rules",
            "line 3: not covered: positions in which safe cards have gone up by these rules",
        ],
    )


@pytest.mark.parametrize(("name", "key", "change"), UNPROVED)
def test_a_key_that_the_proof_does_not_cover_is_named(
    programs: Path, name: str, key: str, change: dict[str, Any], tmp_path: Path
) -> None:
    path = write_rules(replace(rules_of(name), **change), tmp_path)
    (tmp_path / "export.jsonl").write_text("")
    judged = subprocess.run(
        [programs / "referee", path, tmp_path / "export.jsonl"], capture_output=True, text=True, check=False
    )
    assert (judged.returncode, judged.stdout) == (2, "")
    assert re.fullmatch(
        rf"referee: {re.escape(str(path))}: the proof does not cover {re.escape(key)}( = .*)?\n", judged.stderr
    )
