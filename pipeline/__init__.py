"""Dealmill: a solver farm for solitaire and puzzle layouts whose answers anyone can check.

The way of a layout, room by room: ``ingest`` reads a file, ``runs`` plans the work and cuts it into
jobs, ``workers`` claim jobs, ``solve`` sends a batch through an engine of ``games``, ``store`` keeps
the verdicts, ``query`` reads them.
"""
