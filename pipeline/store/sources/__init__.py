"""Sources: their layouts, their rejects, and digests of both."""
