"""What an engine says of one layout: the shape in which every verdict leaves the pipeline."""

from collections.abc import Iterator
from dataclasses import dataclass

from dealmill.pipeline.games import find_engine
from dealmill.pipeline.games.reading import is_canonical
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.referee import Judgement, judge


@dataclass(frozen=True, slots=True)
class Result:
    """A verdict with its layout and its evidence.

    `engine` is a full name such as ``memory/two-pass``. `value` is None unless the verdict is scored, and `evidence` is
    None where it is undecided; of a failed one it is the text of the error. `position` counts the layouts that were
    solved together from 1; `line` is that of the file, or the number of the deal. `run` is None if the result is not
    stored. `judgement` is what the newest audit says, where that was asked for.
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
        """``RUN:POSITION``, by which the result can be found again; None if it is not stored."""
        return None if self.run is None else f"{self.run}:{self.position}"

    def check(self) -> Judgement:
        """Have the referee check the evidence."""
        return judge(self.engine, self.layout, self.verdict, self.value, self.evidence)

    def frames(self) -> Iterator[str]:
        """Text boards: the layout first, then one per step of the evidence.

        There are none of a text on record that is not a layout.
        """
        game, _ = find_engine(self.engine)
        if self.verdict is Verdict.FAILED and not is_canonical(game, self.layout):
            return iter(())
        return game.picture.frames(self.layout, self.verdict, self.evidence)
