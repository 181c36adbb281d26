"""Dealmill: a solver farm for solitaire and puzzle layouts. Every result can be verified.

A layout passes through these packages: ``ingest`` reads and validates a file, ``store.planning`` plans the work and
divides it into jobs, the workers claim jobs, ``solving`` runs an engine from ``games`` on a batch, ``evidence`` has the
referee and the digests of what is stored, ``store`` records the verdicts, ``store.queries`` finds them again, and
``results`` says what a result is. ``outputs`` writes files, and ``survey`` estimates the share of winnable deals.
"""
