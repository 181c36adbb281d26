"""Memory: turn over two cards at a time until all pairs are found."""

from dealmill.contract import AnswerFormat, Deals, Engine, Game, Parameter

FLIPS = "the cards flipped, counted from 1, two to a move: `1 2 3 4 1 4`"

GAME = Game(
    name="memory",
    package=__name__,
    title="Memory",
    engines=(
        Engine("two-pass", "1", "look at all cards two by two, then collect the pairs", FLIPS),
        Engine("two-pass-last-card", "1", "two passes, but the last card is known without looking", FLIPS),
        Engine("incremental", "1", "collect every pair as soon as both its cards are known", FLIPS),
    ),
    deals=Deals("1", {"pairs": Parameter(25, 1, 52, "pairs of cards")}),
    answer=AnswerFormat(),
)
