"""Dealmill: a solver farm for solitaire and puzzle layouts with verifiable results.

>>> import dealmill
>>> result = dealmill.solve("memory", "ABBA")
>>> result.value, result.evidence
(8, '1 2 3 4 1 4 2 3')
>>> result.check().valid
True

The functions `deals`, `solve`, `check`, `answer` and `games` need no store. `open` opens a store of sources and runs:
local workers solve runs, and results can be queried, audited, rerun and exported. `db` creates and upgrades the tables
of a store, and `doctor` checks the installation. `progress` defines the events of long-running methods. All errors that
are raised deliberately derive from `DealmillError`.

Importing this package is fast: each name is loaded when it is first used. ``__init__.pyi`` lists all names.
"""

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("dealmill")
    return _load(name)
