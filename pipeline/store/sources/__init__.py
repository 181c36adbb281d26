"""Sources: their layouts and rejects, and the digests of both."""
