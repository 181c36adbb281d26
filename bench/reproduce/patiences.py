"""Surveys of all patiences: how many deals can be won. Referees check every verdict on the way."""

from collections.abc import Iterator

from bench.reproduce.surveys import Question
from dealmill import Store, Survey
from dealmill.pipeline.games import games
from dealmill.pipeline.games.patience import Patience
from dealmill.verdicts import Verdict

DEALS, FEWER_DEALS = 10_000, 1_000
HARD = (
    "mrs-mop",
    "simple-simon",
    "spider",
    "spider-1-suit",
    "spider-2-suits",
    "spiderette",
    "will-o-the-wisp",
)
"""Games of whole suits, some of whose deals take seconds, so `FEWER_DEALS` are searched."""
NODES = {"flower-garden": 100_000, "klondike": 1_000_000, "klondike-deal-1": 1_000_000}
"""Lower limits of games whose survey would take hours with the default limit."""
PATIENCES = {name: game for name, game in games().items() if isinstance(game, Patience)}
PUBLISHED = {
    "bakers-game": "75.053",
    "beleaguered-castle": "68.170",
    "black-hole": "86.944",
    "canfield": "71.24",
    "eight-off": "99.88",
    "freecell": "99.9988",
    "golf": "45.109",
    "king-albert": "68.54",
    "klondike": "81.945 ± 0.084",
    "seahaven-towers": "89.332",
}
"""The winnable deals in per cent, by Blake and Gent, The Winnability of Klondike Solitaire and Many Other Patience
Games, arXiv 1906.12314."""
COLUMNS = ["game", "version", "winnable (95 %)", "won", "lost", "undecided", "published, %", "fingerprint", "command"]
COUNTS = ("winnable", "unwinnable", "undecided")


def question(name: str) -> Question:
    """How many deals of a patience can be won."""
    count = FEWER_DEALS if name in HARD else DEALS
    nodes = NODES.get(name, PATIENCES[name].engines[0].max_nodes)
    return Question(f"{name}/winnable", PATIENCES[name].title, PUBLISHED.get(name, ""), count=count, max_nodes=nodes)


def check(name: str, survey: Survey) -> None:
    """Have the referees of a patience replay each win, and count the positions of each loss.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove a verdict.
    """
    game = PATIENCES[name]
    for result in survey.results():
        if result.verdict is not Verdict.UNDECIDED:
            game.compiled_check("winnable", result.layout, result.verdict, None, result.evidence or "")


def row(name: str, survey: Survey) -> list[str]:
    """The row of the table."""
    low, high, *_ = survey.figures.values()
    counts = [f"{survey.facts[count]:,}" for count in COUNTS]
    fingerprint = f"`{survey.fingerprint}`"
    asked = question(name)
    version = PATIENCES[name].engines[0].version.partition("-")[0]  # without the digest of the rules
    return [asked.what, version, f"{low} to {high}", *counts, asked.published, fingerprint, f"`{asked.command}`"]


def rows(store: Store) -> Iterator[list[str]]:
    """Yield the row of each patience."""
    for name in PATIENCES:
        survey = question(name).survey(store)
        check(name, survey)
        yield row(name, survey)
