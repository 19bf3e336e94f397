"""The labels and leads of each implementation on a grid in a plane."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from gnbbench.arrays import FloatArray
from gnbbench.core import GaussianNB
from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.measurement.predictions import Predictions, RunError, predictions
from gnbbench.splits import Sample, Split

COMPONENTS = ("pca",)

# Pairs are tried among this many features, those with the largest F statistics.
CANDIDATES = 8


@dataclass(frozen=True)
class Plane:
    """The samples in two coordinates."""

    points: FloatArray  # (n_samples, 2)
    axis_names: tuple[str, str]
    choice: str  # A clause on the two coordinates, for a caption


def plane(
    X: FloatArray,
    codes: NDArray[np.intp],
    feature_names: Sequence[str],
    features: Sequence[str] | None = None,
) -> Plane | None:
    """Return the samples in two of their features, or in two principal components."""
    if np.abs(X).max() > LARGEST:
        return None
    n_others = X.shape[1] - 2
    if features is None:
        if n_others < 0:
            return None
        pair = best_pair(X, codes)
        best = " with which GNB is most accurate" if n_others else ""
        choice = f"the two features{best}"
    elif tuple(features) == COMPONENTS:
        return _components(X)
    else:
        pair = _named_pair(feature_names, features)
        choice = "the two chosen features"
    first, second = (str(feature_names[place]) for place in pair)
    return Plane(np.ascontiguousarray(X[:, list(pair)]), (first, second), choice)


def best_pair(X: FloatArray, codes: NDArray[np.intp]) -> tuple[int, int]:
    """Return the two features on which Gaussian naive Bayes is most accurate."""
    candidates = list(range(X.shape[1]))
    if len(candidates) > CANDIDATES:
        from sklearn.feature_selection import f_classif

        varying = np.ptp(X, axis=0) > 0
        ratio = np.zeros(X.shape[1])
        with np.errstate(all="ignore"):  # a feature that is constant within classes
            ratio[varying] = np.nan_to_num(f_classif(X[:, varying], codes)[0], nan=0.0)
        candidates = sorted(np.argsort(-ratio, kind="stable")[:CANDIDATES].tolist())
    pairs = list(combinations(candidates, 2))
    shares = [_share_right(X[:, list(pair)], codes) for pair in pairs]
    return pairs[int(np.argmax(shares))]


def _share_right(X: FloatArray, codes: NDArray[np.intp]) -> float:
    if not (X[0] != X).any():
        return 0.0
    return GaussianNB().fit(X, codes).score(X, codes)


def _components(X: FloatArray) -> Plane:
    if X.shape[1] < 2:
        what = "there is only one feature"
        raise OptionError("--features", what, "Leave the option out.")
    from sklearn.decomposition import PCA

    pca = PCA(n_components=2, svd_solver="full").fit(X)
    share = pca.explained_variance_ratio_.sum()
    choice = f"the first two principal components, which hold {share:.0%} of the variance"
    return Plane(pca.transform(X), ("component 1", "component 2"), choice)


def _named_pair(names: Sequence[str], features: Sequence[str]) -> tuple[int, int]:
    """Return the positions of two features by name."""
    if len(features) != 2 or features[0] == features[1]:
        requested = ",".join(features)
        remedy = "Give two different names, such as --features A,B, or --features pca."
        raise OptionError("--features", f"'{requested}' does not name two features", remedy)
    first, second = (_position(name, names) for name in features)
    return first, second


def _position(feature: str, names: Sequence[str]) -> int:
    """Return the position of a feature, whose unit in brackets may be left out."""
    named = [name for name in names if feature in (name, name.partition(" (")[0])]
    exact = [name for name in named if name == feature] or named
    if len(exact) != 1:
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        what = f"there is no feature '{feature}'"
        raise OptionError("--features", what, f"There are: {shown}.")
    return list(names).index(exact[0])


GRID = 150
LARGEST = 1e150  # Squares of larger values are infinite
BORDER = 0.06
MAX_POINTS = 500
# Smaller leads count as none, larger ones as certain.
LEADS = (1e-9, 1e3)


def decision_regions(
    sample: Sample, split: Split, view: Plane, entries: Sequence[Implementation]
) -> dict[str, Any]:
    """Return labels on a grid, of models fitted to the two coordinates only."""
    train, drawn = view.points[split.train], split.test[:MAX_POINTS]
    low, high = view.points.min(axis=0), view.points.max(axis=0)
    border = np.maximum(high - low, np.finfo(np.float64).tiny) * BORDER
    low, high = low - border, high + border
    horizontal, vertical = (np.linspace(low[axis], high[axis], GRID) for axis in (0, 1))
    grid = np.stack(np.meshgrid(horizontal, vertical), axis=-1).reshape(-1, 2)
    asked = np.concatenate([grid, view.points[drawn]])
    codes: dict[str, list[int]] = {}
    point_labels: dict[str, list[int]] = {}
    margins: dict[str, list[list[float]]] = {}
    failures = []
    for entry in entries:
        try:
            predicted = predictions(
                entry, train, sample.y[split.train], asked, sample.classes
            )
        except RunError as error:
            failures.append(f"{entry.name} gave no labels here ({error}).")
            continue
        labels, of_points = np.split(predicted.test, [len(grid)])
        codes[entry.name], point_labels[entry.name] = labels.tolist(), of_points.tolist()
        leads = _leads(predicted)
        if leads is not None:
            places = _beside_another(labels.reshape(GRID, GRID))
            shown = [float(f"{lead:.4g}") for lead in leads[places]]
            margins[entry.name] = [places.tolist(), shown]
    caption = f"Models refitted on {view.choice}. Marks: test samples of run {split.run}."
    return {
        "axis_names": list(view.axis_names),
        "extent": [float(low[0]), float(high[0]), float(low[1]), float(high[1])],
        "shape": [GRID, GRID],
        "codes": codes,
        "margins": margins,
        "points": view.points[drawn].tolist(),
        "point_codes": sample.codes[drawn].tolist(),
        "point_labels": point_labels,
        "rows": drawn.tolist(),
        "caption": " ".join([caption, *failures]),
    }


def _leads(predicted: Predictions) -> FloatArray | None:
    """Return the lead of each label in log-odds; None if scores contradict labels."""
    scores = predicted.joint_log_likelihood
    with np.errstate(all="ignore"):  # of 0, and of -inf minus -inf
        if scores is None and predicted.probabilities is not None:
            scores = np.log(predicted.probabilities)
        if scores is None or (scores.argmax(axis=1) != predicted.test).any():
            return None
        second, first = np.sort(scores, axis=1)[:, -2:].T
        return np.asarray(np.clip(np.nan_to_num(first - second, posinf=np.inf), *LEADS))


def _beside_another(labels: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the places next to another label, where boundaries pass."""
    around = sliding_window_view(np.pad(labels, 1, mode="edge"), (3, 3))
    return np.flatnonzero(around.min(axis=(2, 3)) != around.max(axis=(2, 3)))
