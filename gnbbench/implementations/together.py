"""Many training sets fitted and scored together, by implementations that can."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.core.many_splits import many_splits


def core_together(
    X: NDArray[np.float64], y: NDArray[Any], train_masks: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.unsignedinteger], NDArray[np.float64]]]:
    """Yield our core's labels and probabilities of all samples, some runs at a time."""
    for block in many_splits(X, y, train_masks):
        yield block.labels, block.predict_proba()
