"""The forms of evidence that a game is lost, each in a module: how it is read, checked, and told in words."""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

from dealmill.pipeline.games.patience.losses.counted import CountedLoss, read_counted
from dealmill.pipeline.games.patience.losses.cut import read_cut
from dealmill.pipeline.games.patience.losses.pieces import pieces_prove_losses, read_pieces
from dealmill.pipeline.games.patience.losses.quotient import read_quotient
from dealmill.pipeline.games.patience.losses.safe import read_safe
from dealmill.pipeline.games.patience.losses.swept import SweptLoss, can_be_swept
from dealmill.pipeline.games.patience.losses.visits import Visit
from dealmill.pipeline.games.patience.losses.waits import read_waits
from dealmill.pipeline.games.patience.losses.walks import read_walks
from dealmill.pipeline.games.patience.moves import Moves
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import Rules


class Loss(Protocol):
    """What the evidence of a loss claims."""

    @property
    def positions(self) -> int:
        """How many positions are counted."""

    @property
    def visited(self) -> int:
        """How many positions plain Python visits, each by itself."""

    @property
    def cards(self) -> list[str]:
        """The cards that matter, by suits and then by ranks; none if all do."""

    @property
    def reason(self) -> str:
        """Why the game is lost, in words."""

    def idle_cards(self, rules: Rules, position: Position) -> frozenset[str]:
        """Return the cards of a position that do not matter."""

    def counts(self, game: Moves, position: Position, limit: int) -> Iterator[int]:
        """Yield how many positions can be reached without a move, with at most one, with at most two, and so on, up to
        the number of all positions, or any number greater than `limit`.

        Raises
        ------
        InvalidEvidence
            If one of the positions that are visited for this is won.
        """

    def check(self, game: Moves, position: Position) -> None:
        """Check the claim.

        Raises
        ------
        InvalidEvidence
            If it does not prove that the position is lost.
        """

    def visits(self, game: Moves, position: Position) -> Iterator[Visit]:
        """Yield the positions of a claim that was checked, the first one first, those after its moves next."""


def _read_without_arrangements(rules: Rules, evidence: str) -> Loss:
    """Read positions without the arrangement of what was moved: pieces if any card takes those on it along, else
    cards."""
    return (read_pieces if pieces_prove_losses(rules) else read_quotient)(rules, evidence)


READERS: Mapping[str, Callable[[Rules, str], Loss]] = {
    "cut": read_cut,
    "quotient": _read_without_arrangements,
    "safe": read_safe,
    "waits": read_waits,
    "walks": read_walks,
}
"""What reads the evidence of each form that begins with a word; the rest follows after a space."""


def read_loss(rules: Rules, evidence: str) -> Loss:
    """Return what the evidence of a loss claims, without checking it.

    Raises
    ------
    InvalidEvidence
        If it cannot be read, proves nothing by these rules, or claims more positions than any referee visits.
    """
    word, _, rest = evidence.partition(" ")
    return READERS[word](rules, rest) if word in READERS else _read_count(rules, evidence)


def _read_count(rules: Rules, evidence: str) -> CountedLoss:
    loss = read_counted(rules, evidence)
    return SweptLoss(*loss) if loss.live is None and can_be_swept(rules) else loss
