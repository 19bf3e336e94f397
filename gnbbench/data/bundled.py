"""The datasets that scikit-learn brings along."""

import numpy as np

from gnbbench.data.catalogue import UCI_LICENCE
from gnbbench.data.dataset import Dataset


def iris() -> Dataset:
    """Return Fisher's iris flowers."""
    return _bundled(
        "iris",
        target_name="species",
        origin="Fisher (1936), UCI Machine Learning Repository, as scikit-learn ships it",
    )


def wine() -> Dataset:
    """Return the chemical analysis of wines from three growers."""
    return _bundled(
        "wine",
        target_name="grower",
        origin="Forina et al. (1991), UCI Machine Learning Repository, "
        "as scikit-learn ships it",
    )


def breast_cancer() -> Dataset:
    """Return the Wisconsin diagnostic breast cancer data."""
    return _bundled(
        "breast_cancer",
        target_name="diagnosis",
        origin="Wolberg, Street and Mangasarian (1995), UCI Machine Learning Repository, "
        "as scikit-learn ships it",
    )


def digits() -> Dataset:
    """Return handwritten digits; three of the 64 pixels never change."""
    return _bundled(
        "digits",
        target_name="digit",
        origin="Alpaydin and Kaynak (1998), UCI Machine Learning Repository, test set, "
        "as scikit-learn ships it",
    )


def _bundled(name: str, *, target_name: str, origin: str) -> Dataset:
    """Return what scikit-learn loads; labels stay its integers."""
    # Costs a second, and only those who ask for one of these.
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    return Dataset(
        name=name,
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        y=bunch.target.astype(np.int64),
        feature_names=tuple(map(str, bunch.feature_names)),
        class_names=tuple(map(str, bunch.target_names)),
        target_name=target_name,
        origin=origin,
        licence=UCI_LICENCE,
        parameters={"source": name},
    )
