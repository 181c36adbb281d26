"""Losses by positions of the quotient: the engine, both referees and plain code on small decks and on deals."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from random import Random

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience.compiled import keys
from dealmill.pipeline.games.patience.compiled.referee import CompiledReferee, check_loss
from dealmill.pipeline.games.patience.coverage import is_interrupted
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.engine.quotient import engine
from dealmill.pipeline.games.patience.engine.quotient.engine import Quotient
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.losses.quotient import QuotientLoss, QuotientMoves, quotient_proves_losses
from dealmill.pipeline.games.patience.losses.visits import FEW_POSITIONS
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.pipeline.games.patience.searches import QUOTIENT, search_of
from dealmill.testing.patiences import naive
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import FILES, rules_of
from tests.games.patience.random_rules import seeds
from tests.games.patience.small_claims import MORE, WON, assert_that_referees_agree, counted
from tests.selection import parts_by_hand

COVERED = {
    "american-canister",
    "canfield",
    "klondike",
    "klondike-deal-1",
    "klondike-reserve",
    "northwest-territory",
}
OF_SINGLE_CARDS = {
    *("british-canister", "castles-of-spain", "free-cell-0-cell", "king-albert", "raglan", "scotch-patience"),
    "somerset",
}
"""Games whose losses the form proves, too, since single cards move: see `test_singles`."""
POSITIONS = 300
"""Small decks with more positions of the game are passed over."""
CLAIM = 10
"""The positions that false evidence of a loss claims."""
DECKS, ORDERS = 40, 40
LOST = 10
"""The number of a deal of Klondike that is lost, with the positions below."""
LOST_POSITIONS = 13_289
INTERRUPTED = [(2665, Verdict.WINNABLE, 28_449), (845, Verdict.UNWINNABLE, 57_812)]
"""Deals of Klondike that are decided in the first interruption, and after how many nodes."""


@pytest.fixture(autouse=True)
def _without_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the engine count all losses in the quotient: lists of cards would prove nearly all of small decks."""
    monkeypatch.setattr(engine, "LISTED_POSITIONS", 0)


def quotient_rules(random: Random) -> Rules:
    """Rules that the quotient covers, with a small deck."""
    while True:
        ranks, columns = random.randint(2, 6), random.randint(1, 5)
        initial = random.choice(["none", "none", "all", "one"])
        spaces = random.choice(["kings", "kings", "none", "any", "reserve"])
        stock, reserve = random.randint(0, 8), random.choice([0, 0, random.randint(1, 6)])
        if spaces == "reserve" and not reserve:
            continue
        left = 4 * ranks - stock - reserve - {"none": 0, "one": 1, "all": 4}[initial]
        if left < 0:
            continue
        sizes = [0] * columns
        for _ in range(left):
            sizes[random.randrange(columns)] += 1
        return replace(
            rules_of("klondike"),
            ranks=ranks,
            sizes=tuple(sizes),
            stock=stock,
            reserve=reserve,
            deal="columns",
            face_down=random.choice(["none", "all-but-top", "all-but-top"]),
            spaces=spaces,
            stacked=spaces == "reserve",
            removable=random.random() < 0.7,
            foundations="dealt" if initial == "one" else "A",
            initial=initial,
            draw=random.randint(1, 3),
            passes=random.choice([0, 0, 0, 1, 2, 3]),
        )


def _compared(rules: Rules, layout: str) -> Verdict | None:
    """Compare all with plain code; return the verdict, or None if the game has too many positions."""
    truth = naive.counted(layout, rules, POSITIONS)
    if truth is None:
        return None
    solved = to_batch(Quotient(rules)(to_texts([layout]), 10_000))
    [verdict], [evidence] = solved.verdicts, solved.evidence
    assert verdict is (Verdict.WINNABLE if truth[0] else Verdict.UNWINNABLE), (rules, layout, evidence)
    Referee(rules)("winnable", layout, verdict, None, str(evidence))
    if verdict is Verdict.UNWINNABLE:
        loss = read_loss(rules, str(evidence))
        check_loss(rules, layout, loss)
        assert isinstance(loss, QuotientLoss)
        _check_arrangements(rules, layout, loss)
    else:
        for referee in (Referee(rules), CompiledReferee(rules)):
            with pytest.raises(InvalidEvidence):
                referee("winnable", layout, Verdict.UNWINNABLE, None, f"quotient * {CLAIM}")
    return verdict


def _check_arrangements(rules: Rules, layout: str, loss: QuotientLoss) -> None:
    """Check that the boards of a loss are those of its positions."""
    game, moves = Moves(rules), QuotientMoves(rules)
    shown, visited = (
        visits(game, game.position(layout)) for visits in (loss.visits, partial(CountedLoss.visits, loss))
    )
    for board, visit in zip(shown, visited, strict=True):
        assert moves.settled(board.position) == visit.position, (rules, layout, board)


def _verdicts(seed: int, count: int) -> dict[Verdict, int]:
    """Compare layouts with small decks until so many were compared; return how many have each verdict."""
    random, verdicts = Random(seed), {Verdict.WINNABLE: 0, Verdict.UNWINNABLE: 0}
    while sum(verdicts.values()) < count:
        rules = quotient_rules(random)
        layouts = [
            *to_strings(deal(rules, random.randrange(1_000), 1, 1)),
            *(random_position(rules, random) for _ in "123"),
        ]
        for layout in layouts:
            if verdict := _compared(rules, layout):
                verdicts[verdict] += 1
    return verdicts


def test_small_decks_are_decided_as_by_plain_code() -> None:
    verdicts = _verdicts(0, DECKS)
    assert min(verdicts.values()) > DECKS // 5


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("decks", parts_by_hand(range(0, 100_000, 1_000), 1_000))
def test_many_small_decks_are_decided_as_by_plain_code(decks: range) -> None:
    verdicts = _verdicts(decks.stop, len(decks))
    assert min(verdicts.values()) > len(decks) // 5


@pytest.mark.parametrize("seeds", seeds(50_000, 100, quick=10, slow=30))
def test_both_referees_count_the_same_positions(seeds: Sequence[int]) -> None:
    """Also where the game can be won."""
    for seed in seeds:
        random = Random(seed)
        rules = quotient_rules(random)
        for layout in [*to_strings(deal(rules, seed, 1, 2)), *(random_position(rules, random) for _ in "123")]:
            assert_that_referees_agree(rules, layout, "quotient *")


def test_positions_are_counted_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """By moves at first, as plain Python counts them, or several of the latest ones at once from the start."""
    for seed in range(ORDERS):
        rules = quotient_rules(Random(seed))
        for layout in to_strings(deal(rules, seed, 1, 5)):
            by_moves = counted(rules, layout, "quotient *")
            with monkeypatch.context() as patch:
                patch.setattr(keys, "COMPARED", 1)
                latest_first = counted(rules, layout, "quotient *")
            assert by_moves == latest_first or {by_moves, latest_first} == {WON, MORE}, (rules, layout)


def test_cards_of_an_open_reserve_fill_no_columns() -> None:
    """Though any card may go to an empty one, a card of the reserve that leaves is a move."""
    rules = replace(rules_of("klondike"), ranks=3, sizes=(5, 5), stock=0, face_down="none")
    rules = replace(rules, reserve=2, stacked=False, spaces="any")
    verdicts = Counter[Verdict | None]()
    for layout in to_strings(deal(rules, 1, 1, 20)):
        verdicts[_compared(rules, layout)] += 1
        assert_that_referees_agree(rules, layout, "quotient *")
    assert min(verdicts[verdict] for verdict in (Verdict.WINNABLE, Verdict.UNWINNABLE)) > 2, verdicts


def test_interruptions_decide_small_decks_as_plain_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the plain search comes first: it wins deals, and finds cards that matter."""
    monkeypatch.setattr(engine, "INTERRUPTIONS", (engine.Interruption(0, 600, 600),))
    random, verdicts, listed = Random(1), Counter[Verdict](), 0
    while verdicts.total() < DECKS:
        rules = quotient_rules(random)
        layout = random_position(rules, random)
        truth = naive.counted(layout, rules, POSITIONS) if is_interrupted(rules) else None
        if truth is None:
            continue
        solved = to_batch(Quotient(rules)(to_texts([layout]), 10_000))
        [verdict], [evidence] = solved.verdicts, solved.evidence
        assert verdict is (Verdict.WINNABLE if truth[0] else Verdict.UNWINNABLE), (rules, layout, evidence)
        Referee(rules)("winnable", layout, verdict, None, str(evidence))
        verdicts[verdict] += 1
        listed += str(evidence).startswith("*")
    assert min(verdicts.values()) > DECKS // 5
    assert listed > DECKS // 5


@pytest.mark.parametrize(("number", "verdict", "nodes"), INTERRUPTED)
def test_a_deal_is_decided_in_an_interruption(number: int, verdict: Verdict, nodes: int) -> None:
    """A smaller limit changes nothing but where the search ends."""
    rules = rules_of("klondike")
    layouts = deal(rules, 1, number, 1)
    solved, limited = (to_batch(Quotient(rules)(layouts, limit)) for limit in (nodes, nodes - 1))
    assert (solved.verdicts, solved.nodes) == ([verdict], [nodes])
    CompiledReferee(rules)("winnable", to_strings(layouts)[0], verdict, None, str(solved.evidence[0]))
    assert (limited.verdicts, limited.nodes) == ([Verdict.UNDECIDED], [nodes - 1])


def test_a_loss_is_told_in_words() -> None:
    """Positions in one of their arrangements, and moves by what happens in it."""
    klondike = rules_of("klondike")
    rules = replace(klondike, ranks=5, sizes=(7, 3), face_down="none", initial="all", stock=6, draw=2)
    layout = "klondike 5C5S3H2S5D2C2D/3C4D4S foundations:ACAHASAD stock:4C4H2H5H3D3S"
    reason, *positions = Referee(rules).explained(layout, Verdict.UNWINNABLE, "quotient * 3")
    assert reason.startswith("3 positions can be reached, and none of them is won. Positions are counted once that")
    up = "foundations: 2C AH AS 2D"
    assert positions == [
        "position 1: column 1: 5C 5S 3H 2S 5D; column 2: 3C 4D 4S; stock: 4C 4H 2H 5H 3D 3S; "
        f"{up}. Its moves lead to position 2.",
        "position 2, from position 1 by 4S5D: column 1: 5C 5S 3H 2S 5D 4S; column 2: 3C 4D; "
        f"stock: 4C 4H 2H 5H 3D 3S; {up}. Its moves lead to position 3.",
        "position 3, from position 2 by 3S4D: column 1: 5C 5S 3H 2S 5D 4S; column 2: 3C 4D 3S; "
        f"stock: 4C 4H 2H 5H 3D; {up}. Even if whatever was possible once stayed possible, not all cards could go up.",
    ]


def test_a_move_to_a_foundation_is_told_as_such() -> None:
    klondike, others = rules_of("klondike"), {"foundations": "dealt", "initial": "one", "stock": 4, "passes": 2}
    rules = replace(klondike, ranks=3, sizes=(7,), face_down="none", **others)  # type: ignore[arg-type]
    layout = "klondike AC3C3D3H2H base:A foundations:3S stock:AD2C waste:2DAH"
    _, _, second, *_, last = Referee(rules).explained(layout, Verdict.UNWINNABLE, "quotient * 5")
    assert second.startswith("position 2, from position 1 by AHf: column 1: AC 3C 3D 3H; waste: 2D; stock: AD 2C; ")
    assert last.startswith("position 5, from position 3 by 2C3D: column 1: AC 3C 3D 2C; waste: 2D AD; ")


@pytest.mark.parametrize(("number", "positions"), [(967, 12), (LOST, LOST_POSITIONS)])
def test_a_page_shows_few_positions_as_boards(number: int, positions: int) -> None:
    """After the layout, and the reason why it is lost."""
    klondike = find_game("klondike")
    [layout] = to_strings(deal(rules_of("klondike"), 1, number, 1))
    captions = [scene.caption for scene in klondike.scenes(layout, Verdict.UNWINNABLE, f"quotient * {positions}")]
    shown = positions if positions in FEW_POSITIONS else 0
    assert [caption.partition(".")[0].partition(",")[0] for caption in captions[2:]] == [
        f"Position {place} of {positions}" for place in range(1, shown + 1)
    ]


def test_the_quotient_covers_games_like_klondike() -> None:
    assert {name for name, game in FILES.items() if search_of(game.rules) is QUOTIENT} == COVERED
    assert {name for name, game in FILES.items() if quotient_proves_losses(game.rules)} == COVERED | OF_SINGLE_CARDS
    rules = rules_of("klondike")
    assert not any(
        quotient_proves_losses(replace(rules, **change))
        for change in (
            {"build": "same-suit"},
            {"move": "any"},
            {"run": "same-suit"},
            {"hole": "AS"},
            {"cells": 1},
            {"reserve": 3, "stacked": True},
            {"to": "tableau"},
            {"complete": True},
            {"decks": 2},
        )
    )
    assert search_of(replace(rules, passes=6)) is not QUOTIENT  # its keys would be too long
    assert search_of(replace(rules, move="card")) is not QUOTIENT  # its wins may need runs that move


@pytest.mark.parametrize(
    ("game", "number", "positions"), [("klondike", LOST, LOST_POSITIONS), ("canfield", 12, 4_539)], ids=str
)
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_loss_has_one_number_of_positions(game: str, number: int, positions: int, more: int) -> None:
    """The keys of Canfield take two words."""
    rules = rules_of(game)
    [layout] = to_strings(deal(rules, 1, number, 1))
    loss = read_loss(rules, f"quotient * {positions + more}")
    assert isinstance(loss, QuotientLoss)
    if more:
        with pytest.raises(InvalidEvidence, match="positions can be reached"):
            check_loss(rules, layout, loss)
    else:
        assert check_loss(rules, layout, loss)[0] == 1


@pytest.mark.parametrize(
    "evidence",
    ["quotient", "quotient ", "quotient *", "quotient * 0", "quotient *  1", "quotient *6C 1", "quotient * 1 "],
)
def test_other_texts_are_no_evidence(evidence: str) -> None:
    with pytest.raises(InvalidEvidence):
        read_loss(rules_of("klondike"), evidence)


def test_the_form_is_refused_where_it_proves_nothing() -> None:
    with pytest.raises(InvalidEvidence, match="prove nothing in russian-solitaire"):
        read_loss(rules_of("russian-solitaire"), "quotient * 1")
