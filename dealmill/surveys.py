"""Surveys: runs over random deals."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from dealmill.pipeline.evidence.digests import BLOCK
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.runs import Run

if TYPE_CHECKING:
    from dealmill.pipeline.survey.estimate import Estimate


class Survey(Run):
    """A run over random deals with the estimate for all deals that it leads to.

    Attributes
    ----------
    low, high : float
        The ends of the 95 % confidence interval of the share of winnable deals, from 0 to 1 (see `Run.winnability`);
        or of the mean value, if deals have values.
    value : float or None
        This share or mean of the deals that were solved. A share is None while some of them are undecided, since it is
        not known then.
    deals : int
        The number of solved deals.
    facts : Mapping[str, object]
        All results and everything needed to repeat the survey: the content of ``survey.json``.
    """

    block: ClassVar[int] = BLOCK
    """Surveys have a multiple of this many deals."""

    def __init__(self, database: Database, status: RunStatus, estimate: "Estimate") -> None:
        from dealmill.pipeline.survey.report import survey_facts  # not needed for other runs

        super().__init__(database, status)
        refused = self.latest_audit.status.invalid if self.latest_audit else 0
        self.facts: Mapping[str, Any] = survey_facts(database, status, estimate, refused)
        self.low: float = self.facts["low"]
        self.high: float = self.facts["high"]
        self.value: float | None = self.facts["value"]
        self.deals = estimate.deals

    def __str__(self) -> str:
        from dealmill.pipeline.survey.report import summary_sentence

        return summary_sentence(self.facts)

    def __repr__(self) -> str:
        return f"<Survey {self.id}: {self}>"

    @property
    def figures(self) -> dict[str, str]:
        """The ends of the interval and, unless deals are undecided, what it is of in the deals solved; rounded to the
        precision of the interval."""
        from dealmill.pipeline.survey.figures import format_figure

        return {
            "low": format_figure(self.facts, "low"),
            "high": format_figure(self.facts, "high"),
        } | ({} if self.value is None else {str(self.facts["estimate"]): format_figure(self.facts, "value")})

    def report(self, folder: str | PathLike[str]) -> None:
        """Write a page, its data, a table in LaTeX and pictures of the interval to a folder, which is made if missing.

        Raises
        ------
        OutputError
            If a file cannot be written.
        UsageError
            If the extra ``pictures`` is not installed.
        """
        from dealmill.pipeline.survey.report import write_report

        write_report(self._database, self.progress, self.facts, Path(folder))
