"""Kernels: functions that numba compiles, with the routines that they call. Their machine code is in numba's cache, in
the folders of `dealmill.pipeline.games.caches`. One process compiles at a time, with a message.
"""

import fcntl
import logging
import pickle
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from sys import modules
from tempfile import TemporaryDirectory
from typing import Any, NoReturn, ParamSpec, TypeVar

import numba
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.event import Event, Listener, install_listener, register
from numba.core.registry import cpu_target
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps

from dealmill.pipeline.games.caches import (
    CacheError,
    cache_folder,
    check_may_compile,
    compiled_mark,
    package_folder,
)

P = ParamSpec("P")
R = TypeVar("R")

DIGEST_SIZE = 16

logger = logging.getLogger(__name__)


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function at its first call, and cache the machine code for later processes."""
    file = modules[function.__module__].__file__
    assert file is not None  # noqa: S101 -- the module is being imported from a file
    source = Path(file)
    numba.config.CACHE_DIR = str(cache_folder(package_folder(source)))  # type: ignore[attr-defined]
    dispatcher: Any = numba.njit(nogil=True, pipeline_class=KernelCompiler)(function)
    dispatcher._cache = KernelCache(function, source)
    return dispatcher  # type: ignore[no-any-return]


def routine(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call and that allocates no arrays.

    Without a wrapper for Python, and without counting the references to arrays, which would take half of the time of a
    function that gets many of them.
    """
    return _called_by_kernels(function, _nrt=False, forceinline=False)


def allocating(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that only kernels call and that allocates arrays.

    It says so, since numba lets a function inherit these options from the one that is compiled first of its callers.
    """
    return _called_by_kernels(function, _nrt=True, forceinline=False)


def inlined(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function inline into its callers: passing an array costs as much as a short loop. Like a `routine`, it
    allocates no arrays."""
    return _called_by_kernels(function, _nrt=False, forceinline=True)


def _called_by_kernels(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    def refuse(*_arguments: Any, **_keywords: Any) -> NoReturn:
        raise TypeError(f"{function.__qualname__} is part of kernels and cannot be called from Python")

    decorate = numba.njit(  # type: ignore[call-overload]
        nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=RoutineCompiler, **options
    )
    dispatcher: Any = decorate(function)
    dispatcher._insert = lambda *_entry: None
    dispatcher._compile_for_args = refuse
    return dispatcher  # type: ignore[no-any-return]


class KernelCompiler(Compiler):
    """numba's compiler, for a kernel with the routines that it calls."""

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        """Compile a function. Set the environments of its routines, which `print` needs, as numba does for code from
        its cache."""
        result = super().compile_extra(function)  # type: ignore[no-untyped-call]
        for environment in result._find_referenced_environments():
            result.library.codegen.set_env(environment.env_name, environment)
        return result


class RoutineCompiler(Compiler):
    """numba's compiler, which stops at code that is neither optimized nor translated for the processor. That is done
    once, in each kernel for all that it calls. numba does it in each function for all that the function calls, which
    takes two thirds of the time."""

    def __init__(self, typing: Any, target: Any, _library: None, *rest: Any) -> None:
        library = RoutineLibrary(target.codegen(), "routine")  # type: ignore[no-untyped-call]
        super().__init__(typing, target, library, *rest)  # type: ignore[no-untyped-call]


class RoutineLibrary(JITCodeLibrary):
    """The code of a routine, for the libraries of kernels. If a version of numba names the first two methods otherwise,
    routines are compiled to the end, which only takes longer."""

    def _optimize_final_module(self) -> None:
        """Leave this to the kernel."""

    def _finalize_final_module(self) -> None:
        self._finalized = True

    @property
    def codegen(self) -> "RoutineLibrary":
        """What sets the environment of the code."""
        return self

    def set_env(self, _name: str, _environment: object) -> None:
        """Leave this to the kernel."""


class KernelCache(FunctionCache):
    """numba's cache of a function of the module in the file `source`, with files that are checked. numba itself runs
    what it finds in a file, whatever has happened to it, or fails with any exception; and it leaves the files of one
    installation unused in another one."""

    def __init__(self, function: Callable[..., Any], source: Path) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        package = package_folder(source)
        name = ".".join([*source.parent.relative_to(package).parts, self._impl.filename_base])
        self._cache_file = KernelFiles(cache_folder(package), name)  # type: ignore[assignment]

    def load_overload(self, signature: Any, target: Any) -> Any:
        """Return the function for some types of arguments; None if it is not in the cache. Unlike numba, load only what
        machine code needs, and not the compiler."""
        load_runtime()
        with self._guard_against_spurious_io_errors():
            return self._load_overload(signature, target)  # type: ignore[no-untyped-call]


class KernelFiles:
    """The files of a function in numba's cache: one for each combination of argument types and processor. A file begins
    with a digest of the rest. The files of numba itself share an index, which two processes cannot write at once."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def load(self, key: object) -> Any:
        """Return what was saved under a key; None if there is nothing, or the file is damaged."""
        try:
            stored = self._file(key).read_bytes()
        except FileNotFoundError:
            return None
        digest, content = stored[:DIGEST_SIZE], stored[DIGEST_SIZE:]
        if digest != _digest(content):
            return None
        saved_key, data = pickle.loads(content)  # noqa: S301 -- only this user can write to the folder
        return data if saved_key == key else None  # types of the same name

    def save(self, key: object, data: object) -> None:
        """Write a file.

        Raises
        ------
        CacheError
            If it cannot be written.
        """
        file, content = self._file(key), dumps((key, data))  # type: ignore[no-untyped-call]
        try:
            with TemporaryDirectory(dir=self._folder) as folder:
                written = Path(folder) / file.name
                written.write_bytes(_digest(content) + content)
                written.replace(file)
        except OSError as error:
            raise CacheError.about(file, error) from error

    def _file(self, key: object) -> Path:
        return self._folder / f"{self._name}.{_digest(repr(key).encode()).hex()}"


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=DIGEST_SIZE).digest()


def load_runtime() -> None:
    """Load the functions that machine code calls, which would otherwise happen at the first call of a kernel.

    If this is done before a fork, the forked processes share it.
    """
    rtsys.initialize(cpu_target.target_context)


@contextmanager
def compiling(game_folder: Path, what: str, seconds: float = 10.0) -> Iterator[None]:
    """Enclose code that compiles `what`, some kernels of the game in `game_folder`, unless their machine code is
    cached: one process compiles while others that need them wait.

    It logs that it compiles, and how long that took last time here; if it was never done, about how many `seconds` it
    takes.

    Raises
    ------
    UncompiledError
        If they are not compiled, and must not be now (`dealmill.pipeline.games.caches.nothing_compiled`).
    """
    mark = compiled_mark(game_folder, what)
    if not mark.exists():
        check_may_compile(what)
    with install_listener("numba:compile", log := _Log(what, mark.parent.with_name(f"{mark.name}.seconds"), seconds)):
        if mark.exists():
            yield
            return
        with _locked(mark.with_name(f"{mark.name}.lock")):
            begun = time.monotonic()
            yield
            mark.touch()
            if log.compiles:
                log.last.write_text(f"{time.monotonic() - begun:.0f}")


@contextmanager
def _locked(file: Path) -> Iterator[None]:
    """Hold a lock between processes, which ends with the process that holds it."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        lock = file.open("w")
    except OSError as error:  # it belongs to another user
        raise CacheError.about(file, error) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class _Log(Listener):
    """Log the first of several compilations. The file `last` says how many seconds all of them took last time."""

    def __init__(self, what: str, last: Path, seconds: float) -> None:
        self.compiles = False
        self.last = last
        self._what = what
        self._seconds = seconds

    def on_start(self, event: Event) -> None:
        if not self.compiles:
            took = f"took {self.last.read_text()} s last time" if self.last.exists() else f"about {self._seconds:.0f} s"
            logger.warning("compiling %s (%s, once per version)", self._what, took)
        self.compiles = True

    def on_end(self, event: Event) -> None:
        pass


class _Guard(Listener):
    """Refuse to compile what no `compiling` encloses while nothing must be compiled."""

    def on_start(self, event: Event) -> None:
        check_may_compile("a kernel")

    def on_end(self, event: Event) -> None:
        pass


register("numba:compile", _Guard())  # type: ignore[no-untyped-call]
