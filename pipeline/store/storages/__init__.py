"""The two storages of verdicts, rows and packed, behind one interface."""
