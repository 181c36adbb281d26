"""Surveys of every question: what is known of all deals, with the fingerprint and the command of each survey."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dealmill import Store, Survey
from dealmill.pipeline.survey.figures import format_figure

HUNDRED_THOUSAND, MILLION = 100_000, 1_000_000
NEW = "none known"


@dataclass(frozen=True, slots=True)
class Question:
    """A question about all deals of a game: the engine that answers it, and the published figure."""

    engine: str
    what: str
    published: str
    parameters: Mapping[str, int] = field(default_factory=dict)
    count: int = MILLION
    max_nodes: int | None = None

    def survey(self, store: Store) -> Survey:
        """Answer it by a survey of `count` deals."""
        game, _ = self.engine.split("/")
        return store.survey(
            game, engine=self.engine, count=self.count, parameters=self.parameters, max_nodes=self.max_nodes
        )

    @property
    def command(self) -> str:
        """The command that repeats the survey."""
        parameters = "".join(f" --param {name}={number}" for name, number in self.parameters.items())
        limit = f" --max-nodes {self.max_nodes}" if self.max_nodes else ""
        game, _ = self.engine.split("/")
        return f"dealmill survey {game} --engine {self.engine}{parameters} --count {self.count}{limit}"

    def row(self, survey: Survey) -> list[str]:
        """The row of the table."""
        low, high, *estimate = survey.figures.values()
        exact = "theory" in survey.facts
        errors = survey.facts.get("standard_errors")
        theory = f"{format_figure(survey.facts, 'theory')}, {errors:.1f} standard errors" if exact else ""
        return [
            self.what,
            "; ".join([f"{low} to {high}", *estimate]),
            theory,
            self.published,
            f"{survey.deals:,}",
            f"`{survey.fingerprint}`",
            f"`{self.command}`",
        ]


COLUMNS = ["question", "95 % interval; of the deals solved", "exact", "published", "deals", "fingerprint", "command"]
QUESTIONS = [
    Question("card-pairing/winnable", "Card pairing, 9 × 4 in 9 stacks: winnable", "68.82 % ± 0.03, simulation"),
    Question(
        "card-pairing/winnable",
        "Card pairing, 13 × 4 in 13 stacks: winnable",
        "84.1 %, simulation",
        {"ranks": 13, "stacks": 13},
    ),
    Question(
        "card-pairing/odds",
        "Card pairing, 9 × 4 in 9 stacks: mean chance that random play wins, in millionths",
        "182,870 ± 2,900, simulation",
    ),
    Question("camelot/winnable", "Camelot: winnable", "51.37 % ± 0.03, simulation; exact count"),
    Question("hi-q/greedy", "Hi-Q, 16 pegs: mean sum of the holes at the end", NEW),
    Question("hi-q/fewest", "Hi-Q, 16 pegs: mean of the fewest pegs that a play leaves", NEW, count=HUNDRED_THOUSAND),
    Question("tantrix/legal-moves", "Tantrix, 10 tiles: mean number of legal moves", NEW),
    Question("tantrix-loop/winnable", "Tantrix loop, 20 tiles: winnable", NEW, count=HUNDRED_THOUSAND),
    Question("memory/two-pass", "Memory, 25 pairs, two passes: mean flips", "98.981 ± 0.003, simulation"),
    Question(
        "memory/two-pass-last-card",
        "Memory, two passes, last card known: mean flips",
        "97.022 ± 0.003, simulation",
    ),
    Question("memory/incremental", "Memory, incremental, which is optimal: mean flips", "79.65951, exact"),
]


def rows(store: Store) -> Iterator[list[str]]:
    """Yield the row of each question."""
    for question in QUESTIONS:
        yield question.row(question.survey(store))
