"""Pointers to arrays, for kernels with many routines, and items of arrays that are loaded ahead."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numpy.typing import NDArray

Item = TypeVar("Item", bound=np.generic)


def _first_item(_: Any, array: Any) -> Any:
    if numba.config.BOUNDSCHECK:  # type: ignore[attr-defined]

        def keep(context: Any, builder: Any, _: Any, arrays: Any) -> Any:
            return impl_ret_borrowed(context, builder, array, arrays[0])  # type: ignore[no-untyped-call]

        return array(array), keep

    def generate(context: Any, builder: Any, _: Any, arrays: Any) -> Any:
        return context.make_array(array)(context, builder, value=arrays[0]).data

    return types.CPointer(array.dtype)(array), generate  # type: ignore[no-untyped-call]


pointer_to = cast(Callable[[NDArray[Item]], NDArray[Item]], intrinsic(_first_item))
"""Returns a pointer to the first item of an array with one dimension, for a kernel to pass to routines instead of the
array: it is one word where the array is seven. It is used like the array, but has no length and no slices, and an index
does not count from the end. Where bounds are checked, it is the array itself."""


@intrinsic
def _load_ahead(_: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, _: Any, values: Any) -> Any:
        items = context.make_array(array)(context, builder, value=values[0]).data
        address = builder.bitcast(builder.gep(items, [values[1]]), cgutils.voidptr_t)
        to_read, to_keep, data = (ir.Constant(cgutils.int32_t, hint) for hint in (0, 3, 1))
        form = ir.FunctionType(ir.VoidType(), [address.type, *[cgutils.int32_t] * 3])
        load = builder.module.declare_intrinsic("llvm.prefetch", [address.type], form)
        builder.call(load, [address, to_read, to_keep, data])
        return context.get_dummy_value()

    return types.void(array, index), generate


load_ahead = cast(Callable[[NDArray[Any], int], None], _load_ahead)
"""Asks the processor for the item of an array at an index, any number, that is used soon."""
