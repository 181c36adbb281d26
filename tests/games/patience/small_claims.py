"""Claims of losses by a relaxed game, for small decks by random rules."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from dealmill.pipeline.games.batch import to_strings
from dealmill.pipeline.games.patience.compiled import counting
from dealmill.pipeline.games.patience.compiled.referee import check_loss
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.losses.cut import cut_proves_losses
from dealmill.pipeline.games.patience.referee import Referee
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import InvalidEvidence, Verdict
from tests.games.patience.random_rules import random_rules, random_spider_rules

CLAIM = 2_000
WON, MORE = "the game can be won", f"more than {CLAIM:,} positions can be reached"
EASIER_WON = "the easier game can be won"


def small_decks(seed: int) -> Iterator[tuple[Rules, str]]:
    """Yield deals and random positions of small decks by random rules for which the form is made."""
    random = Random(seed)
    rules = (random_rules if seed % 2 else random_spider_rules)(random)
    rules = replace(rules, cells=rules.filled)
    if cut_proves_losses(rules):
        yield from ((rules, text) for text in to_strings(deal(rules, seed, 1, 2)))
        yield from ((rules, random_position(rules, random)) for _ in range(3))


def reason(check: Callable[[], object]) -> str:
    try:
        check()
    except InvalidEvidence as error:
        return error.reason
    return ""


def counted(rules: Rules, text: str, form: str, claim: int = CLAIM) -> str:
    """Return what the compiled referee says of a claim that is not true."""
    return reason(lambda: check_loss(rules, text, read_loss(rules, f"{form} {claim}")))


def counted_in_full(rules: Rules, text: str, claim: int = CLAIM) -> str:
    """Return what the compiled referee of games of all kinds says of such a claim of all positions."""
    return reason(lambda: counting.check_count(rules, text, CountedLoss(None, claim)))


def assert_that_referees_agree(rules: Rules, text: str, form: str) -> None:
    """Check that plain Python and compiled code say the same of a claim that is not true, and count the same positions
    move by move."""
    check = Referee(rules)
    plain = reason(lambda: check("winnable", text, Verdict.UNWINNABLE, None, f"{form} {CLAIM}"))
    compiled = counted(rules, text, form)
    assert plain == compiled or {plain, compiled} in ({WON, MORE}, {EASIER_WON, MORE}), (rules, text, form)
    if "can be reached, not" in plain:
        loss = read_loss(rules, f"{form} {plain.split(' ')[0].replace(',', '')}")
        assert check_loss(rules, text, loss) == list(loss.counts(check, check.position(text), CLAIM))
