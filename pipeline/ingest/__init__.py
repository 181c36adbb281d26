"""Ingestion: reads files and ranges of deals into the store as sources."""
