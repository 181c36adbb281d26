"""Games such as Black Hole, which are searched by ranks and cut off where no walk is possible."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from dealmill.pipeline.games import find_game
from dealmill.pipeline.games.batch import to_batch, to_strings, to_texts
from dealmill.pipeline.games.patience.compiled import counting, keys
from dealmill.pipeline.games.patience.compiled import referee as compiled
from dealmill.pipeline.games.patience.compiled import walks as counting_walks
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.engine.holes import walks
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import MAX_POSITIONS, CountedLoss
from dealmill.pipeline.games.patience.losses.walks import ByRanks, walks_prove_losses
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import RANKS, Rules
from dealmill.pipeline.games.patience.schema import parse_rules
from dealmill.pipeline.games.patience.searches import WALKS, search_of
from dealmill.testing.patiences.agreement import compared, small_layouts
from dealmill.testing.patiences.walks import has_walk
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.files import rules_of
from tests.games.patience.random_rules import random_rules, seeds
from tests.selection import SELECTION

LOSSES = {69: 80, 22: 221}
"""Deals of Black Hole of seed 1 that are lost, and the number of their positions: one that plain Python counts, and one
that it does not."""
NOT_WALKED = {
    "black-hole:hole.wrap=false": "ranks are in a row",
    "black-hole:deck.ranks=12": "the circle of ranks is even",
    "black-hole:tableau.build=any-suit": "cards go onto others",
    "black-hole:reserve.size=3": "there is a reserve",
    "worm-hole:stock.size=5": "there is a stock",
    "worm-hole:tableau.spaces=kings": "kings alone go to spaces",
    "worm-hole:tableau.move=any": "several cards go to spaces",
    "golf": "cards of the stock need no neighbour",
    "beleaguered-castle:tableau.build=none": "there is no hole",
}


def walked_rules(random: Random) -> Rules:
    """Rules of games with a hole, few cards, three or five ranks, and cells or spaces, or neither."""
    ranks, columns, cells = random.choice([3, 3, 3, 5]), random.randint(2, 9), random.choice([0, 0, 1, 2])
    sizes = [0] * columns
    for _ in range(4 * ranks - 1):
        sizes[random.randrange(columns)] += 1
    rules = replace(
        random_rules(random),
        ranks=ranks,
        sizes=tuple(sizes),
        build="none",
        hole="AS",
        foundations="A",
        initial="none",
        removable=False,
        cells=cells,
        filled=0,
        reserve=0,
        stock=0,
        to="waste",
        wrap=True,
        face_down=random.choice(["none", "all-but-top"]),
        spaces=random.choice(["none", "any"]),
    )
    return replace(rules, move="card") if rules.spaces == "any" else rules


@pytest.mark.parametrize("seeds", seeds(60_000, 200, quick=10, slow=60))
def test_searches_by_walks_agree_with_the_game_as_it_is_played(seeds: Sequence[int]) -> None:
    """The engine, and both referees on positions and on walks, which plain code finds by trying all."""
    for seed in seeds:
        random = Random(seed)
        rules = walked_rules(random)
        assert WALKS.covers(rules)
        for layout in small_layouts(rules, seed, random):
            assert not compared(rules, WALKS.load()(rules), layout, random), (rules, layout)


@pytest.mark.parametrize("seeds", seeds(70_000, 4_000, quick=20))
def test_no_game_that_can_be_won_is_lost_by_walks(seeds: Sequence[int]) -> None:
    """Ten deals by each rules; the compiled referee visits all positions, with suits and without walks."""
    for seed in seeds:
        rules = walked_rules(Random(seed))
        layouts = to_strings(deal(rules, seed, 1, 10))
        solved = to_batch(WALKS.load()(rules)(to_texts(layouts)))
        for layout, verdict, evidence in zip(layouts, solved.verdicts, solved.evidence, strict=True):
            compiled.CompiledReferee(rules)("winnable", layout, verdict, None, evidence or "")
            if verdict is Verdict.UNWINNABLE:
                with pytest.raises(InvalidEvidence, match=r"positions? can be reached"):
                    counting.check_count(rules, layout, CountedLoss(None, MAX_POSITIONS))


@pytest.mark.parametrize("ranks", SELECTION.parameters([3, 5, 7], lambda ranks: ranks < 7))
def test_walks_by_the_formula_are_those_that_exist(ranks: int) -> None:
    """For all numbers of cards that are left; 78,125 with seven ranks."""
    rules = parse_rules("g", f'title = "G"\ndeck.ranks = {ranks}\ntableau.build = "none"\nhole.base = "AS"\n')
    game, suits = ByRanks(rules), "CHSD"
    first = game.position(f"g {'/'.join(['AC', *'-------'])} hole:AS")
    for left in itertools.product(range(5), repeat=ranks):
        cards = tuple(RANKS[rank] + suits[number] for rank, count in enumerate(left) for number in range(count))
        position = first._replace(columns=(cards,))
        assert game.has_walk(position) == has_walk(left, 0), left


@pytest.mark.parametrize("name", NOT_WALKED)
def test_other_games_are_not_searched_by_walks(name: str) -> None:
    rules = find_game(name).rules  # type: ignore[attr-defined]
    assert search_of(rules) is not WALKS and not walks_prove_losses(rules)
    with pytest.raises(InvalidEvidence, match=f"walks prove nothing in {name}"):
        read_loss(rules, "walks * 5")


def test_a_card_alone_in_a_column_counts_as_one_in_a_cell_if_it_could_go_back() -> None:
    game = ByRanks(rules_of("worm-hole"))
    first = game.position(f"worm-hole {'/'.join(['2C', *['-'] * 16])} cells:3C hole:AS")

    def key(columns: tuple[tuple[str, ...], ...], *cells: str) -> object:
        return game.key(first._replace(columns=columns, cells=cells))

    assert key((("2C",), ()), "3C") == key((("3C",), ()), "2H")
    assert key((("2C",), ()), "3C") != key((("2C", "3C"), ()))
    strict = ByRanks(replace(game.rules, spaces="none"))
    assert len({strict.key(first), strict.key(first._replace(columns=(("3C",), ()), cells=("2C",)))}) == 2


def loss(number: int) -> tuple[Rules, str]:
    rules = rules_of("black-hole")
    [text] = to_strings(deal(rules, 1, number, 1))
    return rules, text


@pytest.mark.parametrize("number", LOSSES)
def test_altered_claims_are_refused(number: int) -> None:
    (rules, text), positions = loss(number), LOSSES[number]
    check = compiled.CompiledReferee(rules)
    check("winnable", text, Verdict.UNWINNABLE, None, f"walks * {positions}")
    for claim, reason in {
        f"walks * {positions - 1}": f"more than {positions - 1:,} positions can be reached",
        f"walks * {positions + 1}": f"{positions:,} positions can be reached, not {positions + 1:,}",
        "walks * 1000000001": "more than the limit of 1,000,000,000",
        "walks * 05": "is not the evidence of a loss, such as walks",
        f"walks *AC {positions}": "is not the evidence of a loss, such as walks",
        f"walks  * {positions}": "is not the evidence of a loss",
        f"walk * {positions}": "is not the evidence of a loss",
    }.items():
        with pytest.raises(InvalidEvidence, match=reason.replace("*", r"\*")):
            check("winnable", text, Verdict.UNWINNABLE, None, claim)


def test_a_count_that_begins_again_with_more_room_begins_at_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "FIRST_ROOM", 20)
    assert counting_walks.check_count(*loss(22), LOSSES[22])[-1] == LOSSES[22]


def test_the_greatest_claim_can_be_read() -> None:
    assert read_loss(rules_of("black-hole"), "walks * 1000000000").positions == 1_000_000_000


def test_a_game_that_can_be_won_is_not_lost() -> None:
    rules = rules_of("black-hole")
    won = "/".join(["black-hole 3H2C", *["-"] * 16]) + " hole:AS"
    for referee in (Referee(rules), compiled.CompiledReferee(rules)):
        with pytest.raises(InvalidEvidence, match="the game can be won"):
            referee("winnable", won, Verdict.UNWINNABLE, None, "walks * 300")
    with pytest.raises(InvalidEvidence, match="the game can be won"):
        counting_walks.check_count(rules, won, 3)


def test_the_search_grows_and_stops_without_changing_what_it_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, text = loss(504)
    engine = WALKS.load()(rules)
    monkeypatch.setattr(walks, "FEWEST_SLOTS", 64)
    assert to_batch(engine(to_texts([text]))).evidence == ["walks * 108127"]
    assert to_batch(engine(to_texts([text]), 108_126)).verdicts == [Verdict.UNDECIDED]
    assert to_batch(engine(to_texts([text]), 108_127)).verdicts == [Verdict.UNWINNABLE]


def test_a_loss_is_told_in_words() -> None:
    lost = "/".join(["black-hole 3H", "3C", *["-"] * 15]) + " hole:AS"
    assert list(Referee(rules_of("black-hole")).explained(lost, Verdict.UNWINNABLE, "walks * 1")) == [
        "Apart from suits, 1 position can be reached before the cards that are left could not all go into the hole "
        "even if none lay on another, and none of them is won.",
        "position 1: column 1: 3H; column 2: 3C; hole: AS. After any move, the cards that are left could not all go "
        "into the hole even if none lay on another.",
    ]
