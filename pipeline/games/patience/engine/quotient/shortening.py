"""Shorter wins of the quotient: its moves are played in the words of the plain search, which shortens its own."""

from collections.abc import Iterable

import numpy as np

from dealmill.kernels import kernel, pointer_to
from dealmill.pipeline.games.patience.engine.plain import engine
from dealmill.pipeline.games.patience.engine.plain import words as k
from dealmill.pipeline.games.patience.engine.plain.moves import draw_by_the_rules
from dealmill.pipeline.games.patience.engine.plain.settling import settle
from dealmill.pipeline.games.patience.engine.plain.shortening import play_again, shorten
from dealmill.pipeline.games.patience.engine.plain.start import prepare
from dealmill.pipeline.games.patience.engine.plain.words import Words
from dealmill.pipeline.games.patience.engine.quotient.arranging import FOUNDATION
from dealmill.pipeline.games.patience.rules import Rules

FEWEST_MOVES = 2_000
"""The moves of a win for which there is room at first."""


class Shortener:
    """Shortens the wins of a game."""

    def __init__(self, rules: Rules) -> None:
        """Prepare nothing: room is taken with the first win."""
        self.rules = rules
        self.words = np.empty(0, dtype=np.int64)
        self.most_moves = 0

    def shortened(self, layout: str, moves: Iterable[tuple[int, int]]) -> str:
        """Return the evidence of a win with fewer moves: cards, and those that they go onto,
        see `Arrangement`."""
        pairs = [(card, k.FOUNDATION if below == FOUNDATION else below) for card, below in moves]
        if len(pairs) >= self.most_moves:
            self.most_moves = max(2 * len(pairs), FEWEST_MOVES)
            self.words = engine.array_for(self.rules, self.most_moves)
        base = engine.load(self.words, self.rules, layout)
        array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        if not _shorten(self.words, np.ascontiguousarray(array[:, 0]), np.ascontiguousarray(array[:, 1])):
            raise RuntimeError("a win of the quotient is not one of the game")
        return engine.words_of_win(self.words, base, self.rules)


@kernel
def _shorten(words: Words, cards: Words, places: Words) -> bool:
    """Play moves, and shorten the win until it gets no shorter. Return False if it is none."""
    s = pointer_to(words)
    prepare(s)
    s[k.IDLE], s[k.LITERAL], s[k.NOISE] = 0, 1, 0
    draw_by_the_rules(s)
    settle(s)
    for at in range(len(cards)):
        if not play_again(s, cards[at] | places[at] << 6):
            return False
    if s[k.LEFT] != 0:
        return False
    moves = s[k.DONE] + 1
    while s[k.DONE] < moves:
        moves = s[k.DONE]
        if not shorten(s):
            return False
    return True
