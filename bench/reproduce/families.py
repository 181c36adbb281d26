"""Surveys of all patiences and covering games: how many deals can be won. Referees check every verdict on the way."""

from collections.abc import Iterator

from bench.reproduce.surveys import Question
from dealmill import Store, Survey
from dealmill.pipeline.games import games
from dealmill.pipeline.games.covering import GAMES as COVERING_GAMES
from dealmill.pipeline.games.patience import GAMES as PATIENCES
from dealmill.verdicts import Verdict

DEALS, FEWER_DEALS = 10_000, 1_000
FEWER = (
    "bakers-dozen",
    "eight-off-any-card-spaces",
    "free-cell-4-pile",
    "free-cell-5-pile",
    "free-cell-6-pile",
    "free-cell-7-pile",
    "klondike-reserve",
    "mrs-mop",
    "penguin",
    "simple-simon",
    "spider",
    "spider-1-suit",
    "spider-2-suits",
    "spiderette",
    "thirty",
    "will-o-the-wisp",
)
"""Games of which `FEWER_DEALS` are searched: those of whole suits, some of whose deals take seconds, and the latest."""
NODES = {
    **dict.fromkeys(("bakers-dozen", "flower-garden", "free-cell-6-pile", "free-cell-7-pile"), 100_000),
    **dict.fromkeys(("klondike", "klondike-deal-1"), 1_000_000),
}
"""Lower limits of games whose survey would take long with the default limit."""
GAMES = {
    family.name: {
        name: game for name, game in games().items() if game.rules_text and game.rules_text.family == family.name
    }
    for family in (PATIENCES, COVERING_GAMES)
}
"""The games of each family, by name."""
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
    "pyramid": "66.53, of 1,500 decks",
    "pyramid-one-pass": "9.02",
    "seahaven-towers": "89.332",
    "tripeaks": "97.13, of 1,500 decks",
}
"""The winnable deals in per cent: of patiences, by Blake and Gent, The Winnability of Klondike Solitaire and Many Other
Patience Games, arXiv 1906.12314; of covering games, by the programs of `pyramid`, and by solitairewinrates.com."""
COLUMNS = ["game", "version", "winnable (95 %)", "won", "lost", "undecided", "published, %", "fingerprint", "command"]
COUNTS = ("winnable", "unwinnable", "undecided")


def question(name: str) -> Question:
    """How many deals of a game can be won."""
    count, [engine, *_] = FEWER_DEALS if name in FEWER else DEALS, games()[name].engines
    nodes = NODES.get(name, engine.max_nodes)
    return Question(f"{name}/winnable", games()[name].title, PUBLISHED.get(name, ""), count=count, max_nodes=nodes)


def check(name: str, survey: Survey) -> None:
    """Have the referees of a game replay each win, and count the positions of each loss.

    Raises
    ------
    InvalidEvidence
        If the evidence does not prove a verdict.
    """
    check = games()[name].compiled_check
    for result in survey.results():
        if result.verdict is not Verdict.UNDECIDED:
            check("winnable", result.layout, result.verdict, None, result.evidence or "")


def row(name: str, survey: Survey) -> list[str]:
    """The row of the table."""
    low, high, *_ = survey.figures.values()
    counts = [f"{survey.facts[count]:,}" for count in COUNTS]
    fingerprint = f"`{survey.fingerprint}`"
    asked = question(name)
    version = games()[name].engines[0].version.partition("-")[0]  # without the digest of the rules
    return [asked.what, version, f"{low} to {high}", *counts, asked.published, fingerprint, f"`{asked.command}`"]


def rows(store: Store, family: str) -> Iterator[list[str]]:
    """Yield the row of each game of a family."""
    for name in GAMES[family]:
        survey = question(name).survey(store)
        check(name, survey)
        yield row(name, survey)
