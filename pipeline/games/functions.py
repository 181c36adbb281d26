"""The types of the functions of a game, and of what they take and return."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from dealmill.pipeline.games.verdict import Verdict

if TYPE_CHECKING:
    from dealmill.pipeline.games.batch import Bytes, Mask, Numbers, Solved, Texts
    from dealmill.pipeline.games.descriptions import Layout, Reject
    from dealmill.pipeline.games.pictures import Scene
    from dealmill.pipeline.games.playback import Playback
    from dealmill.pipeline.games.reading import EachLine

NO_LIMIT = 2**62
"""The node limit that stands for no limit."""


class EngineFunction(Protocol):
    """The function of an engine."""

    def __call__(self, layouts: "Texts", max_nodes: int = NO_LIMIT) -> "Solved":
        """Solve canonical layouts; a layout that would take more than `max_nodes` nodes is undecided."""
        ...


class Frames(Protocol):
    """The function that draws text boards."""

    def __call__(self, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> Iterator[str]:
        """Yield the boards; see `Game.frames`."""
        ...


class Scenes(Protocol):
    """The function that draws pictures."""

    def __call__(self, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> "Iterator[Scene]":
        """Yield the pictures; see `Game.scenes`."""
        ...


class Choice(NamedTuple):
    """A legal move: its word, the piece that is taken, the places to which it can go, one of which is chosen by a tap
    (none if the piece alone says it), and the move in words."""

    word: str
    piece: str
    targets: tuple[str, ...]
    caption: str


class Link(NamedTuple):
    """A link from a piece or a place in a picture: its URL and its name; a target has a ring."""

    url: str
    name: str
    is_target: bool = False


class Table(Protocol):
    """A position of a game in play."""

    @property
    def layout(self) -> str:
        """The position as a layout."""
        ...

    @property
    def won(self) -> bool:
        """Whether the game is won."""
        ...

    @property
    def choices(self) -> Sequence[Choice]:
        """The legal moves."""
        ...

    def scene(self, links: Mapping[str, Link], moved: Sequence[str]) -> "Scene":
        """Return the picture, with links on pieces and places, and a ring around the pieces `moved`."""
        ...


class Play(Protocol):
    """The function that plays moves."""

    def __call__(self, layout: str, moves: Sequence[str]) -> Table:
        """Return the table after the moves; see `Game.play`."""
        ...


class MakePlayback(Protocol):
    """The function that returns solutions as data."""

    def __call__(self, layout: str, verdict: Verdict | None = None, evidence: str | None = None) -> "Playback":
        """Return the table and the moves; see `Game.playback`."""
        ...


class ReadMoves(Protocol):
    """The function that reads a solution as another program writes it."""

    def __call__(self, layout: str, text: str, *, whole: bool) -> str:
        """Return the words of moves from a layout; see `Game.notations`."""
        ...


Read = Callable[[Iterable[tuple[int, str]]], "Iterator[Layout | Reject]"]
ReadEachLine = Callable[[str], "EachLine | None"]
Deal = Callable[..., "Texts"]
CheckEvidence = Callable[[str, str, Verdict, int | None, str], None]
Nameless = Callable[[str], str]
WriteLayout = Callable[[str], str]
CanonicalMask = Callable[["Bytes", "Numbers", "Numbers"], "Mask"]
