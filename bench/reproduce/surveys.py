"""Surveys of every question: what is known of all deals, with the fingerprint and the command of each survey."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from bench.reproduce.figures import Number
from bench.reproduce.proofs import Proofs
from bench.reproduce.results import Exact, Published, SurveyRow
from dealmill import Store, Survey
from dealmill.pipeline.survey.figures import WINNABILITY, format_figure

HUNDRED_THOUSAND, MILLION = 100_000, 1_000_000
SIMULATION = "earlier simulation"
MILLION_LAYOUTS = f"{SIMULATION}, 10⁶ layouts"


@dataclass(frozen=True, slots=True)
class Question:
    """A question about all deals of a game: the engine that answers it, and the published figure."""

    engine: str
    what: str
    published: tuple[Published, ...] = ()
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

    @property
    def anchor(self) -> str:
        """The address of the row on the page."""
        return anchor_of(self.engine, *(f"{name} {number}" for name, number in self.parameters.items()))

    def row(self, survey: Survey, proofs: Proofs | None = None) -> SurveyRow:
        """The row of the data, with how the losses are proved."""
        facts = survey.facts
        shares = facts["estimate"] == WINNABILITY
        return SurveyRow(
            anchor=self.anchor,
            title=self.what,
            command=self.command,
            date=datetime.now(UTC).date(),
            dealmill=facts["dealmill"],
            engine=facts["engine"],
            version=facts["version"],
            estimate=facts["estimate"],
            low=_digits(facts, "low"),
            high=_digits(facts, "high"),
            value=None if survey.value is None else _digits(facts, "value"),
            exact=_exact(facts),
            deals=survey.deals,
            winnable=facts["winnable"] if shares else None,
            unwinnable=facts["unwinnable"] if shares else None,
            undecided=facts["undecided"] if shares else None,
            fingerprint=facts["fingerprint"],
            published=self.published,
            proofs=proofs,
        )


def _digits(facts: Mapping[str, Any], key: str) -> str:
    return format_figure(facts, key).removesuffix(" %").replace(",", "")


def _exact(facts: Mapping[str, Any]) -> Exact | None:
    if "theory" not in facts:
        return None
    return Exact(value=_digits(facts, "theory"), standard_errors=round(facts["standard_errors"], 1))


def anchor_of(*words: str) -> str:
    """Return the address of a row, made of words."""
    plain = unicodedata.normalize("NFKD", " ".join(words).lower().replace("×", "x"))
    return re.sub("[^a-z0-9]+", "-", plain).strip("-")


def published(digits: str, half_width: str | None = None, *, source: str, deals: int | None = None) -> Published:
    """Return a published figure."""
    return Published(number=Number(values=(digits,), half_width=half_width), source=source, deals=deals)


QUESTIONS = [
    Question(
        "card-pairing/winnable",
        "Card pairing, 9 × 4 in 9 stacks: winnable",
        (published("68.82", "0.03", source=f"{SIMULATION}, 10 M deals"),),
    ),
    Question(
        "card-pairing/winnable",
        "Card pairing, 13 × 4 in 13 stacks: winnable",
        (published("84.1", source=SIMULATION),),
        {"ranks": 13, "stacks": 13},
    ),
    Question(
        "card-pairing/odds",
        "Card pairing, 9 × 4 in 9 stacks: mean chance that random play wins, in millionths",
        (published("182870", "2900", source=f"{SIMULATION}, 20,000 deals"),),
    ),
    Question(
        "camelot/winnable",
        "Camelot: winnable",
        (
            published("51.37", "0.03", source=f"{SIMULATION}, 10 M decks"),
            published("51.380327", source="earlier exact count"),
        ),
    ),
    Question("hi-q/greedy", "Hi-Q, 16 pegs: mean sum of the holes at the end"),
    Question("hi-q/fewest", "Hi-Q, 16 pegs: mean of the fewest pegs that a play leaves", count=HUNDRED_THOUSAND),
    Question("tantrix/legal-moves", "Tantrix, 10 tiles: mean number of legal moves"),
    Question("tantrix-loop/winnable", "Tantrix loop, 20 tiles: winnable", count=HUNDRED_THOUSAND),
    Question(
        "memory/two-pass",
        "Memory, 25 pairs, two passes: mean flips",
        (published("98.981", "0.003", source=MILLION_LAYOUTS),),
    ),
    Question(
        "memory/two-pass-last-card",
        "Memory, two passes, last card known: mean flips",
        (published("97.022", "0.003", source=MILLION_LAYOUTS),),
    ),
    Question(
        "memory/incremental",
        "Memory, incremental, which is optimal: mean flips",
        (published("79.65951", source="earlier dynamic programming"),),
    ),
]
