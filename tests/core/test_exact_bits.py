"""With ``solver="exact"`` every number of a plain fit has the bits of scikit-learn's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn import datasets
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB as Reference

from gnbbench.core import GaussianNB

LOADERS = ("iris", "wine", "breast_cancer", "digits")
N_SPLITS = 15  # Of each: 60 in all
METHODS = (
    *("predict", "predict_joint_log_proba", "predict_log_proba", "predict_proba"),
    *("theta_", "var_", "class_prior_", "epsilon_"),
)


def differing(load: Callable[..., Any], solver: str) -> dict[str, int]:
    """Return in how many splits each method or attribute has other bits."""
    X, y = load(return_X_y=True)
    counts = dict.fromkeys(METHODS, 0)
    for seed in range(N_SPLITS):
        train, test = train_test_split(
            np.arange(len(y)), test_size=0.3, random_state=seed, stratify=y
        )
        models = [
            m.fit(X[train], y[train]) for m in (Reference(), GaussianNB(solver=solver))
        ]
        for name in METHODS:
            offered = [getattr(model, name) for model in models]
            values = [v(X[test]) if callable(v) else v for v in offered]
            counts[name] += not np.array_equal(*values)
    return counts


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize("name", LOADERS)
def test_every_number_has_the_bits_of_scikit_learn(name: str) -> None:
    counts = differing(getattr(datasets, f"load_{name}"), "exact")

    assert counts == dict.fromkeys(METHODS, 0)


def test_probabilities_of_the_default_are_rounded_otherwise_and_nothing_else_is() -> None:
    """Negative control: the same comparison detects differing bits."""
    counts = differing(datasets.load_wine, "auto")

    others = {name for name, number in counts.items() if number}
    assert others == {"predict_log_proba", "predict_proba"}
