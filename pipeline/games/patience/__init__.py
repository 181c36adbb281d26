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
    Engine,
    EngineFunction,
    Frames,
    Game,
    Nameless,
    Read,
    ReadEachLine,
    Scenes,
    WriteLayout,
)

if TYPE_CHECKING:
    from dealmill.pipeline.games.patience.rules import Referee, Rules

KERNEL, DEALING = "2", "1"
"""The versions of the engine and of the deals for all rules. Those of a game add the digest of its rules."""
MAX_NODES = 1_000_000


class Patience(Game):
    """The game of a rules file, and its functions, each imported when it is first used."""

    answer = AnswerFormat(winnable="winnable", unwinnable="unwinnable")
    has_statement = False

    def __init__(self, path: Path) -> None:
        """Describe the game of a rules file, which is read when its title, its engines or its rules are needed."""
        self.path = path
        self.name = path.stem

    @cached_property
    def rules(self) -> "Rules":
        """The rules in the file."""
        from dealmill.pipeline.games.patience.schema import parse_rules

        return parse_rules(self.name, self.path.read_text(encoding="utf-8"), self.path)

    @cached_property
    def rules_text(self) -> str:  # type: ignore[override]
        """The rules, with all keys."""
        from dealmill.pipeline.games.patience.schema import canonical_rules

        return canonical_rules(self.rules)

    @cached_property
    def _digest(self) -> str:
        from dealmill.pipeline.games.patience.schema import digest_of_rules

        return digest_of_rules(self.rules)

    @cached_property
    def referee(self) -> "Referee":
        """The referee by the rules."""
        from dealmill.pipeline.games.patience.rules import Referee

        return Referee(self.rules)

    @cached_property
    def title(self) -> str:  # type: ignore[override]
        """The name of the game for people."""
        return self.rules.title

    @cached_property
    def family(self) -> str:  # type: ignore[override]
        """The heading under which games are listed."""
        return self.rules.family

    @cached_property
    def engines(self) -> tuple[Engine, ...]:  # type: ignore[override]
        """The engine of all patiences."""
        return (
            Engine(
                "winnable",
                f"{KERNEL}-{self._digest}",
                "whether it can be won if all cards are known, also those that lie face down",
                "won: the moves, each a card and where it goes: `6H7S` onto a card, or `f`, `c`, `e`, `h` for "
                "foundation, cell, empty column, hole; lost: `6C4H 1`, the cards that matter and "
                "the positions that can be reached if all others are out of the way, or `* 7276`, those with all cards",
                complete=False,
                max_nodes=MAX_NODES,
            ),
        )

    @cached_property
    def deals(self) -> Deals:  # type: ignore[override]
        """Its numbered deals."""
        return Deals(f"{DEALING}-{self._digest}", limited=True)

    @property
    def read(self) -> Read:
        from dealmill.pipeline.games.patience.formats import read

        return partial(read, self.referee)

    @property
    def each_line(self) -> ReadEachLine:
        from dealmill.pipeline.games.patience.formats import each_line

        return partial(each_line, self.referee)

    @property
    def writers(self) -> Mapping[str, WriteLayout]:
        from dealmill.pipeline.games.patience.formats import writers

        return writers(self.rules)

    @property
    def deal(self) -> Deal:
        from dealmill.pipeline.games.patience.deal import deal

        return partial(deal, self.rules)

    @property
    def solvers(self) -> Mapping[str, EngineFunction]:
        from dealmill.pipeline.games.patience.engine import Winnable

        return {"winnable": Winnable(self.rules)}

    @property
    def nameless(self) -> Nameless:
        from dealmill.pipeline.games.patience.layout import nameless

        return nameless

    @property
    def check(self) -> CheckEvidence:
        return self.referee

    @property
    def compiled_check(self) -> CheckEvidence:
        from dealmill.pipeline.games.patience.counting import CompiledReferee

        return CompiledReferee(self.rules)

    @property
    def frames(self) -> Frames:
        from dealmill.pipeline.games.patience.picture import frames

        return partial(frames, self.referee)

    @property
    def scenes(self) -> Scenes:
        from dealmill.pipeline.games.patience.picture import scenes

        return partial(scenes, self.referee)


GAMES = tuple(map(Patience, sorted((Path(__file__).parent / "rules").glob("*.toml"))))
