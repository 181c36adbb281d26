"""Surveys: the share of winnable deals of a game, or their mean value."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from dealmill.pipeline.store.database import Database
from dealmill.pipeline.store.runs import RunStatus
from dealmill.pipeline.survey.estimate import Estimate
from dealmill.pipeline.survey.report import format_figure, summary_sentence, survey_facts, write_report
from dealmill.runs import Run


class Survey:
    """The result of a survey.

    Attributes
    ----------
    run : Run
        The run of the survey, which can be queried, audited, rerun and exported like any other.
    value : float
        The share of winnable deals, from 0 to 1; or the mean value, if deals have values.
    low, high : float
        The ends of the 95 % confidence interval.
    deals : int
        The number of solved deals.
    facts : Mapping[str, object]
        All results and everything needed to repeat the survey: the content of ``survey.json``.
    """

    def __init__(self, store: Database, status: RunStatus, estimate: Estimate) -> None:
        self._store = store
        self._status = status
        self.run = Run(store, status)
        self.value = estimate.value
        self.low = estimate.interval.low
        self.high = estimate.interval.high
        self.deals = estimate.deals
        self.facts: Mapping[str, object] = survey_facts(store, status, estimate)

    def __str__(self) -> str:
        return summary_sentence(self.facts)

    def __repr__(self) -> str:
        return f"<Survey {self.run.id}: {self}>"

    @property
    def figures(self) -> dict[str, str]:
        """The estimate and the ends of its interval, rounded to the precision of the interval."""
        return {
            str(self.facts["estimate"]): format_figure(self.facts, "value"),
            "low": format_figure(self.facts, "low"),
            "high": format_figure(self.facts, "high"),
        }

    def report(self, folder: str | PathLike[str]) -> None:
        """Write a page, its data and pictures of the interval to a folder, which is created if missing.

        Raises
        ------
        OutputError
            If a file cannot be written.
        UsageError
            If the extra ``plots`` is not installed.
        """
        write_report(self._store, self._status, self.facts, Path(folder))
