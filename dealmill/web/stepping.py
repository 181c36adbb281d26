"""The scenes of one result, and the one that a page shows."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Annotated

from fastapi import Query

import dealmill
from dealmill.pipeline.games.scene import Scene
from dealmill.web.site import Digits

Number = Annotated[int, Query(ge=0, le=10**9), Digits]
"""The number of a scene in a URL, from 0."""
MOST_SCENES = 1_000
MOST_TEXT = 10_000
"""The longest layout with its evidence, in characters, that is drawn and checked when its page is viewed."""


@dataclass(slots=True)
class Branch:
    """A choice in a tree of cases: the scenes of the leaves below it, by number, and the choices that follow."""

    choice: str
    leaves: list[int] = field(default_factory=list)
    branches: "list[Branch]" = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Steps:
    """The scenes of a result, and the `number` of the one shown. `whole` is false if some scenes are left out."""

    scenes: Sequence[Scene]
    number: int
    whole: bool

    @property
    def shown(self) -> Scene:
        """The scene that is shown."""
        return self.scenes[self.number]

    @property
    def last(self) -> int:
        """The number of the last scene."""
        return len(self.scenes) - 1

    @property
    def parameter(self) -> str:
        """The parameter of the URL that selects a scene."""
        return "leaf" if any(scene.path for scene in self.scenes) else "step"

    @property
    def tree(self) -> Branch:
        """The scenes in the tree of their paths."""
        root = Branch("")
        for number, scene in enumerate(self.scenes):
            branch = root
            for choice in scene.path:
                if not branch.branches or branch.branches[-1].choice != choice:
                    branch.branches.append(Branch(choice))
                branch = branch.branches[-1]
            if scene.path:
                branch.leaves.append(number)
        return root


def is_small(result: dealmill.Result) -> bool:
    """Return whether a result is small enough to be drawn and checked at once."""
    return len(result.layout) + len(result.evidence or "") <= MOST_TEXT


def steps_of(result: dealmill.Result, number: int) -> Steps | None:
    """Return the scenes of a result at scene `number`, or at the last one if there are fewer.

    None if the result is too large, or its text is not a layout, or its evidence cannot be followed to the end.
    """
    if not is_small(result):
        return None
    scenes: list[Scene] = []
    with suppress(dealmill.InvalidEvidence):  # the referee names the step at fault
        scenes.extend(islice(result.scenes(), MOST_SCENES + 1))
    shown = scenes[:MOST_SCENES]
    return Steps(shown, min(number, len(shown) - 1), len(scenes) == len(shown)) if shown else None
