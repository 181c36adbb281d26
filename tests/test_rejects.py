"""Rejects counted by reason."""

import pytest

from dealmill.pipeline.games import games
from dealmill.pipeline.games.descriptions import Reject
from dealmill.pipeline.store.sources.source import count_reasons
from tests.doing import QUICK, deal


def test_reasons_are_grouped_by_their_common_words() -> None:
    rejects = [
        Reject(2, "x", ("rank K occurs 5 times, expected 4", "rank A occurs 3 times, expected 4")),
        Reject(3, "y", ("unknown symbol 'T' at card 1; ten is written 0",)),
        Reject(7, "z", ("rank K occurs 3 times, expected 4", "unknown symbol '\\'' in stack 0")),
        Reject(9, "t", ("unknown symbol 'T' at card 17; ten is written 0", 'unknown symbol "\'" in stack b')),
        Reject(10, "u", ("stacks of unequal height: 4, 3, 4 cards", "not connected: (1,2) (3,-4)")),
        Reject(11, "v", ("stacks of unequal height: 4, 3 cards", "not connected: (-1,2)", "'" + "a" * 199)),
    ]
    assert [(reason.reason, reason.count, reason.example.line) for reason in count_reasons(rejects)] == [
        ("rank … occurs … times, expected 4", 2, 2),
        ("unknown symbol 'T' at card …; ten is written 0", 2, 3),
        ("unknown symbol … in stack …", 2, 7),
        ("stacks of unequal height: … cards", 2, 10),
        ("not connected: (…)", 2, 10),
        ("'" + "a" * 199, 1, 11),
    ]


@pytest.mark.slow
def test_a_file_of_another_game_has_few_reasons() -> None:
    """Each of them reads a hundred layouts of each other one. Patiences have one reader, so there are few of them."""
    some = [game for name, game in games().items() if name in QUICK]
    for game in some:
        for dealer in some:
            lines = enumerate(deal(dealer, 1, 1, 100), start=1)
            rejects = [entry for entry in game.read(lines) if isinstance(entry, Reject)]
            assert (len(rejects) > 0) == (game is not dealer)
            reasons = count_reasons(rejects)
            assert len(reasons) <= 12, (game.name, dealer.name, reasons)
