"""Checkers: programs in one file that check an export with nothing but Python.

`build` writes them. Everything else here is part of each checker, together with the rules of a game and the referee:
`facts`, `json_lines` or `csv_rows`, and `program`, the main part.
"""
