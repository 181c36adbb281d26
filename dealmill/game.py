"""Everything that a game needs of Dealmill, except for its referee; see ``docs/add-a-game.md``.

`Game` is the base class of a game, and `Engine`, `Deals`, `Parameter` and `AnswerFormat` describe it. `Layout` and
`Reject` are what it reads, with the help of `EachLine` and `read_file`; `Texts` and `Solved` hold layouts and results
as arrays. `open_stream`, `below` and `shuffle` are random numbers for deals; `kernel` and `inlined` compile functions;
`scene` and its parts draw pictures. A referee imports only `dealmill.verdicts`.

Importing this module is fast: each name is loaded when it is first used. ``game.pyi`` lists all names. Names of arrays
load NumPy, and those of kernels and random numbers the compiler.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("dealmill", __file__)
