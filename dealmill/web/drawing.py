"""Drawing of results, in a process of its own: step by step, with the tree of their cases, and small pictures."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, islice
from typing import NamedTuple

import dealmill
from dealmill.pipeline.games.pictures import Scene

MAX_SCENES = 1_000
LONG_TEXT = 400
"""Scenes of a longer layout with its evidence are kept for the next view, which is probably of another step."""
MAX_KEPT = 50_000_000
"""The most characters of scenes that are kept."""
STEPS_PER_LIST = 100
"""The most steps that a list shows, those around the current one, so that a page is small however long a play is."""
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


class Title(NamedTuple):
    """What a list of scenes shows of one."""

    caption: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Steps:
    """The scenes of a result: the titles of all, and the one `shown` with its `number`; `is_open` says whether it
    shows cards that lie face down, and is None if there are none. `proves` says what the scenes
    prove, and is empty if they show a play. `whole` is false if some scenes are left out. `board` is the text board at
    this step, if it was asked for. `play_on` are the parameters of the page on which one plays on from this step, if
    there is one."""

    result: dealmill.Result
    titles: list[Title]
    number: int
    shown: Scene
    proves: str
    whole: bool
    board: str | None
    play_on: dict[str, str] | None
    is_open: bool | None = None

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
        return len(self.titles) - 1

    @property
    def listed(self) -> range:
        """The numbers of the scenes in the list of steps."""
        first = max(0, min(self.number - STEPS_PER_LIST // 2, len(self.titles) - STEPS_PER_LIST))
        return range(len(self.titles))[first : first + STEPS_PER_LIST]

    @property
    def parameter(self) -> str:
        """The parameter of the URL that selects a scene."""
        return "leaf" if any(title.path for title in self.titles) else "step"

    @property
    def tree(self) -> Branch:
        """The scenes in the tree of their paths."""
        root = Branch("")
        for number, title in enumerate(self.titles):
            branch = root
            for choice in title.path:
                if not branch.branches or branch.branches[-1].choice != choice:
                    branch.branches.append(Branch(choice))
                branch = branch.branches[-1]
            if title.path:
                branch.leaves.append(number)
        return root


def draw(result: dealmill.Result, number: int | None, as_text: bool, open_cards: bool) -> Steps | None:
    """Return the scenes of a result at scene `number`, or at the last one if there are fewer. Without a number, a play
    is at its layout and a proof at its first picture. Cards that lie face down show their backs, unless `open_cards`.

    None if its text is not a layout, or its evidence cannot be followed to the end.
    """
    is_long = len(result.layout) + len(result.evidence or "") > LONG_TEXT
    scenes = _kept_scenes(result) if is_long else _scenes(result)
    if is_long and sum(len(scene.svg) for scene in scenes) > MAX_KEPT:
        _kept_scenes.cache_clear()
    shown = scenes[:MAX_SCENES]
    if not shown:
        return None
    if number is None:
        number = _start(shown)
    number = min(number, len(shown) - 1)
    titles = [Title(scene.caption, scene.path) for scene in shown]
    board = next(islice(result.frames(), number, None)) if as_text else None
    whole = len(scenes) == len(shown)
    scene, play_on = shown[number], _play_on(result, number)
    is_open = open_cards if scene.closed_alt else None
    chosen = scene if open_cards else scene.closed
    return Steps(result, titles, number, chosen, shown[-1].proves, whole, board, play_on, is_open)


def _play_on(result: dealmill.Result, number: int) -> dict[str, str] | None:
    """Return the game, the layout and the moves up to a scene; None if one cannot play on from there: positions of the
    game are not layouts, or its rules on record are not those of the installed game."""
    game, _ = result.game_and_engine
    if game.play is None:
        return None
    try:
        installed = dealmill.games(game.name)[game.name]
    except dealmill.DealmillError:
        return None
    if installed.rules_text != game.rules_text:
        return None
    words = (result.evidence or "").split(" ") if result.verdict is dealmill.Verdict.WINNABLE else []
    return {"game": game.name, "layout": result.layout, "moves": " ".join(words[:number])}


class Drawing(NamedTuple):
    """All scenes of a result. `start` is the number of the one to begin with: of a proof, its first picture. `proves`
    and `whole` are those of `Steps`."""

    scenes: Sequence[Scene]
    start: int
    proves: str
    whole: bool


def draw_all(result: dealmill.Result, max_characters: int) -> Drawing | None:
    """Return the scenes of a result that have at most so many characters together.

    None if its text is not a layout, its evidence cannot be followed to the end, or its first scene is too long.
    """
    scenes = _scenes(result)
    scenes = [scene.closed for scene in scenes]
    lengths = accumulate(len(scene.svg) for scene in scenes[:MAX_SCENES])
    shown = [scene for scene, length in zip(scenes, lengths, strict=False) if length <= max_characters]
    if not shown:
        return None
    return Drawing(shown, _start(shown), shown[-1].proves, len(shown) == len(scenes))


def _start(scenes: Sequence[Scene]) -> int:
    """Return the number of the scene to begin with: a play at its layout, and a proof at its first picture."""
    return next((index for index, scene in enumerate(scenes) if scene.proves), 0)


def draw_layout(result: dealmill.Result) -> str | None:
    """Return the small picture of the layout of a result, None if its text is not a layout."""
    scene = next(replace(result, evidence=None).scenes(), None)
    return scene.closed.thumbnail if scene else None


def _scenes(result: dealmill.Result) -> Sequence[Scene]:
    """Return the scenes of a result, at most one more than are shown."""
    scenes: list[Scene] = []
    with suppress(dealmill.InvalidEvidence):  # the referee names the step at fault
        scenes.extend(islice(result.scenes(), MAX_SCENES + 1))
    return scenes


_kept_scenes = lru_cache(maxsize=2)(_scenes)
"""The page of one verdict, and that of a layout that is solved while its page is viewed."""
