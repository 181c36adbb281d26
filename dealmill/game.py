"""Everything that a game needs of Dealmill, except for its referee; see ``docs/add-a-game.md``.

`Game` is the base class of a game, and `Engine`, `Deals`, `Parameter` and `AnswerFormat` describe it. `Layout` and
`Reject` are what it reads, with the help of `EachLine` and `read_file`; `Texts` and `Solved` hold layouts and results
as arrays. `open_stream`, `below` and `shuffle` are random numbers for deals; `kernel` and `inlined` compile functions;
`scene` and its parts draw pictures. A referee imports only `dealmill.verdicts`.

Importing this module is fast: each name is loaded when it is first used. ``game.pyi`` lists all names. Names of arrays
load NumPy, and those of kernels and random numbers the compiler.
"""

import ast
from importlib import import_module
from pathlib import Path

_MODULES = {
    alias.name: f"dealmill.{statement.module}"
    for statement in ast.parse(Path(__file__).with_suffix(".pyi").read_text()).body
    if isinstance(statement, ast.ImportFrom)
    for alias in statement.names
}
"""The module that defines each name. `lazy_loader` would also define all names in the package `dealmill`."""

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_MODULES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
