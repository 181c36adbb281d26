"""The attack on the statement of docs/proofs/patience.md, which proves losses of patiences by a few cards: a deal that
can be won can be won in the easier game, too, whatever the live cards.

Both games are searched to the end by `naive` and `easier`, plain code that was written from the statements alone, for
decks with up to four ranks. `agreement` compares the engine and the referees with the same code.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.patience import Patience
from dealmill.pipeline.games.patience.losses.counted import cards_may_be_absent_at_once, easier_game_is_sound
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences import easier, naive
from dealmill.testing.patiences.agreement import the_engine_and_the_referees_agree_with_plain_code
from dealmill.testing.patiences.small import with_small_deck
from dealmill.testing.subject import Subject, require

SMALL_DECKS = 60
DEALS = 2
"""Deals for each small deck."""
POSITIONS = 300
"""Games with more positions, real or easier ones, are passed over."""
SHARES = (0.3, 0.5, 0.7, 0.9)
"""Shares of cards that are live, in random sets."""
SETS = 4
"""Sets of live cards for each share."""
WON, LOST, PASSED_OVER = "won", "lost", "passed over"


def deals_that_can_be_won_can_be_won_in_the_easier_game(subject: Subject) -> str:
    """By the rules of the game, with small decks."""
    assert isinstance(subject.game, Patience)  # noqa: S101 -- see `checks`
    deals, outcomes, violations = 0, Counter[str](), list[str]()
    for seed in range(1, SMALL_DECKS + 1):
        random = Random(seed)
        small = with_small_deck(subject.game.rules, random)
        for layout in winnable_deals(small, seed):
            deals += 1
            for live, outcome in attacked(small, layout, random):
                outcomes[outcome] += 1
                if outcome == LOST:
                    violations.append(f"{layout} (ranks = {small.ranks}, cells = {small.cells}) with {live}")
    summary = (
        f"{deals:,} deals of small decks can be won; easier games with some of their cards: {outcomes.total():,}, "
        f"lost: {outcomes[LOST]:,}, passed over: {outcomes[PASSED_OVER]:,}"
    )
    require(not violations, f"{summary}; a lost one: {min(violations, key=len, default='')}")
    return summary


def winnable_deals(rules: Rules, seed: int) -> Iterator[str]:
    """Yield those of the first deals that can be won."""
    from dealmill.pipeline.games.patience.deal import deal  # loads numba

    for layout in to_strings(deal(rules, seed, 1, DEALS)):
        if naive.counted(layout, rules, POSITIONS) == (True, 0):
            yield layout


def attacked(rules: Rules, layout: str, random: Random) -> Iterator[tuple[str, str]]:
    """Yield random sets of live cards, and the outcomes of the easier games with them: the idle cards are where they
    are, or where that is sound, absent from the start."""
    for number, share in enumerate(SETS * SHARES):
        live = {card for card in naive.cards("".join(rules.deck())) if random.random() < share}
        at_once = number % 2 == 1 and cards_may_be_absent_at_once(rules)
        counted = easier.counted(layout, rules, live, POSITIONS, at_once=at_once)
        outcome = PASSED_OVER if counted is None else WON if counted[0] else LOST
        yield "".join(card.name for card in sorted(live)), outcome


def checks(game: Game) -> tuple[Callable[[Subject], str], ...]:
    """Return the checks of a game beyond those that every game meets: those of patiences, one of them only if some
    cards can prove a loss."""
    if not isinstance(game, Patience):
        return ()
    if not easier_game_is_sound(game.rules):
        return (the_engine_and_the_referees_agree_with_plain_code,)
    return the_engine_and_the_referees_agree_with_plain_code, deals_that_can_be_won_can_be_won_in_the_easier_game
