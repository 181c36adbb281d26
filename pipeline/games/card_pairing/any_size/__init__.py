"""Card pairing of any size: conflict-driven learning over options, and its evidence."""
