"""The result of one layout: the form in which verdicts leave the pipeline, and that in which runs are compared."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from dealmill.pipeline.errors import DealmillError, InvalidEvidence, UsageError
from dealmill.pipeline.evidence.referee import Judgement, judge, too_long
from dealmill.pipeline.games import EngineKey, RecordedEngine, engine_of_run, find_engine
from dealmill.pipeline.games.contract import Game
from dealmill.pipeline.games.descriptions import Engine, RulesText, is_claim
from dealmill.pipeline.games.pictures import Scene, sheet
from dealmill.pipeline.games.reading import is_canonical
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import counted
from dealmill.pipeline.results.record import JUDGEMENT, RESULT
from dealmill.pipeline.system.atomic import atomic_file

if TYPE_CHECKING:
    from dealmill.pipeline.games.playback import Playback

Part = TypeVar("Part", str, Scene)


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """What a run says of a layout: its position, and the fields of an `ANSWER`. `position` is None if the run does not
    have the layout, `verdict` if it has no verdict on it."""

    position: int | None
    verdict: Verdict | None = None
    value: int | None = None
    evidence: str | None = None

    @property
    def unproved(self) -> bool:
        """Whether the verdict is a claim without evidence."""
        return is_claim(self.verdict, self.evidence)


@dataclass(frozen=True, slots=True)
class Result:
    """A verdict with its layout and its evidence.

    `engine` is a full name such as ``memory/two-pass``. `value` is None unless the verdict is scored. `evidence` is
    None if the verdict is undecided or a claim, and the text of the error if it is failed. `position` counts the
    layouts of a run or a call from 1; `line` is the line in the file, or the number of the deal, and 0 for a deal that
    an imported list leaves out. `run` is None if the result is not stored. `judgement` is that of the newest audit, if
    the query asked for it. If the verdict was imported for an engine that exists only on record, it is checked as one
    of the installed engine `checked_as`. `rules` are the recorded rules of the game, if there are some.
    """

    engine: str
    layout: str
    verdict: Verdict
    value: int | None
    nodes: int
    evidence: str | None
    position: int
    line: int
    run: int | None = None
    judgement: Judgement | None = None
    checked_as: str | None = None
    rules: RulesText | None = None

    COLUMNS: ClassVar = ("item", *(field.name for field in sorted(RESULT[1:], key=lambda field: field.is_text)))
    """The columns of `row`; texts, which can be long, come last."""
    AUDIT_COLUMNS: ClassVar = tuple(field.name for field in JUDGEMENT)
    """The columns that `row` has if there is a judgement."""

    @property
    def item(self) -> str | None:
        """``RUN:POSITION``, which identifies the result in the store; None if it is not stored."""
        return None if self.run is None else f"{self.run}:{self.position}"

    @property
    def unproved(self) -> bool:
        """Whether the verdict is a claim without evidence, as programs and imports can give."""
        return is_claim(self.verdict, self.evidence)

    @property
    def grade(self) -> int | None:
        """The grade of difficulty by the value or, of a win, by the nodes (see `Engine.grades`); None if the engine has
        no grades, or the verdict is another one."""
        _, engine = self.game_and_engine
        if engine.scores:
            return None if self.value is None else engine.grade(self.value)
        return engine.grade(self.nodes) if self.verdict is Verdict.WINNABLE else None

    @property
    def row(self) -> dict[str, object]:
        """The result as a row of ``dealmill query``, by column."""
        row: dict[str, object] = {name: getattr(self, name) for name in self.COLUMNS}
        row["verdict"] = self.verdict.word
        if judged := self.judgement:
            row |= {"audit": judged.outcome.word, "step": judged.step, "reason": judged.reason}
        return row

    @property
    def game_and_engine(self) -> tuple[Game, Engine]:
        """The game and the engine, which is the one that it is checked as if its own exists only on record.

        Raises
        ------
        VersionError
            If the result is of a run whose engine is not installed here.
        """
        return find_engine(self._rules_engine) if self.run is None else engine_of_run(self.run, self._rules_engine)

    @property
    def _rules_engine(self) -> EngineKey:
        name = self.checked_as or self.engine
        return name if self.run is None else RecordedEngine(name, self.rules)

    def check(self) -> Judgement:
        """Check the evidence with the referee of the game."""
        if self.run is not None:
            _ = self.game_and_engine  # raises an error that names the run
        imported = self.checked_as is not None
        return judge(self._rules_engine, self.layout, self.verdict, self.value, self.evidence, imported=imported)

    def why_undecided(self, max_nodes: int | None) -> str | None:
        """Return why the result is undecided, in words, by the node limit of its run; None if it has another verdict.

        Below the limit, an engine gives up if it cannot decide the layout.
        """
        if self.verdict is not Verdict.UNDECIDED:
            return None
        if max_nodes is not None and self.nodes >= max_nodes:
            return f"the search reached the limit of {counted(max_nodes, 'node')}; a higher limit may decide it"
        return "the engine gave up before it reached a node limit; a higher limit does not help"

    def frames(self) -> Iterator[str]:
        """Return an iterator over text boards: the layout first, then one per step of the evidence.

        It is empty if the recorded text is not a layout.
        """
        return self._drawn(lambda game: game.frames(self.layout, self.verdict, self.evidence))

    def scenes(self) -> Iterator[Scene]:
        """Return an iterator over pictures: the layout first, then one per step of the evidence.

        A certificate of card pairing has one per case. It is empty if the recorded text is not a layout.
        """
        return self._drawn(lambda game: game.scenes(self.layout, self.verdict, self.evidence))

    def _drawn(self, draw: Callable[[Game], Iterator[Part]]) -> Iterator[Part]:
        """Yield what the game draws.

        Raises
        ------
        InvalidEvidence
            If the layout or the evidence is too long.
        DealmillError
            If the game raises an error that is not one of evidence.
        """
        game, _ = self.game_and_engine
        if reason := too_long(self.layout, self.evidence):
            raise InvalidEvidence(0, reason)
        if self.verdict is Verdict.FAILED and not is_canonical(game, self.layout):
            return
        try:
            yield from draw(game)
        except (DealmillError, MemoryError):
            raise
        except Exception as error:
            raise DealmillError(
                f"{game.name} cannot draw layout {self.layout}: {type(error).__name__}: {error}; show the traceback "
                f"with: dealmill check-game {game.name}"
            ) from error

    def playback(self) -> "Playback | None":
        """Return the table and the moves of the solution as data, for programs that show it.

        None if the game does not tell, or the recorded text is not a layout. There are no steps if the evidence is no
        play, such as the proof of a loss.

        Raises
        ------
        InvalidEvidence
            If the evidence cannot be followed to the end.
        """
        game, _ = self.game_and_engine
        if reason := too_long(self.layout, self.evidence):
            raise InvalidEvidence(0, reason)
        if game.playback is None or not is_canonical(game, self.layout):
            return None
        return game.playback(self.layout, self.verdict, self.evidence)

    def svg(self, step: int | None = None, *, open_cards: bool = False) -> str:
        """Return an SVG document with all pictures and captions, in rows as wide as a screen, or with one picture (0:
        the layout).

        Cards that lie face down and those of the stock show their backs, unless `open_cards`; a proof shows them.

        Raises
        ------
        InvalidEvidence
            If the evidence cannot be drawn.
        UsageError
            If there is no such picture.
        """
        scenes = [scene if open_cards else scene.closed for scene in self.scenes()]
        if not scenes:
            raise UsageError("there is no picture, because the recorded text is not a layout")
        if step is None:
            return sheet(scenes)
        if not 0 <= step < len(scenes):
            raise UsageError(f"there is no step {step}, expected 0 to {len(scenes) - 1}")
        return scenes[step].svg

    def png(self, step: int | None = None, *, open_cards: bool = False) -> bytes:
        """Return the document of `svg` as a PNG image, with two pixels for each of its units.

        Raises
        ------
        InvalidEvidence
            If the evidence cannot be drawn.
        UsageError
            If there is no such picture, it is too large, or the extra ``pictures`` is not installed.
        """
        from dealmill.pipeline.games.png import to_png  # needed for this only

        return to_png(self.svg(step, open_cards=open_cards))

    def write_picture(self, file: str | os.PathLike[str], step: int | None = None, *, open_cards: bool = False) -> None:
        """Write the document of `svg` to a file, as a PNG image if its name ends with ``.png``.

        The file is written whole or not at all, and a database is never replaced.

        Raises
        ------
        InvalidEvidence
            If the evidence cannot be drawn.
        OutputError
            If the file cannot be written.
        UsageError
            If there is no such picture, it is too large, or the extra ``pictures`` is not installed.
        """
        path = Path(file)
        is_png = path.suffix.lower() == ".png"
        contents = (
            self.png(step, open_cards=open_cards) if is_png else f"{self.svg(step, open_cards=open_cards)}\n".encode()
        )
        with atomic_file(path, force=True) as stream:
            stream.write(contents)

    def _repr_svg_(self) -> str | None:
        """Return what a notebook shows: the layout, the first step, one in the middle and the last."""
        try:
            scenes = [scene.closed for scene in self.scenes()]
        except InvalidEvidence:
            return None
        chosen = sorted({0, min(1, len(scenes) - 1), len(scenes) // 2, len(scenes) - 1})
        return sheet([scenes[number] for number in chosen], columns=2) if scenes else None
