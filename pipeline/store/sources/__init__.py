"""Sources: layouts and rejects in order, their digests, and the index of all layouts."""
