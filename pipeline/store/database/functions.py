"""Parts of SQL: the clock of the database and parameters that are many numbers, which SQLite and PostgreSQL write
differently, and the greatest number of a column that may hold anything."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    BindParameter,
    ColumnElement,
    Dialect,
    Float,
    Select,
    Text,
    TypeDecorator,
    bindparam,
    func,
    select,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction
from sqlalchemy.types import NullType, TypeEngine


class clock(GenericFunction[float]):  # noqa: N801 -- reads like the SQL function it is
    """Seconds since 1970 by the clock of the database. Leases use no other clock."""

    type = Float()
    inherit_cache = True


@compiles(clock, "sqlite")  # type: ignore[no-untyped-call,untyped-decorator,unused-ignore]
def _sqlite_clock(_element: clock, _compiler: SQLCompiler, **_options: Any) -> str:
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(clock, "postgresql")  # type: ignore[no-untyped-call,untyped-decorator,unused-ignore]
def _postgresql_clock(_element: clock, _compiler: SQLCompiler, **_options: Any) -> str:
    return "CAST(extract(epoch FROM clock_timestamp()) AS double precision)"


class NumberList(TypeDecorator[Sequence[int]]):
    """The type of a parameter that holds many numbers: text in JSON on SQLite, an array on PostgreSQL."""

    impl = Text
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of a database."""
        return dialect.type_descriptor(Text() if dialect.name == "sqlite" else ARRAY(BigInteger))

    def process_bind_param(self, value: Sequence[int] | None, dialect: Dialect) -> Any:
        """Return the parameter for a list of numbers."""
        return json.dumps(list(value or ())) if dialect.name == "sqlite" else list(value or ())


class one_of(GenericFunction[Any]):  # noqa: N801 -- reads like the SQL function it is
    """``one_of(column, parameter)``: whether a column has one of the numbers of a `NumberList`. In contrast to IN, the
    statement does not grow with the list, which takes SQLAlchemy longer to write than SQLite to execute."""

    type = NullType()  # SQLAlchemy would compare a Boolean with 1 on SQLite, which then would use no index
    inherit_cache = True


@compiles(one_of, "sqlite")  # type: ignore[no-untyped-call,untyped-decorator,unused-ignore]
def _sqlite_one_of(element: one_of, compiler: SQLCompiler, **options: Any) -> str:
    column, numbers = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({numbers}))"  # noqa: S608 -- a column and a parameter


@compiles(one_of, "postgresql")  # type: ignore[no-untyped-call,untyped-decorator,unused-ignore]
def _postgresql_one_of(element: one_of, compiler: SQLCompiler, **options: Any) -> str:
    column, numbers = (compiler.process(part, **options) for part in element.clauses)
    return f"{column} = ANY({numbers})"


NUMBER_LIST: BindParameter[Sequence[int]] = bindparam("numbers", type_=NumberList())
"""The parameter ``numbers``, for `one_of`."""


BEYOND_NUMBERS = 2**62
"""Greater than every number that Dealmill writes. In SQLite, it also sorts before every text stored in place of a
number."""


def greatest_below_end(column: ColumnElement[int], *conditions: ColumnElement[bool]) -> Select[int]:
    """Return a query for the greatest number below `BEYOND_NUMBERS` in a column of the rows that match `conditions`."""
    return select(func.max(column)).where(*conditions, column < BEYOND_NUMBERS)
