"""A result step by step: its pictures, the tree of its cases, and the same as files."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Annotated, Literal

from fastapi import Query
from fastapi.responses import Response

import dealmill
from dealmill.pipeline.games.pictures import Scene
from dealmill.web.site import Digits

Number = Annotated[int | None, Query(ge=0, le=10**9), Digits]
"""The number of a scene in a URL, from 0."""
Form = Annotated[Literal["page", "svg", "text"], Query(alias="as", description="A page, or a file with one step.")]
MOST_SCENES = 1_000
MOST_TEXT = 20_000
"""The longest layout with its evidence, in characters, that is drawn and checked when its page is viewed."""
LONG_TEXT = 400
"""Scenes of a longer layout with its evidence are kept for the next view, which is probably of another step."""
LARGE = 900
"""The width or height from which on a scene has its own size, and scrolls in a box."""


@dataclass(slots=True)
class Branch:
    """A choice in a tree of cases: the scenes of the leaves below it, by number, and the choices that follow."""

    choice: str
    leaves: list[int] = field(default_factory=list)
    branches: "list[Branch]" = field(default_factory=list)

    @property
    def cases(self) -> int:
        """The number of leaves below it, at any depth."""
        return len(self.leaves) + sum(branch.cases for branch in self.branches)


@dataclass(frozen=True, slots=True)
class Steps:
    """The scenes of a result, and the `number` of the one shown. `whole` is false if some scenes are left out."""

    result: dealmill.Result
    scenes: Sequence[Scene]
    number: int
    whole: bool

    @property
    def shown(self) -> Scene:
        """The scene that is shown."""
        return self.scenes[self.number]

    @property
    def proves(self) -> str:
        """What the scenes prove; empty if they show a play."""
        return self.scenes[-1].proves

    @property
    def large(self) -> bool:
        """Whether the scene that is shown scrolls in a box."""
        return max(self.shown.width, self.shown.height) > LARGE

    @property
    def picture(self) -> str:
        """The SVG element of the scene that is shown."""
        if not self.large:
            return self.shown.svg
        return self.shown.svg.replace("<svg", f'<svg width="{self.shown.width}" height="{self.shown.height}"', 1)

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

    def file(self, form: str) -> Response:
        """Return the scene that is shown as a file: as ``svg``, or its board as ``text``."""
        if form == "svg":
            name = f"{self.result.engine.replace('/', '-')}-{self.result.line}-{self.parameter}-{self.number}.svg"
            disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
            return Response(self.shown.svg, media_type="image/svg+xml", headers=disposition)
        *_, board = islice(self.result.frames(), self.number + 1)
        return Response(f"{self.result.layout}\n\n{board}\n", media_type="text/plain; charset=utf-8")


def is_small(result: dealmill.Result) -> bool:
    """Return whether a result is small enough to be drawn and checked at once."""
    return len(result.layout) + len(result.evidence or "") <= MOST_TEXT


def steps_of(result: dealmill.Result, number: int | None) -> Steps | None:
    """Return the scenes of a result at scene `number`, or at the last one if there are fewer. Without a number, a play
    is at its layout and a proof at its first picture.

    None if the result is too large, or its text is not a layout, or its evidence cannot be followed to the end.
    """
    if not is_small(result):
        return None
    is_long = len(result.layout) + len(result.evidence or "") > LONG_TEXT
    scenes = _kept_scenes(result) if is_long else _scenes(result)
    shown = scenes[:MOST_SCENES]
    if not shown:
        return None
    if number is None:
        number = next((index for index, scene in enumerate(shown) if scene.proves), 0)
    return Steps(result, shown, min(number, len(shown) - 1), len(scenes) == len(shown))


def _scenes(result: dealmill.Result) -> list[Scene]:
    """Return the scenes of a result, at most one more than are shown."""
    scenes: list[Scene] = []
    with suppress(dealmill.InvalidEvidence):  # the referee names the step at fault
        scenes.extend(islice(result.scenes(), MOST_SCENES + 1))
    return scenes


_kept_scenes = lru_cache(maxsize=2)(_scenes)
