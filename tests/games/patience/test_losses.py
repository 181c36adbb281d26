"""How the form of the evidence of a loss is told from its text and the rules."""

import pytest

from dealmill.pipeline.games.patience.losses import read_loss
from dealmill.pipeline.games.patience.losses.counted import CountedLoss
from dealmill.pipeline.games.patience.losses.cut import CutLoss
from dealmill.pipeline.games.patience.losses.pieces import PiecesLoss
from dealmill.pipeline.games.patience.losses.quotient import QuotientLoss
from dealmill.pipeline.games.patience.losses.safe import SafeLoss
from dealmill.pipeline.games.patience.losses.swept import SweptLoss
from dealmill.pipeline.games.patience.losses.waits import WaitingLoss
from dealmill.pipeline.games.patience.losses.walks import WalkLoss
from tests.games.patience.files import rules_of


@pytest.mark.parametrize(
    ("name", "evidence", "form"),
    [
        ("klondike", "* 5", CountedLoss),
        ("klondike", "*6C4H 5", CountedLoss),
        ("klondike", "quotient * 5", QuotientLoss),
        ("yukon", "quotient * 5", PiecesLoss),
        ("golf", "* 5", SweptLoss),
        ("golf", "*6C4H 5", CountedLoss),
        ("black-hole", "* 5", CountedLoss),
        ("black-hole", "walks * 5", WalkLoss),
        ("fan", "cut * 5", CutLoss),
        ("freecell", "* 5", CountedLoss),
        ("freecell", "safe * 5", SafeLoss),
        ("freecell", "safe *6C4H 5", SafeLoss),
        ("scorpion", "waits * 5", WaitingLoss),
    ],
)
def test_the_first_word_and_the_rules_say_which_form_it_is(name: str, evidence: str, form: type) -> None:
    assert type(read_loss(rules_of(name), evidence)) is form
