"""The referee of patiences with compiled code: for losses with more positions than plain Python visits in a moment, and
for many wins."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from dealmill.pipeline.games.patience.compiled import counting, cut, pieces, quotient, single_cards, waits, walks, wins
from dealmill.pipeline.games.patience.compiled.keys import COMPARED
from dealmill.pipeline.games.patience.losses import Loss, read_loss
from dealmill.pipeline.games.patience.losses.counted import MAX_PLAIN, CountedLoss
from dealmill.pipeline.games.patience.losses.cut import CutLoss
from dealmill.pipeline.games.patience.losses.pieces import PiecesLoss
from dealmill.pipeline.games.patience.losses.quotient import QuotientLoss
from dealmill.pipeline.games.patience.losses.safe import SafeLoss
from dealmill.pipeline.games.patience.losses.waits import WaitingLoss, WaitingPair
from dealmill.pipeline.games.patience.losses.walks import WalkLoss
from dealmill.pipeline.games.patience.player import RefereeOfPlays
from dealmill.pipeline.games.patience.position import Position
from dealmill.pipeline.games.patience.rules import Rules
from dealmill.referees import CompiledJudge, random_number
from dealmill.verdicts import InvalidEvidence, Verdict

DRAWN_POSITIONS = 5_000_000
"""Plain Python also visits positions of another loss, with a chance of one in `DRAWN_POSITIONS` for each position."""
PLAIN_WINS, WIN_SAMPLE = 100, 64
"""Plain Python alone replays the first `PLAIN_WINS` wins of a referee, in a quarter of a second. After that, it replays
one in `WIN_SAMPLE`, too."""


@dataclass(frozen=True)
class CompiledReferee(CompiledJudge[Rules, Position, Loss]):
    """The referee of a game: plain Python for losses of at most `MAX_PLAIN` positions, and for those that it sweeps;
    compiled code for others. If cards exist more than once, plain Python judges all losses.

    Compiled code replays all wins but the first `PLAIN_WINS` of this referee, so that few wins need no compiler. It
    only accepts or refuses: plain Python replays what it refuses, to say why, and a sample of the rest.

    Of each kind, both judge a sample. A loss that plain Python counts is counted by both; of those that it sweeps, a
    share such that compiled code counts `COMPARED` positions of a loss on average. Of another loss, plain Python visits
    at most `COMPARED` positions: none of them is won, and both referees reach equally many with at most one move, with
    at most two, and so on. The more positions a loss has, the more often it is drawn, so that this takes a fraction of
    the time of all counts: a fifth without the arrangement of cards, where plain Python visits 2,500 a second.
    """

    wins: Iterator[int] = field(default_factory=itertools.count, compare=False, repr=False)
    """Counts the wins that are judged."""

    def __call__(self, engine: str, layout: str, verdict: Verdict, value: int | None, evidence: str) -> None:
        if verdict is Verdict.WINNABLE and engine == "winnable" and value is None:
            self._check_win(layout, evidence)
        elif self.rules.copies > 1:
            self.plain(engine, layout, verdict, value, evidence)
        else:
            super().__call__(engine, layout, verdict, value, evidence)

    @property
    def plain(self) -> RefereeOfPlays:
        return RefereeOfPlays(self.rules)

    def read_loss(self, evidence: str) -> Loss:
        return read_loss(self.rules, evidence)

    def is_plain(self, loss: Loss) -> bool:
        return loss.visited <= MAX_PLAIN

    def sample(self, loss: Loss) -> int:
        return max(super().sample(loss), loss.positions // COMPARED)

    def check_plain(self, position: Position, loss: Loss) -> None:
        loss.check(self.plain, position)

    def check_compiled(self, layout: str, position: Position, loss: Loss) -> None:
        """Check a loss with compiled code, and some of its positions with plain Python, which does not visit all."""
        counts = check_loss(self.rules, layout, loss)
        if not self.is_plain(loss) and random_number(layout) % DRAWN_POSITIONS < loss.positions:
            _compare(loss.counts(self.plain, position, COMPARED), counts)

    def _check_win(self, layout: str, evidence: str) -> None:
        is_compiled = next(self.wins) >= PLAIN_WINS
        is_won = is_compiled and wins.is_won(self.rules, self.plain.position(layout), evidence)
        if not is_won or random_number(layout) % WIN_SAMPLE == 0:
            self.plain("winnable", layout, Verdict.WINNABLE, None, evidence)
        if is_compiled and not is_won:
            raise InvalidEvidence(1, "the referees disagree: plain Python accepts the moves, compiled code does not")


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
            return waits.check_waiting(rules, layout, loss, is_pair=isinstance(loss, WaitingPair))
        case CountedLoss():
            return _check_positions(rules, layout, loss)
        case WalkLoss():
            return walks.check_count(rules, layout, loss.positions)
    raise TypeError(f"no compiled code checks {type(loss).__name__}")


def _check_positions(rules: Rules, layout: str, loss: CountedLoss) -> list[int]:
    """Do so for a loss that is proved by a number of positions."""
    match loss:
        case PiecesLoss():
            return pieces.check_pieces(rules, layout, loss)
        case QuotientLoss():
            return quotient.check_quotient(rules, layout, loss)
    if single_cards.are_single(rules):
        is_safe, is_cut = isinstance(loss, SafeLoss), isinstance(loss, CutLoss)
        return single_cards.check_count(rules, layout, loss, is_safe=is_safe, is_cut=is_cut)
    if isinstance(loss, CutLoss):
        return cut.check_cut(rules, layout, loss)
    return counting.check_count(rules, layout, loss)


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
