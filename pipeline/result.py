"""The result of one layout: the form in which every verdict leaves the pipeline."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.reading import is_canonical
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Judgement, judge

if TYPE_CHECKING:
    from dealmill.pipeline.games.scene import Scene


@dataclass(frozen=True, slots=True)
class Result:
    """A verdict with its layout and its evidence.

    `engine` is a full name such as ``memory/two-pass``. `value` is None unless the verdict is scored. `evidence` is
    None if the verdict is undecided, and the text of the error if it is failed. `position` counts the layouts of a run
    or a call from 1; `line` is the line in the file, or the number of the deal. `run` is None if the result is not
    stored. `judgement` is that of the newest audit, if the query asked for it.
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

    @property
    def item(self) -> str | None:
        """``RUN:POSITION``, which identifies the result in the store; None if it is not stored."""
        return None if self.run is None else f"{self.run}:{self.position}"

    def check(self) -> Judgement:
        """Check the evidence with the referee of the game."""
        return judge(self.engine, self.layout, self.verdict, self.value, self.evidence)

    def frames(self) -> Iterator[str]:
        """Return an iterator over text boards: the layout first, then one per step of the evidence.

        It is empty if the recorded text is not a layout.
        """
        game, _ = find_engine(self.engine)
        if self.verdict is Verdict.FAILED and not is_canonical(game, self.layout):
            return iter(())
        return game.picture.frames(self.layout, self.verdict, self.evidence)

    def scenes(self) -> "Iterator[Scene]":
        """Return an iterator over pictures: the layout first, then one per step of the evidence.

        It is empty if the recorded text is not a layout.
        """
        game, _ = find_engine(self.engine)
        if self.verdict is Verdict.FAILED and not is_canonical(game, self.layout):
            return iter(())
        return game.picture.scenes(self.layout, self.verdict, self.evidence)
