"""Queries: the results of some runs that match a filter, page by page or in another order, and which runs these are."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import chain, islice
from time import monotonic
from typing import TYPE_CHECKING, overload

from sqlalchemy import ColumnElement, false, or_

from dealmill.pipeline.arguments import check_integer
from dealmill.pipeline.errors import DamagedResults, NotFoundError, RetractedError, UsageError
from dealmill.pipeline.evidence.referee import Outcome
from dealmill.pipeline.games import find_engine, find_game
from dealmill.pipeline.games.verdict import Verdict
from dealmill.pipeline.printable import printable
from dealmill.pipeline.results.measures import Order
from dealmill.pipeline.results.result import Result
from dealmill.pipeline.store.audits.audit import latest_audits
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import engines, runs, sources
from dealmill.pipeline.store.filters import BEHIND, BY_POSITION, Filter, Ordering
from dealmill.pipeline.store.runs.finding import Runs, check_not_deleted, find_run, list_run_ids
from dealmill.pipeline.store.runs.status import RunStatus, check_jobs
from dealmill.pipeline.store.sources.source import find_source
from dealmill.pipeline.store.storages.arrow import QUERY_COLUMNS, Tabular, record_batch, schema_of
from dealmill.pipeline.store.storages.choice import runs_by_storage, storage_of
from dealmill.pipeline.store.storages.storage import NO_RESULTS, Page, VerdictStorage

if TYPE_CHECKING:
    import pyarrow as pa


PAGE = 2_000

Item = str | tuple[int, int]
"""An item as named by a caller: ``"3:17"`` or ``(3, 17)``, a run and a position."""

FIRST_ITEM, LAST_ITEM = (0, 0), (BEHIND, 0)
"""Items before and behind all items."""


@dataclass(frozen=True, slots=True)
class Searched:
    """The results that a search found in its time, and before the first one that cannot be read. `reached` is the item
    (run and position) up to which it searched, to continue from there; None if the search is complete."""

    results: list[Result]
    reached: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Query(Tabular):
    """The results of these runs that match `filter`, between the items `after` and `before` (run and position, both
    exclusive), the first `limit` of them in the given order.

    Each iteration queries the store from the start, page by page; ``query[0]`` is the first result, and ``query[:10]``
    a list of the first ten. If a result cannot be read, those before it are returned, and then a `DamagedError` is
    raised. An order other than that of positions holds `limit` results in memory.
    """

    database: Database
    runs: Sequence[RunStatus]
    filter: Filter
    after: tuple[int, int] = FIRST_ITEM
    limit: int | None = None
    before: tuple[int, int] = LAST_ITEM
    ordering: Ordering = BY_POSITION

    def __repr__(self) -> str:
        run_ids = ", ".join(map(str, self.run_ids))
        return f"<Query of run{'' if len(self.run_ids) == 1 else 's'} {run_ids or 'none'}>"

    def __iter__(self) -> Iterator[Result]:
        if self.ordering.order is not Order.POSITION and self.limit is not None:
            return iter(nsmallest(self.limit, self._first(self.limit), self.ordering.key))
        return islice(chain.from_iterable(page.results for page in self.pages()), self.limit)

    @overload
    def __getitem__(self, index: int) -> Result: ...
    @overload
    def __getitem__(self, index: slice) -> list[Result]: ...
    def __getitem__(self, index: int | slice) -> Result | list[Result]:
        """Return one result, or a list of some, counted from 0. All results before them are read.

        Raises
        ------
        IndexError
            If there are not so many results.
        UsageError
            If a number is negative.
        """
        numbers = (index.start, index.stop, index.step) if isinstance(index, slice) else (index,)
        if any(number is not None and number < 0 for number in numbers):
            raise UsageError("a query counts from its first result: for the last one, use descending=True")
        if isinstance(index, slice):
            return list(islice(self._upto(index.stop), *numbers))
        for result in islice(self._upto(index + 1), index, None):
            return result
        raise IndexError(f"the query has no result number {index}")

    def _upto(self, count: int | None) -> "Query":
        """Return the query of the first `count` of its results, or of all."""
        limits = [limit for limit in (self.limit, count) if limit is not None]
        return replace(self, limit=min(limits, default=None))

    def count(self) -> int:
        """Return the number of results. Without conditions other than on verdicts, this reads only the totals of the
        runs; otherwise, it reads the results."""
        if (total := self._total()) is not None:
            return total
        number = 0
        for page in replace(self, ordering=BY_POSITION).pages():
            number += len(page)
            if self.limit is not None and number >= self.limit:
                return self.limit
        return number

    def count_by_nodes(self) -> Counter[tuple[Verdict, int]]:
        """Return the number of results by verdict and node count. Without a limit and positions, this takes a second
        for a million results that are stored as rows.

        Raises
        ------
        UsageError
            If there is only one run, it is compact, and the results that audits found valid are wanted.
        NotFoundError
            If a run was deleted meanwhile.
        DamagedError
            If a result cannot be read.
        """
        if (self.after, self.before, self.limit) != (FIRST_ITEM, LAST_ITEM, None):
            return Counter((result.verdict, result.nodes) for result in self)
        self._check_listed()
        counts = Counter[tuple[int, int]]()
        for run in Runs(self.database, self.run_ids):
            if _can_list(storage_of(run), self.filter):
                counts += storage_of(run).node_counts(self.database, run, self.filter)
        self._check_not_deleted()
        return Counter({(Verdict(verdict), nodes): count for (verdict, nodes), count in counts.items()})

    def _total(self) -> int | None:
        """Return the number of results by the totals of the runs; None if these cannot tell it."""
        verdicts = self.filter.verdict
        if (self.filter, self.after, self.before) != (Filter(verdicts), FIRST_ITEM, LAST_ITEM):
            return None
        number = 0
        for run in Runs(self.database, self.run_ids):
            check_jobs(run)
            number += sum(run.counts.get(verdict, 0) for verdict in set(verdicts or Verdict))
        self._check_not_deleted()
        return number if self.limit is None else min(number, self.limit)

    def to_arrow(self) -> "pa.Table":
        """Return the results as an Arrow table.

        The columns are ``run``, ``engine``, those of an exported file and, if the query filters by audit outcome,
        ``audit``, ``step`` and ``reason``.

        Raises
        ------
        UsageError
            If the extra ``parquet`` is not installed.
        """
        return self.to_batches().read_all()

    def to_batches(self) -> "pa.RecordBatchReader":
        """Return a reader of the results as Arrow record batches, which reads them page by page. DuckDB, Polars and
        others read from it, too, in bounded memory. See `to_arrow` for the columns and errors."""
        schema = schema_of([*QUERY_COLUMNS, *(Result.AUDIT_COLUMNS if self.filter.audit else ())])
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(schema, self._batches(schema))

    def _batches(self, schema: "pa.Schema") -> "Iterator[pa.RecordBatch]":
        if self.ordering.order is not Order.POSITION:
            rows = [
                {**result.row, **{name: getattr(result, name) for name in ("run", "engine", "position", "verdict")}}
                for result in self
            ]
            yield record_batch(schema, {name: [row[name] for row in rows] for name in schema.names})
            return
        left = self.limit
        for page in self.pages():
            columns = page.table if left is None else {name: column[:left] for name, column in page.table.items()}
            yield record_batch(schema, columns)
            if left is not None:
                left -= len(columns["position"])
                if not left:
                    return

    def pages(self, skip: Callable[[DamagedResults], object] | None = None) -> Iterator[Page]:
        """Yield the results in pages, in order of position. Results that cannot be read are passed to `skip`, if given,
        and left out.

        Raises
        ------
        UsageError
            If there is only one run, it is compact, and the results that audits found valid are wanted.
        NotFoundError
            If a run was deleted meanwhile.
        DamagedError
            If a result cannot be read, and there is no `skip`.
        """
        self._check_listed()
        size = PAGE if self.limit is None else max(1, min(self.limit, PAGE))
        backwards = self.ordering.descending
        run_ids, read = self.run_ids, list[int]()
        runs = self.runs[bisect_left(run_ids, self.after[0]) : bisect_right(run_ids, self.before[0])]
        for run in reversed(runs) if backwards else runs:
            after = self.after[1] if run.id == self.after[0] else 0
            before = self.before[1] if run.id == self.before[0] else BEHIND
            end: int | None = 0 if _can_list(storage_of(run), self.filter) else None
            read.append(run.id)
            if self.filter != Filter():
                check_jobs(run)  # their totals tell where to search
            while end is not None:
                page, damage = self._page(run, after, before, size)
                yield page
                end = page.end
                if damage is not None and end is None:
                    check_not_deleted(self.database, [run.id])
                    end = damage.first if backwards else damage.last
                    if skip is None:
                        further = f"--{'before' if backwards else 'after'} {run.id}:{end}"
                        way = f"list the rest with: dealmill query {further}, or export it with --skip-damaged"
                        raise DamagedResults(run.id, damage.first, damage.last, damage.reason, way)
                    skip(damage)
                if end is not None:
                    after, before = (after, end) if backwards else (end, before)
        check_not_deleted(self.database, read)

    def _page(self, run: RunStatus, after: int, before: int, size: int) -> tuple[Page, DamagedResults | None]:
        """Return the next page of a run, and the error for the results behind it if these cannot be read."""
        damage, backwards = None, self.ordering.descending
        while after + 1 < before:
            try:
                page = storage_of(run).page(
                    self.database, run, self.filter, after, size, before=before, backwards=backwards
                )
            except DamagedResults as error:
                damage = error
                after, before = (error.last, before) if backwards else (after, error.first)
            else:
                return page, damage
        return Page(run, NO_RESULTS, None), damage

    def _first(self, count: int) -> Iterator[Result]:
        """Yield results in any order, among them the first `count` in the order of the query."""
        self._check_listed()
        for storage, run_ids in runs_by_storage(self.database, self.run_ids):
            if _can_list(storage, self.filter):
                yield from storage.ordered(self.database, run_ids, self.filter, self.ordering, count)
        self._check_not_deleted()

    def search(self, seconds: float) -> Searched:
        """Search for the results in order of position, and stop after about this many seconds.

        Raises
        ------
        UsageError
            If the order is another one.
        DamagedError
            If the first result cannot be read.
        """
        if self.ordering.order is not Order.POSITION:
            raise UsageError(f"a search is in order of position, not of {self.ordering.order}: leave out the order")
        end, results = monotonic() + seconds, list[Result]()
        try:
            for page in self.pages():
                results += page.results
                if self.limit is not None and len(results) >= self.limit:
                    return Searched(results[: self.limit], None)
                if page.end is not None and monotonic() >= end:
                    return Searched(results, (page.run.id, page.end))
        except DamagedResults as damage:
            if not results:
                raise
            reached = damage.last + 1 if self.ordering.descending else damage.first - 1
            return Searched(results, (damage.run, reached))  # continuing there raises the error again
        return Searched(results, None)

    def _check_not_deleted(self) -> None:
        """Check that none of the runs that a caller has named was deleted. Of all runs in a store, those are left
        out."""
        if not isinstance(self.runs, Runs):
            check_not_deleted(self.database, self.run_ids)

    def _check_listed(self) -> None:
        """Check that the record has what is needed to list the wanted results, if there is only one run.

        Raises
        ------
        UsageError
            If it has not.
        """
        if len(self.runs) == 1 and self.unlisted:
            raise UsageError(
                f"run {self.run_ids[0]} is compact: audits of compact runs only record verdicts that are invalid or "
                "lack evidence"
            )

    @property
    def run_ids(self) -> Sequence[int]:
        """The numbers of the runs."""
        return self.runs.run_ids if isinstance(self.runs, Runs) else [run.id for run in self.runs]

    @property
    def unfinished(self) -> list[RunStatus]:
        """The runs that have layouts without a verdict."""
        return self.runs.unfinished if isinstance(self.runs, Runs) else [run for run in self.runs if not run.finished]

    @property
    def are_numbered(self) -> bool:
        """Whether all runs are over numbered deals."""
        if isinstance(self.runs, Runs):
            return self.runs.are_numbered
        return all(run.deals is not None for run in self.runs)

    @property
    def unlisted(self) -> list[RunStatus]:
        """The compact runs, if valid verdicts are queried: audits of compact runs only count those."""
        if self.filter.audit is not Outcome.VALID:
            return []
        return [run for run in self.runs if not _can_list(storage_of(run), self.filter)]

    @property
    def unaudited(self) -> list[RunStatus]:
        """The runs without an audit that could answer the query, if it filters by audit outcome."""
        audited = latest_audits(self.database) if self.filter.audit else None
        return (
            []
            if audited is None
            else [run for run in self.runs if run.id not in audited and _can_list(storage_of(run), self.filter)]
        )


def query_of(
    database: Database,
    runs: Sequence[RunStatus],
    filter_: Filter,
    after: Item,
    limit: int | None,
    *,
    before: Item | None = None,
    order: Order | str = Order.POSITION,
    descending: bool = False,
) -> Query:
    """Return the query of a caller.

    Raises
    ------
    UsageError
        If `after` or `before` is not an item, there is no such order, or `limit` is below 0. If the order is not
        that of positions: if there is no `limit`, or `after` or `before` is given.
    NotFoundError
        If `after` or `before` is text and there is no such run.
    """
    start = _item(database, "after", after)
    end = LAST_ITEM if before is None else _item(database, "before", before)
    ordering = Ordering(Order.of(order), descending)
    if ordering.order is not Order.POSITION:
        if limit is None:
            raise UsageError(f"results ordered by {ordering.order} need a limit: add --limit N, or limit=N in Python")
        if start != FIRST_ITEM or before is not None:
            raise UsageError(
                f"results ordered by {ordering.order} have no pages: leave out after and before, and raise the limit"
            )
    checked_limit = None if limit is None else check_integer("limit", limit)
    return Query(database, runs, filter_, start, checked_limit, end, ordering)


def _item(database: Database, what: str, item: Item) -> tuple[int, int]:
    if isinstance(item, str):
        key, position = parse_item(item)
        item = find_run(database, key).id, position
    if not isinstance(item, tuple) or len(item) != 2:
        raise UsageError(f"{what} must be an item, such as '3:17' or (3, 17), not {item!r}")
    run, position = (check_integer(what, number) for number in item)
    return run, position


def parse_item(text: str) -> tuple[str, int]:
    """Parse ``RUN:POSITION``, as shown in the first column of a query, into the run and the position.

    Raises
    ------
    UsageError
        If the text does not have this form.
    """
    match = re.fullmatch(r"(\d{1,9}|last):(\d{1,18})", text, re.ASCII) if isinstance(text, str) else None
    if not match:
        raise UsageError(f"{text!r} is not an item; write RUN:POSITION, as in 3:17")
    return match[1], int(match[2])


def matching_runs(
    database: Database,
    game: str | None,
    engine: str | None,
    source: str | None,
    *,
    run: int | None = None,
    retracted: bool,
) -> Runs:
    """Return the runs of a game, an engine (see `find_engine`) or a source (number or name), all of them or only `run`,
    oldest first. They are either the retracted ones or those that are not retracted.

    Raises
    ------
    NotFoundError
        If there is no such game or engine, neither here nor of a run, or the source does not exist.
    """
    conditions: list[ColumnElement[bool]] = [
        engines.c.retracted_why.is_not(None) if retracted else engines.c.retracted_why.is_(None)
    ]
    if run is not None:
        conditions.append(runs.c.id == run)
    if game is not None:
        conditions.append(_of_game(database, game))
    if engine is not None:
        conditions.append(_of_engine(database, engine))
    if source is not None:
        over = find_source(database, source)
        named = sources.c.name == over.name if over.name == printable(source) else false()
        conditions.append(or_(runs.c.source_id == over.id, named))
    return Runs(database, list_run_ids(database, *conditions))


def _of_game(database: Database, game: str) -> ColumnElement[bool]:
    try:
        return sources.c.game.in_({game, find_game(game).name})
    except NotFoundError:
        condition = sources.c.game == game
        if not list_run_ids(database, condition):
            raise
        return condition


def _of_engine(database: Database, engine: str) -> ColumnElement[bool]:
    try:
        game, definition = find_engine(engine)
    except NotFoundError:
        if not list_run_ids(database, engines.c.name == engine):
            raise
        return engines.c.name == engine
    return engines.c.name == game.full_name(definition)


def unless_retracted(run: RunStatus, *, retracted: bool) -> RunStatus:
    """Return the run if it is not retracted, or if `retracted` asks for retracted runs.

    Raises
    ------
    RetractedError
        Otherwise.
    """
    if run.retracted is not None and not retracted:
        raise RetractedError(
            f"run {run.id} was retracted ({run.retracted}); show it with --retracted, or retracted=True in Python"
        )
    return run


def _can_list(storage: VerdictStorage, filter_: Filter) -> bool:
    """Return whether records of runs that are stored in this way have what is needed to list the wanted results."""
    return filter_.audit is not Outcome.VALID or storage.stores_valid_judgements


def find_result(database: Database, run: RunStatus, position: int) -> Result:
    """Return the result of one item of a run.

    Raises
    ------
    UsageError
        If the position is below 1.
    NotFoundError
        If the item has no verdict, or none yet.
    DamagedError
        If the record of the item cannot be read.
    """
    position = check_integer("the position", position, 1)
    results = list(Query(database, [run], Filter(), after=(run.id, position - 1), before=(run.id, position + 1)))
    if not results:
        why = f"it has {run.items:,} items" if run.finished else f"see its progress with: dealmill status {run.id}"
        raise NotFoundError(f"run {run.id} has no verdict on item {position}; {why}")
    return results[0]
