"""The referee of patiences with compiled code: for losses with more positions than plain Python visits in a moment, and
for many wins.

Which of the two judges a loss follows from the evidence and the layout alone, so that it is judged in the same way
everywhere.
"""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from dealmill.pipeline.games.patience import (
    counting,
    counting_cut,
    counting_quotient,
    counting_safe,
    counting_waits,
    counting_walks,
    replaying,
)
from dealmill.pipeline.games.patience.counting import COMPARED
from dealmill.pipeline.games.patience.losses import Loss, read_loss
from dealmill.pipeline.games.patience.losses.counted import MOST_PLAIN, CountedLoss
from dealmill.pipeline.games.patience.losses.cut import CutLoss
from dealmill.pipeline.games.patience.losses.quotient import QuotientLoss
from dealmill.pipeline.games.patience.losses.safe import SafeLoss
from dealmill.pipeline.games.patience.losses.waits import WaitingLoss, WaitingPair
from dealmill.pipeline.games.patience.losses.walks import WalkLoss
from dealmill.pipeline.games.patience.player import RefereeOfPlays
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.verdicts import InvalidEvidence, Verdict

SAMPLE = 16
"""Of the losses that plain Python counts, about one in so many is counted by compiled code, too; fewer of those that it
sweeps: `COMPARED` positions of each on average."""
DRAWN_POSITIONS = 1_000_000
"""Plain Python visits positions of another loss with a chance of one in so many for each position of it."""
PLAIN_WINS, WIN_SAMPLE = 100, 64
"""Plain Python alone replays the first wins that a referee judges, which takes a quarter of a second; of the others,
about one in so many, too."""


@dataclass(frozen=True)
class CompiledReferee:
    """The referee of a game: plain Python for losses of at most `MOST_PLAIN` positions, and for those that it sweeps;
    compiled code for others. If cards exist more than once, plain Python judges all losses.

    Compiled code replays all wins but the first `PLAIN_WINS` of this referee, so that few wins need no compiler. It
    only accepts or refuses: plain Python replays what it refuses, to say why, and a sample of the rest.

    Of each kind of losses, both judge a sample. A loss that plain Python counts is counted by both. Of another one,
    plain Python visits at most `COMPARED` positions: none of them is won, and both referees reach equally many with at
    most one move, with at most two, and so on. The more positions a loss has, the more often it is drawn, so that this
    takes a fraction of the time of all counts. What is drawn follows from the layout.
    """

    rules: Rules
    wins: Iterator[int] = field(default_factory=itertools.count, compare=False)
    """Counts the wins that are judged."""

    def __call__(self, engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
        """Replay the moves of a win, or count the positions of a loss.

        Raises
        ------
        InvalidEvidence
            If the evidence does not prove the verdict; at step 0, if the text is not a position.
        UncompiledError
            If the compiled referee is needed, and must not be compiled now.
        """
        plain = RefereeOfPlays(self.rules)
        is_claim = engine == "winnable" and value is None
        if is_claim and verdict is Verdict.WINNABLE:
            self._check_win(plain, layout, evidence)
        elif is_claim and verdict is Verdict.UNWINNABLE and self.rules.copies == 1:
            self._check_loss(plain, layout, evidence)
        else:
            plain(engine, layout, verdict, value, evidence)

    def _check_win(self, plain: RefereeOfPlays, layout: str, evidence: str) -> None:
        """Replay the moves of a win."""
        is_judged = next(self.wins) >= PLAIN_WINS
        is_won = is_judged and replaying.is_won(self.rules, plain.position(layout), evidence)
        if not is_won or _number_of(layout) % WIN_SAMPLE == 0:
            plain("winnable", layout, Verdict.WINNABLE, None, evidence)
        if is_judged and not is_won:
            raise InvalidEvidence(1, "the referees disagree: plain Python accepts the moves, compiled code does not")

    def _check_loss(self, plain: RefereeOfPlays, layout: str, evidence: str) -> None:
        """Count the positions of a loss."""
        position = plain.position(layout)
        loss = read_loss(self.rules, evidence)
        if loss.visited > MOST_PLAIN:
            counts = check_loss(self.rules, layout, loss)
            if _number_of(layout) % DRAWN_POSITIONS < loss.positions:
                _compare(loss.counts(plain, position, COMPARED), counts)
            return
        plain("winnable", layout, Verdict.UNWINNABLE, None, evidence)
        if _number_of(layout) % max(SAMPLE, loss.positions // COMPARED) == 0:
            check_loss(self.rules, layout, loss)


def check_loss(rules: Rules, layout: str, loss: Loss) -> list[int]:
    """Check the claim of a loss with compiled code; return how many positions can be reached without a move, with at
    most one, and so on, up to `COMPARED`.

    Raises
    ------
    InvalidEvidence
        If it does not prove that the layout is lost.
    MemoryError
        If there is not enough memory for the positions; it says how much is needed.
    """
    match loss:
        case WaitingLoss():
            return counting_waits.check_waiting(rules, layout, loss, is_pair=isinstance(loss, WaitingPair))
        case QuotientLoss():
            return counting_quotient.check_quotient(rules, layout, loss)
        case CutLoss():
            return counting_cut.check_cut(rules, layout, loss)
        case SafeLoss():
            return counting_safe.check_safe(rules, layout, loss)
        case CountedLoss():
            return counting.check_count(rules, layout, loss)
        case WalkLoss():
            return counting_walks.check_count(rules, layout, loss.positions)
    raise TypeError(f"no compiled code checks {type(loss).__name__}")


def _number_of(layout: str) -> int:
    """Return a number that looks random, always the same for a layout."""
    return int.from_bytes(blake2b(layout.encode(), digest_size=8).digest(), "big")


def _compare(plain_counts: Iterable[int], counts: list[int]) -> None:
    """Check that plain Python reaches as many positions as the compiled referee, up to `COMPARED`.

    Raises
    ------
    InvalidEvidence
        If it does not, or a position that it visits is won.
    """
    few = (count for count in plain_counts if count <= COMPARED)
    for moves, (plain_count, count) in enumerate(itertools.zip_longest(few, counts)):
        if plain_count != count:
            reached = f"plain Python reaches {plain_count or 'no more'} positions with at most {moves} moves"
            raise InvalidEvidence(1, f"the referees disagree: {reached}, the compiled referee {count or 'no more'}")
