"""The migrations of the store, each numbered, up and down, for SQLite and PostgreSQL alike."""
