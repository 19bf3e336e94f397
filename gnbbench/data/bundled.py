"""The datasets that scikit-learn brings along."""

import numpy as np

from gnbbench.data.catalogue import UCI_LICENCE
from gnbbench.data.dataset import Dataset


def iris() -> Dataset:
    """Return Fisher's iris flowers."""
    return _bundled("iris", "species", "Fisher (1936)")


def wine() -> Dataset:
    """Return the chemical analysis of wines from three growers."""
    return _bundled("wine", "grower", "Forina et al. (1991)")


def breast_cancer() -> Dataset:
    """Return the Wisconsin diagnostic breast cancer data."""
    authors = "Wolberg, Street and Mangasarian (1995)"
    return _bundled("breast_cancer", "diagnosis", authors)


def digits() -> Dataset:
    """Return handwritten digits; three of the 64 pixels never change."""
    authors, part = "Alpaydin and Kaynak (1998)", ", test set"
    return _bundled("digits", "digit", authors, part)


def _bundled(name: str, target_name: str, authors: str, part: str = "") -> Dataset:
    """Return what scikit-learn loads; labels stay its integers."""
    # Costs a second, and only those who ask for one of these.
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    repository = f"UCI Machine Learning Repository{part}"
    return Dataset(
        name=name,
        X=np.ascontiguousarray(bunch.data, dtype=np.float64),
        y=bunch.target.astype(np.int64),
        feature_names=tuple(map(str, bunch.feature_names)),
        class_names=tuple(map(str, bunch.target_names)),
        target_name=target_name,
        origin=f"{authors}, {repository}, as scikit-learn ships it",
        licence=UCI_LICENCE,
        parameters={"source": name},
    )
