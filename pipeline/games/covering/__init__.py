"""Covering games: each rules file in the folder ``rules`` is a game of this family."""

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from dealmill.game import (
    AnswerFormat,
    CheckEvidence,
    Deal,
    Deals,
    Engine,
    EngineFunction,
    Family,
    Frames,
    Game,
    MakePlayback,
    Nameless,
    Play,
    Read,
    ReadEachLine,
    RulesText,
    Scenes,
    careful_player,
    graded,
)
from dealmill.verdicts import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.games.covering.picture import CoveringDisplay
    from dealmill.pipeline.games.covering.player import RefereeOfPlays
    from dealmill.pipeline.games.covering.rules import Rules

MOVE_SECONDS, PLAIN_SECONDS, COMPILED_SECONDS, SWEEP_SECONDS, CHANCES_SECONDS = 2e-4, 4e-4, 4e-6, 1e-8, 3.0
"""About how long the referees take for a move of a win, a position of a loss of pairs, a loss in a hole, and the plays
of `chances`."""
SUMMARY = "whether it can be won if all cards are known, also those that lie face down"
WINNABLE = {
    "hole": Engine(
        "winnable",
        "1",
        SUMMARY,
        "the cards that go into the hole, also those of the stock: `7Hh`",
        evidence_of_loss="how many positions can be reached: `* 372804`",
    ),
    "pairs": Engine(
        "winnable",
        "1",
        SUMMARY,
        "the cards that leave: a pair, `QSAH`, or a king, `KD`",
        complete=False,
        max_nodes=10_000_000,
        evidence_of_loss="the lower ranks of the pairs that matter, `*A5`, and how many positions can be reached if "
        "all others leave as soon as they can; `stock` in front if the order of the stock matters",
    ),
}
"""The engine that decides a game, by its moves."""


class CoveringGame(Game):
    """The game with some rules, and its functions, each imported when it is first used."""

    answer = AnswerFormat(winnable="winnable", unwinnable="unwinnable")
    has_statement = False

    def __init__(self, rules: "Rules", rules_text: RulesText) -> None:
        """Describe the game with these rules, as a record and as a text."""
        self.name, self.title, self.family = rules.name, rules.title, rules.family
        self.rules, self.rules_text = rules, rules_text
        winnable, chances = GAMES.engines_by(rules_text.digest, WINNABLE[rules.moves])
        self.engines = (winnable, graded(chances, rules.name))
        self.deals = GAMES.deals_by(rules_text.digest)

    @cached_property
    def referee(self) -> "RefereeOfPlays":
        """The referee by the rules."""
        from dealmill.pipeline.games.covering.player import RefereeOfPlays

        return RefereeOfPlays(self.rules)

    @property
    def read(self) -> Read:
        from dealmill.pipeline.games.covering.layout import read

        return partial(read, self.referee)

    @property
    def each_line(self) -> ReadEachLine:
        from dealmill.pipeline.games.covering.layout import each_line

        return partial(each_line, self.referee)

    @property
    def deal(self) -> Deal:
        from dealmill.pipeline.games.covering.deal import deal

        return partial(deal, self.rules)

    def last_deal(self, seed: int) -> int:
        from dealmill.pipeline.games.covering.schema import LAST_PYSOL, PYSOL_SEED

        return LAST_PYSOL if seed == PYSOL_SEED else super().last_deal(seed)

    @property
    def solvers(self) -> Mapping[str, EngineFunction]:
        from dealmill.pipeline.games.covering.chances import Chances
        from dealmill.pipeline.games.covering.engine import Winnable

        return {"winnable": Winnable(self.rules), "chances": Chances(self.rules)}

    @property
    def nameless(self) -> Nameless:
        from dealmill.pipeline.games.covering.layout import nameless

        return nameless

    @property
    def check(self) -> CheckEvidence:
        return self.referee

    @property
    def compiled_check(self) -> CheckEvidence:
        if self.rules.moves == "hole":
            return self.referee
        from dealmill.pipeline.games.covering.counting import CompiledReferee

        return CompiledReferee(self.rules)

    def check_seconds(self, engine: str, verdict: Verdict, evidence: str) -> float:
        if engine == "chances":
            return CHANCES_SECONDS
        if verdict is not Verdict.UNWINNABLE:
            return MOVE_SECONDS * (evidence.count(" ") + 1)
        digits = evidence.rpartition(" ")[2]
        positions = int(digits) if digits.isdecimal() and len(digits) <= 10 else 1
        if self.rules.moves == "hole":
            return positions * SWEEP_SECONDS
        from dealmill.pipeline.games.covering.referee import MAX_PLAIN

        return positions * (PLAIN_SECONDS if positions <= MAX_PLAIN else COMPILED_SECONDS)

    @cached_property
    def display(self) -> "CoveringDisplay":
        """What shows positions and evidence."""
        from dealmill.pipeline.games.covering.picture import CoveringDisplay

        return CoveringDisplay(self.referee)

    @property
    def frames(self) -> Frames:
        return self.display.frames

    @property
    def scenes(self) -> Scenes:
        return self.display.scenes

    @property
    def playback(self) -> MakePlayback:
        from dealmill.pipeline.games.covering.playback import playback

        return partial(playback, self.referee)

    @property
    def play(self) -> Play:
        from dealmill.pipeline.games.covering.table import Table

        return partial(Table, self.display)


class CoveringGames(Family):
    """The family of all covering games: a rules file is a game."""

    name = "covering"
    folder = Path(__file__).parent / "rules"
    table = "arrangement"
    engines = (careful_player("1"),)
    """The other one is in `WINNABLE`."""
    deals = Deals("1", limited=True)
    aliases: Mapping[str, str] = {"relaxed-pyramid": "pyramid"}
    """PySolFC's name for the rules of Microsoft's Pyramid."""

    def load(self, name: str, text: str) -> CoveringGame:
        """Return the game `name` with the rules in a text."""
        from dealmill.pipeline.games.covering.schema import canonical_rules, digest_of_rules, parse_rules

        rules = parse_rules(name, text)
        return CoveringGame(rules, RulesText(digest_of_rules(rules), self.name, canonical_rules(rules)))

    def changed(self, text: str, changes: Mapping[str, str]) -> str:
        """Return a text of rules in which some keys have other values."""
        from dealmill.pipeline.games.covering.schema import changed_rules, parse_rules

        return changed_rules(parse_rules("", text), changes)


GAMES = CoveringGames()
