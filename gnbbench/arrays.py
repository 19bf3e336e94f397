"""Array types shared by all packages except the core, which has its own."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
BoolArray: TypeAlias = NDArray[np.bool_]
CodeArray: TypeAlias = NDArray[np.intp]  # Positions in ``classes``, one per sample
CountArray: TypeAlias = NDArray[np.int64]
FloatArray: TypeAlias = NDArray[np.float64]
