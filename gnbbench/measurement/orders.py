"""Orders of competitors within rounds, balanced for position and for carry-over."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray


def williams_design(n_competitors: int) -> NDArray[np.intp]:
    """Return rounds in which every competitor follows every other equally often.

    An even number of competitors needs one Latin square, an odd number that square
    and its mirror image (Williams, 1949). Competitors also stand equally often in
    every position. For two competitors the rounds are AB and BA.

    References
    ----------
    Williams, E. J. (1949). Experimental designs balanced for the estimation of residual
    effects of treatments. Australian Journal of Scientific Research A, 2, 149-168.
    """
    if n_competitors < 1:
        raise ValueError(f"n_competitors={n_competitors} should be at least 1.")
    first = [(i + 1) // 2 if i % 2 else -(i // 2) for i in range(n_competitors)]
    square = np.add.outer(np.arange(n_competitors), first) % n_competitors
    if n_competitors % 2 == 0 or n_competitors == 1:
        return square.astype(np.intp)
    return np.vstack([square, square[:, ::-1]]).astype(np.intp)


def random_blocks(n_competitors: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield without end blocks of rounds, each a Williams design in random order.

    Rows are shuffled and competitors take the design's letters at random, anew in every
    block. For two competitors a block is ABBA or BAAB.
    """
    design = williams_design(n_competitors)
    rng = np.random.default_rng(seed)
    while True:
        letters = rng.permutation(n_competitors)
        yield letters[rng.permutation(design)]
