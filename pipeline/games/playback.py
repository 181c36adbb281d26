"""Solutions as data, in one form for all games: the table at the beginning, and the moves of each step.

A table has places with piles of pieces, such as ``column 3`` or ``stack 0``, the top piece last. A move takes the top
pieces of a place together and puts them on another place, or on the same. If they are `turned`, they are turned over as
one packet: their order is reversed, and they show their other side. What leaves the table goes to the place ``gone``.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

GONE = "gone"
"""The place of what has left the table."""


class Record(BaseModel):
    """A part of the form, which has exactly the fields of its class."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)


class Pile(Record):
    """The pieces on a place, the top one last. Of these, the `up` top ones lie face up."""

    pieces: list[str]
    up: Annotated[int, Field(ge=0)]

    @classmethod
    def face_up(cls, *pieces: str) -> "Pile":
        """Return a pile whose pieces all lie face up."""
        return cls(pieces=list(pieces), up=len(pieces))


class Move(Record):
    """Pieces that move together: the `take` top ones of `source` (in JSON, `from`) to the top of `target` (`to`).

    `shows` is what the top piece shows afterwards, if it is not the same as before, such as a rotated tile.
    """

    source: str = Field(validation_alias="from", serialization_alias="from")
    target: str = Field(validation_alias="to", serialization_alias="to")
    take: Annotated[int, Field(ge=1)] = 1
    turned: bool = False
    shows: str | None = None


class Step(Record):
    """A step of the evidence: its `word` there, and the moves of which it consists, in their order."""

    word: str
    moves: list[Move]


class Playback(Record):
    """A layout, and its solution step by step. Without a solution, there are no steps."""

    table: dict[str, Pile]
    steps: list[Step]

    @property
    def row(self) -> dict[str, object]:
        """The same as values for JSON; fields of moves that have their default value are left out."""
        return self.model_dump(by_alias=True, exclude_defaults=True)


def carried(source: str, target: str, take: int = 1) -> Move:
    """Return a move of pieces that are not turned."""
    return Move(source=source, target=target, take=take)


def turned(source: str, target: str, take: int = 1) -> Move:
    """Return a move of pieces that are turned over."""
    return Move(source=source, target=target, take=take, turned=True)
