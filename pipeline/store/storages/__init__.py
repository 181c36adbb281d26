"""The two storages of verdicts, rows and compact, behind one interface."""
