"""Claims of losses by a relaxed game, for small decks by random rules."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from dealmill.pipeline.games.batch import unpack
from dealmill.pipeline.games.patience.compiled import check_loss
from dealmill.pipeline.games.patience.deal import deal
from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.cut import cut_proves_losses
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.testing.patiences.small import random_position
from dealmill.verdicts import InvalidEvidence
from tests.games.patience.random_rules import random_rules, random_spider_rules

CLAIM = 2_000
WON, MORE = "the game can be won", f"more than {CLAIM:,} positions can be reached"


def small_decks(seed: int) -> Iterator[tuple[Rules, str]]:
    """Yield deals and random positions of small decks by random rules for which the form is made."""
    random = Random(seed)
    rules = (random_rules if seed % 2 else random_spider_rules)(random)
    rules = replace(rules, cells=rules.filled)
    if cut_proves_losses(rules):
        yield from ((rules, text) for text in unpack(deal(rules, seed, 1, 2)))
        yield from ((rules, random_position(rules, random)) for _ in range(3))


def reason(check: Callable[[], object]) -> str:
    try:
        check()
    except InvalidEvidence as error:
        return error.reason
    return ""


def counted(rules: Rules, text: str, form: str) -> str:
    """Return what the compiled referee says of a claim that is not true."""
    return reason(lambda: check_loss(rules, text, read_loss(rules, f"{form} {CLAIM}")))
