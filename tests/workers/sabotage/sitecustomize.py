"""Loaded by Python itself where this folder is on PYTHONPATH: makes an engine of Memory deadly for some layouts.

``DEADLY_LAYOUTS`` lists them with the signal that each brings upon its process: ``AABB=9 ABAB=11``; ``0`` only
breaks the engine.
"""

import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

ENGINE = "dealmill.pipeline.games.memory.engine"
DEADLY = dict(word.split("=") for word in os.environ["DEADLY_LAYOUTS"].split())


def sabotage(module: ModuleType) -> None:
    """Wrap the engine's function."""
    sound = module.two_pass

    from dealmill.pipeline.games.batch import Texts, to_strings

    def two_pass(layouts: Texts, *limit: int) -> object:
        for layout in to_strings(layouts):
            if DEADLY.get(layout) == "0":
                raise ValueError(layout)
            if layout in DEADLY:
                os.kill(os.getpid(), int(DEADLY[layout]))
        return sound(layouts, *limit)

    module.two_pass = two_pass  # type: ignore[attr-defined]


class Saboteur(MetaPathFinder):
    """Finds the engine's module as usual, and sabotages it once it is loaded."""

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """Only for that one module."""
        if name != ENGINE:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(name)
        sys.meta_path.insert(0, self)  # the module may be looked for before it is imported
        assert spec is not None and spec.loader is not None
        execute = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            sabotage(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


sys.meta_path.insert(0, Saboteur())
