"""Connections and transactions, tables, migrations."""
