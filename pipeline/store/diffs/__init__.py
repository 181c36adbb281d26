"""The differences between two runs: rows by a query, compact runs block by block."""
