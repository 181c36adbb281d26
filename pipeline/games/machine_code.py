"""Machine code of kernels, stored in object files, and linked and called without numba: loading numba takes longer than
all else that a short command does.

A kernel is called by the calling convention of numba: the addresses of its result and of an error, then the arguments,
with arrays and named tuples as their parts. That is not part of numba's interface, so this module is used only with the
versions in `VERSIONS`. See ``docs/decisions/0003-kernel-cache.md``.
"""

import ctypes
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from importlib.machinery import PathFinder
from importlib.metadata import version
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import llvmlite
import numpy as np
from llvmlite import binding
from numpy.typing import NDArray

from dealmill.pipeline.games.caches import CacheError

VERSIONS = ("0.68.1",)
"""The versions of numba with which this has been tested."""
MEMORY = "numba.core.runtime._nrt_python"
"""The extension module with the functions that allocate and free arrays."""
DIGEST_SIZE = 16
ARRAY_WORDS = 7
"""The parts of an array with one dimension: what counts the references to its memory, and its Python object, both 0 for
an argument; the number of elements, their size, their address; its shape, and its strides."""
RESULTS: Mapping[str, Any] = {"none": None, "bool": ctypes.c_bool, "int64": ctypes.c_int64, "uint64": ctypes.c_uint64}
"""The types of results that are not arrays."""
ARRAY = "array of "

Linked = Callable[[Sequence[Any]], Any]


class MissingError(Exception):
    """A file has no machine code, or it is damaged."""


class CallError(Exception):
    """A kernel raised an exception."""


class MachineCode(NamedTuple):
    """A kernel, compiled for arguments of some types."""

    symbol: str
    result: str
    """One of `RESULTS`, or `ARRAY` and the type of the elements of an array with one dimension."""
    code: bytes
    """An object file."""


def types_of(arguments: Sequence[Any]) -> str | None:
    """Describe the types of arguments, as exactly as numba distinguishes them. Return None if one is not an integer, a
    contiguous array, or a named tuple of such."""
    types = list(map(_type_of, arguments))
    return None if None in types else ", ".join(map(str, types))


def _type_of(argument: Any) -> str | None:
    kind = type(argument)
    if kind is np.ndarray:
        flags, dtype = argument.flags, argument.dtype
        simple = dtype.kind in "biuf" and dtype.isnative and argument.ndim and flags.c_contiguous and flags.aligned
        return f"{dtype}[{argument.ndim}]{'' if flags.writeable else ' read-only'}" if simple else None
    if kind is int and -(2**63) <= argument < 2**63:
        return "int64"
    if kind is np.int64 or kind is np.uint64:
        return str(argument.dtype)
    if isinstance(argument, tuple) and hasattr(kind, "_fields") and (types := types_of(argument)):
        return f"{kind.__module__}.{kind.__qualname__}({types})"
    return None


def parts_of(arguments: Sequence[Any]) -> Iterator[int]:
    """Yield the parts of arguments that `types_of` can describe, each a 64-bit word."""
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            yield from (
                0,
                0,
                argument.size,
                argument.itemsize,
                argument.ctypes.data,
                *argument.shape,
                *argument.strides,
            )
        elif isinstance(argument, tuple):
            yield from parts_of(argument)
        else:
            yield int(argument)


def object_file(folder: Path, name: str, types: str) -> Path:
    """Return the file for a kernel and arguments of these types, on this processor and with these versions of Python
    and of the libraries that compile."""
    processor = binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()
    versions = sys.implementation.cache_tag, version("numba"), llvmlite.__version__, np.__version__
    key = json.dumps([name, types, *processor, *versions])
    return folder / f"{name}-{blake2b(key.encode(), digest_size=DIGEST_SIZE).hexdigest()}.object"


def store(file: Path, machine_code: MachineCode | None) -> None:
    """Write machine code to a file; an empty file if there is none.

    Raises
    ------
    CacheError
        If the file cannot be written.
    """
    content = b""
    if machine_code:
        content = json.dumps(machine_code[:2]).encode() + b"\n" + machine_code.code
        content = _digest(file, content) + content
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=file.parent) as folder:
            written = Path(folder) / file.name
            written.write_bytes(content)
            written.replace(file)
    except OSError as error:
        raise CacheError.about(file, error) from error


def link(file: Path) -> Linked | None:
    """Link the machine code in a file. Return None if the file is empty.

    The function that is returned runs without Python's lock. It raises `CallError` if the kernel raises an exception.

    Raises
    ------
    MissingError
        If there is no such file, or it is damaged or that of another kernel.
    """
    try:
        stored = file.read_bytes()
    except OSError as error:
        raise MissingError from error
    if not stored:
        return None
    digest, content = stored[:DIGEST_SIZE], stored[DIGEST_SIZE:]
    if digest != _digest(file, content):
        raise MissingError
    head, _, code = content.partition(b"\n")
    symbol, result = json.loads(head)
    load_linker()
    machine = binding.Target.from_default_triple().create_target_machine()  # each engine owns one
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()

    def call(arguments: Sequence[Any]) -> Any:
        parts = list(parts_of(arguments))
        types = [ctypes.c_void_p, ctypes.c_void_p, *[ctypes.c_int64] * len(parts)]
        function = ctypes.CFUNCTYPE(ctypes.c_int32, *types)(engine.get_function_address(symbol))
        returned, error = (ctypes.c_int64 * ARRAY_WORDS)(), ctypes.c_void_p()
        if function(ctypes.addressof(returned), ctypes.addressof(error), *parts):
            raise CallError
        if result.startswith(ARRAY):
            return _copied(returned, np.dtype(result.removeprefix(ARRAY)))
        return RESULTS[result] and RESULTS[result].from_buffer(returned).value

    return call


def _digest(file: Path, content: bytes) -> bytes:
    return blake2b(file.name.encode() + b"\0" + content, digest_size=DIGEST_SIZE).digest()


def _copied(words: "ctypes.Array[ctypes.c_int64]", dtype: "np.dtype[Any]") -> NDArray[Any]:
    """Return a copy of an array with these `ARRAY_WORDS`, and release its memory."""
    memory, _, count, size, data, *_ = words
    array = np.frombuffer(ctypes.string_at(data, count * size), dtype).copy()
    if memory:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(memory_functions()["NRT_MemInfo_release"])(memory)
    return array


@cache
def load_linker() -> None:
    """Load what links machine code."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    for name, address in memory_functions().items():
        binding.add_symbol(name, address)


def memory_functions() -> Mapping[str, int]:
    """Return the addresses of numba's functions for memory. Their module is loaded without the package around it."""
    if MEMORY not in sys.modules:
        package, *folders, _module = MEMORY.split(".")
        numba = find_spec(package)
        assert numba and numba.submodule_search_locations  # noqa: S101 -- it is installed with this package
        spec = PathFinder.find_spec(MEMORY, [str(Path(numba.submodule_search_locations[0], *folders))])
        assert spec and spec.loader  # noqa: S101
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[MEMORY] = module
    return {f"NRT_{name}": address for name, address in sys.modules[MEMORY].c_helpers.items()}
