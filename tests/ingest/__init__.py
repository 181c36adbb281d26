"""Files read block by block."""
