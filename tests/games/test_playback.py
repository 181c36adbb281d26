"""Solutions as data: each move takes pieces that are there, and the end is that of the evidence."""

from collections.abc import Mapping

import pytest

import dealmill
from dealmill.pipeline.games.playback import GONE, Pile, Playback

DEALS = 8


def played(playback: Playback) -> dict[str, tuple[list[str], list[bool]]]:
    """Return the pieces on each place after all steps, and which of them lie face up."""
    table = {place: (list(pile.pieces), _sides(pile)) for place, pile in playback.table.items()}
    for step in playback.steps:
        assert step.word and step.moves
        for move in step.moves:
            pieces, ups = table[move.source]
            assert len(pieces) >= move.take, (step, move)
            taken, sides = pieces[-move.take :], ups[-move.take :]
            del pieces[-move.take :], ups[-move.take :]
            if move.turned:
                taken, sides = taken[::-1], [not side for side in sides][::-1]
            if move.shows:
                taken = [*taken[:-1], move.shows]
            assert move.source != move.target or move.turned
            table[move.target][0].extend(taken)
            table[move.target][1].extend(sides)
    return table


def _sides(pile: Pile) -> list[bool]:
    hidden = len(pile.pieces) - pile.up
    return [False] * hidden + [True] * pile.up


def results(engine: str, parameters: Mapping[str, int] | None = None) -> list[dealmill.Result]:
    """Return the results of the first deals; a sweep, as of Golf, needs no limit."""
    deals = dealmill.deals(engine.partition("/")[0], count=DEALS, parameters=parameters)
    return dealmill.solve(engine, deals, max_nodes=None if engine == "golf" else 30_000)


@pytest.mark.parametrize(
    "game",
    [
        "klondike",
        "klondike-deal-1",
        "klondike:stock.draw=4:stock.passes=4",
        "freecell",
        "canfield",
        "golf",
        "east-haven",
        "simple-simon",
        "yukon",
        "raglan",
        "worm-hole",
        "northwest-territory",
        "spider-1-suit",
    ],
)
def test_of_patiences(game: str) -> None:
    wins, cards = 0, 104 if game.startswith("spider-") else 52
    for result in results(game):
        playback = result.playback()
        assert playback and len([card for pile in playback.table.values() for card in pile.pieces]) == cards
        if result.verdict is dealmill.Verdict.WINNABLE:
            wins += 1
            table = played(playback)
            left = {place for place, (pieces, _) in table.items() if pieces}
            ends = {place for place in table if place.startswith(("foundation", "hole"))}
            assert left == ends and all(all(sides) for _, sides in table.values())
            assert [step.word for step in playback.steps] == str(result.evidence).split(" ")
        else:
            assert not playback.steps
    assert wins


def test_of_card_pairing() -> None:
    for engine in ("card-pairing/winnable", "card-pairing/odds"):
        ends = [
            {place for place, (pieces, _) in played(playback).items() if pieces}
            for result in results(engine)
            if (playback := result.playback()) and playback.steps
        ]
        assert ends and all(end == {GONE} for end in ends)


def test_of_camelot() -> None:
    [win, *_] = [result for result in results("camelot") if result.verdict is dealmill.Verdict.WINNABLE]
    playback = win.playback()
    assert playback
    table = played(playback)
    assert not table["deck"][0] and len(table[GONE][0]) == 40
    assert {piece for place, (pieces, _) in table.items() if place != GONE for piece in pieces} == set("JQK")


def test_of_hi_q() -> None:
    for engine in ("hi-q/greedy", "hi-q/fewest"):
        [result, *_] = results(engine)
        playback = result.playback()
        assert playback
        table = played(playback)
        left = [int(place.split()[1]) for place, (pieces, _) in table.items() if pieces and place != GONE]
        assert result.value == (sum(left) if engine == "hi-q/greedy" else len(left))


def test_of_memory() -> None:
    [result, *_] = results("memory", {"pairs": 6})
    playback = result.playback()
    assert playback and len(playback.steps) == result.value
    pieces, sides = played(playback)[GONE]
    assert len(pieces) == 12 and all(sides)
    assert all(first == second for first, second in zip(pieces[::2], pieces[1::2], strict=True))


def test_of_tantrix() -> None:
    [result, *_] = [result for result in results("tantrix") if result.value]
    playback = result.playback()
    assert playback and len(playback.steps) == result.value
    table = played(playback)
    last = playback.steps[-1].moves[-1]
    assert table[last.target][0] == [last.shows] and len([tile for pieces, _ in table.values() for tile in pieces]) == (
        len([tile for pile in playback.table.values() for tile in pile.pieces])
    )
    [loop, *_] = [result for result in results("tantrix-loop") if result.verdict is dealmill.Verdict.WINNABLE]
    laid = loop.playback()
    assert laid and not any(pieces for place, (pieces, _) in played(laid).items() if place.startswith("tile"))
