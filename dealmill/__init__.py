"""Dealmill: a solver farm for solitaire and puzzle layouts whose answers anyone can check.

>>> import dealmill
>>> result = dealmill.solve("memory", "ABBA")
>>> result.value, result.evidence
(8, '1 2 3 4 1 4 2 3')
>>> result.check().valid
True

Functions that need no store are `deals`, `solve`, `check`, `answer` and `games`. `open` opens a store, in which sources
are kept, local workers solve runs, and results are queried, audited, repeated and exported. `db` creates and upgrades
its tables, and `doctor` checks the installation. `progress` has the events of long work. Every error that is raised on
purpose is a `DealmillError`.

Importing this package loads next to nothing: each name is imported when it is first used. ``__init__.pyi`` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
