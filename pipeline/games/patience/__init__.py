"""Patiences: each rules file in the folder ``rules`` is a game of this family."""

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from dealmill.game import (
    AnswerFormat,
    CheckEvidence,
    Deal,
    Deals,
    EngineFunction,
    Family,
    Frames,
    Game,
    MakePlayback,
    Nameless,
    Play,
    Read,
    ReadEachLine,
    ReadMoves,
    RulesText,
    Scenes,
    WriteLayout,
    careful_player,
    graded,
)
from dealmill.verdicts import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.games.patience.display.picture import PatienceDisplay
    from dealmill.pipeline.games.patience.player import RefereeOfPlays
    from dealmill.pipeline.games.patience.rules import Rules

MOVE_SECONDS, PLAIN_SECONDS, COMPILED_SECONDS, SWEEP_SECONDS, CHANCES_SECONDS = 2e-6, 4e-4, 4e-6, 2e-8, 0.5
"""About how long the referees take for a move of a win, a position of a loss, a sweep, and the plays of `chances`."""


class Patience(Game):
    """The game with some rules, and its functions, each imported when it is first used."""

    answer = AnswerFormat(winnable="winnable", unwinnable="unwinnable")
    has_statement = False

    def __init__(self, rules: "Rules", rules_text: RulesText) -> None:
        """Describe the game with these rules, as a record and as a text."""
        from dealmill.pipeline.games.patience.searches import search_of

        self.name, self.title, self.family = rules.name, rules.title, rules.family
        self.rules, self.rules_text = rules, rules_text
        winnable, chances = GAMES.engines_by(rules_text.digest, search_of(rules).engine(rules))
        self.engines = (winnable, graded(chances, rules.name))
        self.deals = GAMES.deals_by(rules_text.digest)
        self.reader = "passes left out are all passes" if rules.counts_passes else ""

    @cached_property
    def referee(self) -> "RefereeOfPlays":
        """The referee by the rules."""
        from dealmill.pipeline.games.patience.player import RefereeOfPlays

        return RefereeOfPlays(self.rules)

    @property
    def read(self) -> Read:
        from dealmill.pipeline.games.patience.reading.formats import read

        return partial(read, self.referee)

    @property
    def each_line(self) -> ReadEachLine:
        from dealmill.pipeline.games.patience.reading.formats import each_line

        return partial(each_line, self.referee)

    @property
    def writers(self) -> Mapping[str, WriteLayout]:
        from dealmill.pipeline.games.patience.reading.formats import writers

        return writers(self.rules)

    @property
    def notations(self) -> Mapping[str, ReadMoves]:
        from dealmill.pipeline.games.patience.reading.notation import PROGRAMS, covers, single_moves

        programs = PROGRAMS if covers(self.rules) else ()
        return {program: partial(single_moves, self.referee, program) for program in programs}

    def spellings(self, layout: str) -> tuple[str, ...]:
        from dealmill.pipeline.games.patience.reading.layout import spellings

        return spellings(self.rules, layout)

    @property
    def deal(self) -> Deal:
        from dealmill.pipeline.games.patience.deal import deal

        return partial(deal, self.rules)

    def last_deal(self, seed: int) -> int:
        from dealmill.pipeline.games.patience.schema import FIELD_SEED, NUMBERS

        return NUMBERS[self.rules.numbers][1] if seed == FIELD_SEED else super().last_deal(seed)

    def check_deals(self, seed: int) -> None:
        from dealmill.pipeline.games.patience.deal import check_numbers

        check_numbers(self.rules, seed)

    @property
    def solvers(self) -> Mapping[str, EngineFunction]:
        from dealmill.pipeline.games.patience.engine.chances import Chances
        from dealmill.pipeline.games.patience.engine.chances_of_copies import ChancesOfCopies
        from dealmill.pipeline.games.patience.searches import search_of

        winnable = search_of(self.rules).load()
        chances = ChancesOfCopies if self.rules.copies > 1 else Chances
        return {"winnable": winnable(self.rules), "chances": chances(self.rules)}

    @property
    def nameless(self) -> Nameless:
        from dealmill.pipeline.games.patience.reading.layout import nameless

        return partial(nameless, self.rules)

    @property
    def check(self) -> CheckEvidence:
        return self.referee

    @property
    def compiled_check(self) -> CheckEvidence:
        from dealmill.pipeline.games.patience.compiled.referee import CompiledReferee

        return CompiledReferee(self.rules)

    def check_seconds(self, engine: str, verdict: Verdict, evidence: str) -> float:
        if engine == "chances":
            return CHANCES_SECONDS
        if verdict is not Verdict.UNWINNABLE:
            return MOVE_SECONDS * (evidence.count(" ") + 1)
        from dealmill.pipeline.games.patience.losses.counted import MAX_PLAIN
        from dealmill.pipeline.games.patience.losses.swept import can_be_swept

        digits = evidence.rpartition(" ")[2]
        positions = int(digits) if digits.isdecimal() and len(digits) <= 10 else 1
        if evidence.startswith("* ") and can_be_swept(self.rules):
            return positions * SWEEP_SECONDS
        is_plain = positions <= MAX_PLAIN or self.rules.copies > 1
        return positions * (PLAIN_SECONDS if is_plain else COMPILED_SECONDS)

    @cached_property
    def display(self) -> "PatienceDisplay":
        """What shows positions and evidence."""
        from dealmill.pipeline.games.patience.display.picture import PatienceDisplay

        return PatienceDisplay(self.referee)

    @property
    def frames(self) -> Frames:
        return self.display.frames

    @property
    def scenes(self) -> Scenes:
        return self.display.scenes

    @property
    def playback(self) -> MakePlayback:
        from dealmill.pipeline.games.patience.display.playback import playback

        return partial(playback, self.referee)

    @property
    def play(self) -> Play:
        from dealmill.pipeline.games.patience.display.table import Table

        return partial(Table, self.display)


class Patiences(Family):
    """The family of all patiences: a rules file is a game."""

    name = "patience"
    folder = Path(__file__).parent / "rules"
    engines = (careful_player("3"),)
    """The other one, ``winnable``, is the search by which a game is decided: `searches`."""
    deals = Deals("1", limited=True)
    aliases: Mapping[str, str] = {"free-cell": "freecell"}
    """The names of Solvitaire's presets where ours differ."""

    def load(self, name: str, text: str) -> Patience:
        """Return the game `name` with the rules in a text."""
        from dealmill.pipeline.games.patience.schema import canonical_rules, digest_of_rules, parse_rules

        rules = parse_rules(name, text)
        return Patience(rules, RulesText(digest_of_rules(rules), self.name, canonical_rules(rules)))

    def changed(self, text: str, changes: Mapping[str, str]) -> str:
        """Return a text of rules in which some keys have other values."""
        from dealmill.pipeline.games.patience.schema import changed_rules, parse_rules

        return changed_rules(parse_rules("", text), changes)


GAMES = Patiences()
