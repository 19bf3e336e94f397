"""Array types shared by all packages except the core, which has its own."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
BoolArray: TypeAlias = NDArray[np.bool_]
CodeArray: TypeAlias = NDArray[np.intp]  # Positions in ``classes``, one per sample
CountArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]


def labels_in(answer: Any) -> Array:
    """Return an answer as an array; NumPy would turn all of a mixed list into text."""
    array = np.asarray(answer)
    may_mix = (
        array.dtype.kind == "U" and array.ndim == 1 and isinstance(answer, list | tuple)
    )
    if may_mix and not all(isinstance(label, str) for label in answer):
        array = np.array(answer, dtype=object)
    return array
