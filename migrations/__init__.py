"""The numbered migrations of the store, up and down, for SQLite and PostgreSQL."""
