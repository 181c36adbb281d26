"""Kernels: functions compiled by numba, whose machine code is cached between processes (see
`dealmill.pipeline.games.caches`). One process compiles at a time, with a message. numba is loaded only to compile, and
for the few kernels that `dealmill.pipeline.games.machine_code` cannot call.
"""

import fcntl
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property, update_wrapper
from importlib.metadata import version
from inspect import CO_VARARGS
from pathlib import Path
from sys import modules
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeVar, cast

from dealmill.pipeline.games.caches import CacheError, cache_folder, compiled_mark, package_folder
from dealmill.pipeline.games.machine_code import (
    ARRAY,
    RESULTS,
    VERSIONS,
    CallError,
    Linked,
    MachineCode,
    MissingError,
    link,
    load_linker,
    memory_functions,
    object_file,
    store,
    types_of,
)

P = ParamSpec("P")
R = TypeVar("R")

COMPILING = RLock()


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, and cache the machine code for later processes."""
    return Kernel(function)


def routine(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call and that allocates no arrays.

    Without a wrapper for Python, and without counting the references to arrays, which would take half of the time of a
    function that gets many of them.
    """
    return Kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=False)


def allocating(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call and that allocates arrays.

    It says so, since numba lets a function inherit these options from the one that is compiled first of its callers.
    """
    return Kernel(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=True, forceinline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function inline into its callers: passing an array costs as much as a short loop. Like a `routine`, it
    allocates no arrays."""
    return Kernel(function, forceinline=True, _nrt=False)


def intrinsic(describe: Callable[..., Any]) -> Callable[..., Any]:
    """Define an instruction for kernels, as `numba.extending.intrinsic` does, but load numba only to compile."""
    return cast(Callable[..., Any], Intrinsic(describe))


class Kernel(Generic[P, R]):
    """A function that is compiled for the types of its arguments. Calls from Python go to its own object file, calls
    from other kernels to a function of numba."""

    def __init__(self, function: Callable[P, R], **options: bool) -> None:
        update_wrapper(self, function)
        self._function = function
        self._options = options
        self._linked: dict[str, Linked | None] = {}
        source = modules[function.__module__].__file__
        assert source is not None  # noqa: S101 -- the module is being imported from a file
        self._folder = cache_folder(package_folder(Path(source)))

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        types = types_of(arguments)
        if types is None or named:
            return self.compiled(*arguments, **named)
        if types not in self._linked:
            with COMPILING:
                self._linked[types] = self._link(types, arguments)
        if linked := self._linked[types]:
            try:
                return cast(R, linked(arguments))
            except CallError:
                pass  # numba raises the exception itself
        return self.compiled(*arguments, **named)

    @cached_property
    def compiled(self) -> Callable[P, R]:
        """The function of numba."""
        return cast(Callable[P, R], self._compiler(cache=True, **self._options))

    @property
    def _numba_type_(self) -> Any:
        """What numba takes this function for in other kernels."""
        return self.compiled._numba_type_  # type: ignore[attr-defined]

    def _compiler(self, **options: bool) -> Any:
        numba = load_compiler()
        numba.config.CACHE_DIR = str(self._folder)
        return numba.njit(nogil=True, **options)(self._function)

    def _link(self, types: str, arguments: tuple[Any, ...]) -> Linked | None:
        """Link the object file for arguments of these types; write it first if there is none. Return None if it is
        empty, or if no object file is used. Values in a closure are not in the digest of the sources."""
        function, code = self._function, self._function.__code__
        simple = not function.__closure__ and code.co_argcount == len(arguments) and not code.co_flags & CO_VARARGS
        if not simple or not _links():
            return None
        file = object_file(self._folder, f"{function.__module__}.{function.__qualname__}-{code.co_firstlineno}", types)
        try:
            return link(file)
        except MissingError:
            store(file, _compile(self._compiler(no_cpython_wrapper=True, no_cfunc_wrapper=True), arguments))
            return link(file)


def _compile(compiler: Any, arguments: tuple[Any, ...]) -> MachineCode | None:
    """Compile a function for arguments of the types of these. Return None if its result cannot be passed, or its code
    needs more of the process than numba's functions for memory and the C library."""
    from numba import typeof, types

    argument_types = tuple(map(typeof, arguments))
    compiler.compile(argument_types)
    overload = compiler.overloads[argument_types]
    returned, library = overload.signature.return_type, overload.library
    is_array = isinstance(returned, types.Array) and returned.ndim == 1 and returned.layout == "C"
    result = f"{ARRAY}{returned.dtype}" if is_array else str(returned)
    called = {function.name for function in library._final_module.functions if function.is_declaration}
    others = {name for name in called - memory_functions().keys() if not name.startswith("llvm.")}
    if others or library.has_dynamic_globals or not (is_array or result in RESULTS):
        return None
    return MachineCode(overload.fndesc.llvm_func_name, result, library._get_compiled_object())


@cache
def _links() -> bool:
    """Return whether kernels are linked from object files: with the versions of numba with which that was tested, and
    without settings of numba, which may change what it compiles."""
    return version("numba") in VERSIONS and not any(name.startswith("NUMBA_") for name in os.environ)


def prepare_kernels() -> None:
    """Load what all kernels need, which the first call of a kernel would load otherwise. If this is done before a fork,
    the forked processes share it."""
    if _links():
        load_linker()
    else:
        load_compiler()


class Intrinsic:
    """A function of `numba.extending.intrinsic`, which is defined when a kernel that calls it is compiled."""

    def __init__(self, describe: Callable[..., Any]) -> None:
        self._describe = describe

    @cached_property
    def _numba_type_(self) -> Any:
        from numba.core.registry import cpu_target
        from numba.extending import intrinsic as define

        function = define(self._describe)
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context.resolve_value_type(function)


logger = logging.getLogger(__name__)


@contextmanager
def compiling(game_folder: Path, what: str) -> Iterator[None]:
    """Enclose code that compiles `what`, some kernels of the game in `game_folder`, unless their machine code is
    cached: one process compiles while others that need them wait, and logs that it does."""
    mark = compiled_mark(game_folder, what)
    UNLOGGED.append(what)
    try:
        if mark.exists():
            yield
            return
        load_compiler()
        with _locked(mark.with_name(f"{mark.name}.lock")):
            yield
            mark.touch()
    finally:
        if what in UNLOGGED:
            UNLOGGED.remove(what)


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = file.open("w")
    except OSError as error:  # it belongs to another user
        raise CacheError.about(file, error) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


UNLOGGED: list[str] = []
"""What is being loaded, until it is logged that it is compiled."""


@cache
def load_compiler() -> Any:
    """Import numba and return it; have it log the first of several compilations."""
    import numba
    from numba.core.event import Listener, register

    class Log(Listener):
        def on_start(self, event: object) -> None:
            if UNLOGGED:
                logger.warning("compiling %s (takes seconds, once per version)", UNLOGGED.pop())

        def on_end(self, event: object) -> None:
            pass

    register("numba:compile", Log())  # type: ignore[no-untyped-call]
    return numba
