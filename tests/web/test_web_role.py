"""The user of PostgreSQL with which the pages read the store: it can read all that they show, and write nothing."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from fastapi.testclient import TestClient

import dealmill
from dealmill import StoreError, UsageError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.tables import farm, metadata
from dealmill.pipeline.store.database.urls import database_url
from tests.servers import Postgres
from tests.servers import dealmill as command
from tests.web.conftest import client_of
from tests.web.shop import MEMORY, PAIRING, REJECTED, furnish
from tests.web.test_pages import PATHS

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(postgres_server: Postgres, tables: str) -> Iterator[Database]:
    """A furnished store on PostgreSQL."""
    database = Database(database_url(postgres_server.new_database(template=tables, lasting=True)))
    furnish(database)
    yield database
    database.close()


def url_of(database: Database, user: str | None = None) -> str:
    """Return the URL of a store for its own user or another one."""
    url = database.url.set(drivername="postgresql")
    return (url.set(username=user) if user else url).render_as_string(hide_password=False)


def test_the_user_of_the_pages_can_read_everything_and_write_nothing(store: Database, tmp_path: Path) -> None:
    env = {"DEALMILL_DATABASE_URL": url_of(store), "DEALMILL_WEB_DATABASE_URL": (url := url_of(store, "the-web%"))}
    for _ in range(2):  # as at each upgrade
        ran = command("db", "upgrade", "--web-role", cwd=tmp_path, env=env)
        assert (ran.returncode, ran.stderr.splitlines()[0]) == (0, "the user the-web% can read the store")
    with client_of(url) as client:
        assert {path: client.get(path).status_code for path in PATHS} == dict.fromkeys(PATHS, 200)
        _use_everything(client)
    with psycopg.connect(url, autocommit=True) as connection:
        for table in (*metadata.tables, *farm.tables, "alembic_version"):
            connection.execute(f"SELECT * FROM {table} LIMIT 1")
            [column] = connection.execute(
                "SELECT column_name FROM information_schema.columns WHERE table_name = %s LIMIT 1", [table]
            ).fetchall()
            for statement in (
                f"INSERT INTO {table} DEFAULT VALUES",
                f"UPDATE {table} SET {column[0]} = DEFAULT",
                f"DELETE FROM {table}",
                f"TRUNCATE {table} CASCADE",
                f"DROP TABLE {table} CASCADE",
            ):
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(statement)
        for statement in ("CREATE TABLE mine (a int)", "CREATE SCHEMA mine", "CREATE ROLE mine", "SET ROLE dealmill"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement)
    with (
        dealmill.open(url) as opened,
        pytest.raises(StoreError, match="if it is that of the pages, dealmill db upgrade --web-role permits"),
    ):
        opened.find_run(MEMORY).tag("mine")


def _use_everything(client: TestClient) -> None:
    """Use what pages do beside listing: search, compare in a process of its own, solve, judge, download."""
    for path in (
        f"/runs/{PAIRING}/layouts?order=nodes&desc=1",
        f"/runs/{REJECTED}/rejects",
        f"/runs/{PAIRING}/layouts.csv",
        f"/api/runs/{PAIRING}/results",
        "/check?game=memory&layout=ABBA",
        "/api/health",
        "/api/runs",
    ):
        assert client.get(path).status_code == 200, path


def test_a_user_that_could_write_is_refused(store: Database, postgres_server: Postgres) -> None:
    own = url_of(store)
    create_web_role = dealmill.db.create_web_role
    with pytest.raises(UsageError, match=r"must name the database test\d+ and a user of its own"):
        create_web_role(own, own)
    with pytest.raises(UsageError, match="a user of its own"):
        create_web_role(own, f"postgresql://web@/other?host={postgres_server.folder}")
    with pytest.raises(UsageError, match="the store is an SQLite file"):
        create_web_role("sqlite:///dealmill.db", own)
    with pytest.raises(UsageError, match="set DEALMILL_WEB_DATABASE_URL to"):
        create_web_role(own)
    with psycopg.connect(own, autocommit=True) as connection:
        for statement in (
            "CREATE ROLE mighty SUPERUSER LOGIN",
            "CREATE ROLE member NOINHERIT LOGIN IN ROLE dealmill",
            "CREATE ROLE writer LOGIN",
            "GRANT INSERT ON engines TO writer",
            "CREATE ROLE modest LOGIN IN ROLE dealmill",
        ):
            connection.execute(statement)
        for role in ("mighty", "member", "writer"):
            with pytest.raises(StoreError, match=f"the role {role} may write to the store"):
                create_web_role(own, url_of(store, role))
        with pytest.raises(StoreError, match=r'modest may not create other users.* ALTER ROLE "modest" CREATEROLE'):
            create_web_role(url_of(store, "modest"), url_of(store, "pages"))
        connection.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
        with pytest.raises(StoreError, match=r"change that by: REVOKE CREATE ON SCHEMA \S+ FROM PUBLIC"):
            create_web_role(own, url_of(store, "creator"))
        assert not connection.execute("SELECT FROM pg_roles WHERE rolname = 'creator'").fetchone()  # undone
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
