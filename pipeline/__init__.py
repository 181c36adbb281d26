"""Dealmill: a solver farm for solitaire and puzzle layouts. Every result can be verified.

A layout passes through these modules: ``ingest`` reads and validates a file, ``runs`` plans the work
and divides it into jobs, ``workers`` claim jobs, ``solve`` runs an engine from ``games`` on a batch,
``store`` records the verdicts, and ``results`` queries them.
"""
