"""Sums over jobs that one changed row cannot make too large for the database, which would then give no sum at all."""

from sqlalchemy import ColumnElement, FromClause, case

MOST = 2**56
"""The largest number of a job that is added up as it is. A larger one counts as this."""


def bounded(column: ColumnElement[int], least: int = 0) -> ColumnElement[int]:
    """Return a column for sums: numbers from `least` to `MOST`; anything else counts as `MOST`."""
    return case((column.between(least, MOST), column), else_=MOST)


def sizes(jobs: FromClause) -> ColumnElement[int]:
    """Return the number of items of each job, for sums."""
    return bounded(jobs.c.stop) - bounded(jobs.c.first)
