"""Pointers to arrays, for kernels with many routines."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types
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
