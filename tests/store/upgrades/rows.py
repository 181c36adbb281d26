"""All rows of a store as JSON."""

from typing import Any

from sqlalchemy import Connection, LargeBinary, MetaData, Table, text

from tests.store.upgrades import Json


def dump(connection: Connection) -> Json:
    """Return the columns of all tables but Alembic's, each with its values in the order of the rows."""
    metadata = MetaData()
    metadata.reflect(connection)
    return {
        table.name: _columns(connection, table) for table in metadata.sorted_tables if table.name != "alembic_version"
    }


def _columns(connection: Connection, table: Table) -> Json:
    rows = connection.execute(table.select().order_by(*table.primary_key)).all()
    return {column.name: [_encoded(row[number]) for row in rows] for number, column in enumerate(table.columns)}


def _encoded(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value


def load(connection: Connection, tables: Json) -> None:
    """Insert rows into empty tables."""
    metadata = MetaData()
    metadata.reflect(connection)
    assert set(tables) == set(metadata.tables) - {"alembic_version"}
    for table in metadata.sorted_tables:
        columns = tables.get(table.name, {})
        names = list(columns)
        values = [_decoded(table, name, columns[name]) for name in names]
        if rows := [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]:
            connection.execute(table.insert(), rows)
            if connection.dialect.name == "postgresql" and "id" in columns:
                sequence = f"pg_get_serial_sequence('{table.name}', 'id')"
                connection.execute(text(f"SELECT setval({sequence}, {max(columns['id'])})"))


def _decoded(table: Table, column: str, values: list[Any]) -> list[Any]:
    if isinstance(table.c[column].type, LargeBinary):
        return [None if value is None else bytes.fromhex(value) for value in values]
    return values
