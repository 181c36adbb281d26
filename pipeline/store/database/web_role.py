"""The role of a PostgreSQL server with which the pages read a store, and cannot write."""

from sqlalchemy import Connection, text
from sqlalchemy.engine import URL

from dealmill.pipeline.errors import StoreError, UsageError
from dealmill.pipeline.store.database.connections import Database
from dealmill.pipeline.store.database.revisions import alembic_version, check_revision
from dealmill.pipeline.store.database.tables import farm, metadata
from dealmill.pipeline.store.database.views import views

SETTING = "DEALMILL_WEB_DATABASE_URL"
EXISTS = text("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :role)")
MAY_CREATE_ROLES = text("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")
SCHEMA = text("SELECT current_schema()")
MAY_WRITE = text(
    "SELECT EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = ANY(:names) "
    "AND (has_table_privilege(:role, oid, 'INSERT, UPDATE, DELETE, TRUNCATE') "
    "OR pg_has_role(:role, relowner, 'MEMBER')))"
)
MAY_CREATE = text("SELECT has_schema_privilege(:role, current_schema(), 'CREATE')")


def create_web_role(database: Database, url: URL) -> str:
    """Create the role that a URL names, let it read the tables and views of a store, and return its name. A role that
    exists gets the password of the URL.

    Raises
    ------
    UsageError
        If the URL does not name a user of its own for the database of the store, or that is an SQLite file.
    StoreError
        If the role could write, the tables are of another version, or the user of `database` may not create roles.
    """
    if database.embedded:
        raise UsageError("only PostgreSQL has roles, and the store is an SQLite file; use --web-role without it")
    role = url.username
    if not role or role == database.url.username or url.database != database.url.database:
        raise UsageError(
            f"{SETTING} must name the database {database.url.database} and a user of its own, which is created: "
            f"postgresql://USER:PASSWORD@HOST/{database.url.database}"
        )
    with database.writing() as connection:
        check_revision(connection)
        names = [*metadata.tables, *farm.tables, alembic_version.name, *views("postgresql")]
        quoted = connection.dialect.identifier_preparer.quote_identifier
        password = url.password and f" PASSWORD '{_verifier(connection, role, str(url.password))}'"
        exists = connection.execute(EXISTS, {"role": role}).scalar_one()
        if (password or not exists) and not connection.execute(MAY_CREATE_ROLES).scalar_one():
            owner = database.url.username
            raise StoreError(
                f"the user {owner} may not create other users, nor change their passwords; let an administrator of the "
                f"server permit it, ALTER ROLE {quoted(str(owner))} CREATEROLE, and start the command again"
            )
        if not exists:
            connection.exec_driver_sql(f"CREATE ROLE {quoted(role)} LOGIN{password or ''}")
        elif password:
            connection.exec_driver_sql(f"ALTER ROLE {quoted(role)} LOGIN{password}")
        schema = quoted(connection.execute(SCHEMA).scalar_one())
        connection.exec_driver_sql(f"GRANT USAGE ON SCHEMA {schema} TO {quoted(role)}")
        tables = ", ".join(f"{schema}.{quoted(name)}" for name in names)
        connection.exec_driver_sql(f"GRANT SELECT ON {tables} TO {quoted(role)}")
        if connection.execute(MAY_WRITE, {"role": role, "names": names}).scalar_one():
            raise StoreError(
                f"the role {role} may write to the store; name another user in {SETTING}, which is created"
            )
        if connection.execute(MAY_CREATE, {"role": role}).scalar_one():
            raise StoreError(
                f"the role {role} may create tables, as everybody may in a PostgreSQL before version 15; change that "
                f"by: REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC"
            )
    return role


def _verifier(connection: Connection, role: str, password: str) -> str:
    """Return what the server stores of a password, so that the password itself does not get into its log."""
    opened = connection.connection.driver_connection
    assert opened is not None  # noqa: S101 -- it is in a transaction
    verifier: bytes = opened.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256")
    return verifier.decode()
