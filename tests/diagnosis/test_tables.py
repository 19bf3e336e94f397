"""Tables of probabilities, and of their logarithms, that a model gives."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gnbbench.diagnosis.tables import unnormalised

LOG, PROBA = "predict_log_proba", "predict_proba"


@pytest.mark.parametrize(
    ("method", "given", "meant", "told"),
    [
        (PROBA, lambda p: 1.0 - p, lambda p: p, "gives 1 less the probability"),
        (LOG, np.log10, np.log, "gives logarithms to another base"),
        (LOG, np.log2, np.log, "gives logarithms to another base"),
        (LOG, lambda p: -np.log(p), np.log, "gives the logarithms of probabilities with"),
        (LOG, lambda p: p, np.log, "gives probabilities, not their logarithms"),
        # What is none of these is left as it is.
        (PROBA, lambda p: 2.0 * p, lambda p: 2.0 * p, "is not normalised: its rows sum"),
        (LOG, *[lambda p: np.log(p) / 3.0] * 2, "is not normalised: the"),
    ],
)
def test_what_a_table_holds_in_place_of_probabilities_is_told_and_replaced(
    method: str, given: Callable[..., Any], meant: Callable[..., Any], told: str
) -> None:
    probabilities = np.random.default_rng(0).dirichlet(np.ones(3), size=50)
    probabilities[0] = 1.0, 0.0, 0.0  # As where the others have underflowed

    with np.errstate(all="ignore"):
        tables = {method: given(probabilities)}
        found = unnormalised(tables, is_single=False)
        expected = meant(probabilities)

    assert found is not None
    assert found[0].startswith(f"`{method}` {told}")
    np.testing.assert_allclose(tables[method], expected, 1e-9)
