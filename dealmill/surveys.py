"""Surveys: how many random deals of a game can be won, or what they are worth on average."""

from collections.abc import Mapping
from os import PathLike
from pathlib import Path

from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.runs.status import RunStatus
from dealmill.pipeline.survey.estimate import Estimate
from dealmill.pipeline.survey.report import survey_facts, told, write_report, written
from dealmill.runs import Run


class Survey:
    """What a survey says.

    Attributes
    ----------
    run : Run
        The run behind it, which can be queried, audited, repeated and exported like any other.
    value : float
        The share of deals that are winnable, from 0 to 1; or the mean value, where deals have values.
    low, high : float
        The ends of its confidence interval of 95 %.
    deals : int
        How many deals were solved.
    facts : Mapping[str, object]
        Everything it says, and everything it takes to repeat it: the content of ``survey.json``.
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
        return told(self.facts)

    def __repr__(self) -> str:
        return f"<Survey {self.run.id}: {self}>"

    @property
    def figures(self) -> dict[str, str]:
        """The estimate and the ends of its interval, with as many digits as the interval allows."""
        return {
            str(self.facts["estimate"]): written(self.facts, "value"),
            "low": written(self.facts, "low"),
            "high": written(self.facts, "high"),
        }

    def report(self, folder: str | PathLike[str]) -> None:
        """Write a page, its data, and pictures of the interval into a folder; it is made if it does not exist.

        Raises
        ------
        OutputError
            If they cannot be written.
        UsageError
            If the extra ``plots`` is missing.
        """
        write_report(self._store, self._status, self.facts, Path(folder))
