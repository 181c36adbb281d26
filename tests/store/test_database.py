"""The two kinds of transaction, on both databases."""

import sqlite3
from typing import Any

import pytest
from sqlalchemy import Connection, func, select, text, update

from dealmill.pipeline.errors import StoreError, StoreUnavailable
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.sqlite import EmbeddedConnection
from dealmill.pipeline.store.database.tables import sources
from dealmill.pipeline.store.sources.writing import open_source


def counted(connection: Connection) -> int:
    return connection.execute(select(func.count()).select_from(sources)).scalar_one()


def test_a_read_transaction_sees_one_snapshot(database: Database) -> None:
    open_source(database, "memory", "a.txt", b"a")
    with database.reading() as connection:
        assert counted(connection) == 1
        open_source(database, "memory", "b.txt", b"b")
        assert counted(connection) == 1
    with database.reading() as connection:
        assert counted(connection) == 2


def test_only_browsing_transactions_may_be_idle(database: Database) -> None:
    if database.embedded:
        return
    patience = text("SHOW idle_in_transaction_session_timeout")
    with database.reading() as connection:
        assert connection.execute(patience).scalar() == "1min"
    with database.browsing() as connection:
        assert connection.execute(patience).scalar() == "0"
    with database.writing() as connection:
        assert connection.execute(patience).scalar() == "1min"


def test_a_value_that_is_too_large_is_not_waited_for(database: Database) -> None:
    if database.embedded:
        return
    large = select(func.jsonb_build_object("a", func.repeat("x", 2**28)))  # more than the server allows
    with pytest.raises(StoreError) as refused, database.reading() as connection:
        connection.execute(large)
    assert not isinstance(refused.value, StoreUnavailable), refused.value


def test_an_interrupt_in_the_middle_of_a_command_is_not_hidden_by_an_error(database: Database) -> None:
    open_source(database, "memory", "a.txt", b"a")
    with pytest.raises(KeyboardInterrupt), database.writing() as connection:
        connection.execute(update(sources).values(rejected=1))
        if not database.embedded:
            driver: Any = connection.connection.driver_connection
            driver.pgconn.send_query(b"SELECT pg_sleep(60)")
        raise KeyboardInterrupt
    with database.writing() as connection:
        assert connection.execute(select(sources.c.rejected)).scalar_one() == 0


def test_an_interrupt_while_a_lock_is_awaited_is_not_hidden_by_an_error() -> None:
    connection = sqlite3.connect(":memory:", factory=EmbeddedConnection)

    def interrupt() -> None:
        connection.close()  # as SQLAlchemy does when a signal arrives within a statement
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        connection.wait(interrupt)
