"""Card pairing: remove pairs of cards of the same rank from the tops of the stacks until no card is left."""

from dealmill.game import AnswerFormat, Deals, Engine, Game, Parameter
from dealmill.verdicts import Verdict


class CardPairing(Game):
    """The description of Card pairing."""

    name = "card-pairing"
    title = "Card pairing"
    engines = (
        Engine(
            "winnable",
            "1",
            "whether any play wins",
            "the pairs of stacks in the order of removal, `25 46 06`",
            evidence_of_loss="the ranks to pair off in every way until each way jams, `K7`; or, after `+`, lemmas",
            grades=(9, 11, 16),
            fast=True,
        ),
        Engine(
            "odds",
            "1",
            "how likely random play wins, in millionths",
            "the chance, the winning orders, the critical choices, and the positions that can be reached",
            complete=False,
            measures={"critical": 2},
            value_text=lambda value: f"{value:,} millionths ({value / 10_000:.3g} %)" if value else "0, lost",
            lost_value=0,
        ),
    )
    deals = Deals(
        "1",
        {
            "ranks": Parameter(9, 1, 512, "ranks in the deck"),
            "suits": Parameter(4, 2, 64, "cards of each rank, an even number"),
            "stacks": Parameter(9, 2, 1_024, "stacks"),
        },
    )
    answer = AnswerFormat(between=" ", winnable="yes", unwinnable="no")

    def check_seconds(self, engine: str, _verdict: Verdict, _evidence: str) -> float:
        return 4e-3 if engine == "odds" else 5e-5


GAME = CardPairing()
