"""Random inputs of every kind: compare the core with scikit-learn.

``make fuzz`` runs 20,000 of them; ``python tests/fuzz_core.py --cases 100 --first 7`` other
ones. Where scikit-learn errs or gives up, a case names the deviation it allows; what is
not allowed by name is a failure.
"""

import argparse
import importlib
import math
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.naive_bayes import GaussianNB as ScikitLearnGaussianNB

from gnbbench import GaussianNB

FloatArray = NDArray[np.float64]
Rng = np.random.Generator

# What a case may differ in, and why. Every name is one of the docstring of GaussianNB.
DEVIATIONS = {
    "partial_fit": "any sequence of batches gives the parameters of one fit",
    "weights": "weights count in epsilon_ as well",
    "empty class": "a class without weight is not predicted while another one can be",
    "rounding of means": "it is taken out where it is more than 5e-13 of a variance",
    "not finite": "scikit-learn's own answer is NaN or infinite",
}


def frame(X: FloatArray) -> pd.DataFrame:
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])


def categories(X: FloatArray, rng: Rng) -> pd.DataFrame:
    values = frame(np.round(X)).astype([int, float][rng.integers(2)])
    some = rng.random(X.shape[1]) < 0.7
    return values.astype(dict.fromkeys(values.columns[some], "category"))


def arrow(X: FloatArray, _: Rng) -> Any:
    return importlib.import_module("pyarrow").Table.from_pandas(frame(X))


def polars(X: FloatArray, _: Rng) -> Any:
    return importlib.import_module("polars").DataFrame(X, schema=[*frame(X)])


WHOLE = [np.int8, np.uint8, np.int32, np.int64, np.uint64]
MADE: dict[str, Callable[[FloatArray, Rng], Any]] = {
    "plain": lambda X, _: X,
    "float16": lambda X, _: X.astype(np.float16),
    "float32": lambda X, _: X.astype(np.float32),
    "long double": lambda X, _: X.astype(np.longdouble),
    "big-endian": lambda X, rng: X.astype([">f4", ">f8", ">i4"][rng.integers(3)]),
    "integers": lambda X, rng: np.abs(X).astype(WHOLE[rng.integers(5)]),
    "booleans": lambda X, _: X.mean() < X,
    "lists": lambda X, _: X.tolist(),
    "objects": lambda X, _: X.astype(object),
    "frame": lambda X, _: frame(X),
    "nullable": lambda X, rng: frame(np.round(X)).astype(NULLABLE[rng.integers(3)]),
    "categories": categories,
    **({"arrow": arrow} if importlib.util.find_spec("pyarrow") else {}),
    **({"polars": polars} if importlib.util.find_spec("polars") else {}),
}
NULLABLE: list[Any] = ["Int64", "Float64", "Float32"]
KINDS = ("plain", "plain", *MADE)  # Plain ones three times as often
NAMES: tuple[Callable[[int], Any], ...] = (
    np.arange,
    lambda k: np.arange(k, dtype=np.uint8) * 40,
    lambda k: np.arange(k) * 100_000 - 5,
    lambda k: np.arange(k, dtype=">i4"),
    lambda k: np.arange(k, dtype=np.float64),
    lambda k: np.arange(k) > 0 if k < 3 else np.arange(k),
    lambda k: np.array([f"class {code}" * (code + 1) for code in range(k)]),
    lambda k: np.array([f"class {code}" for code in range(k)], dtype=object),
    lambda k: np.arange(k).astype(object),
    lambda k: np.arange(k).astype("datetime64[D]"),
    lambda k: pd.Series([f"class {code}" for code in range(k)]),
    lambda k: pd.Series([f"class {code}" for code in range(k)], dtype="category"),
    lambda k: pd.Series(np.arange(k), dtype="Int64"),
)


def laid_out(X: NDArray[Any], rng: Rng) -> NDArray[Any]:
    """Return an array in some memory order."""
    layouts = (
        X,
        np.asfortranarray(X),
        np.repeat(X, 2, axis=1)[:, ::2],
        np.ascontiguousarray(X[::-1])[::-1],
        np.hstack([X, X])[:, : X.shape[1]],
        np.ascontiguousarray(X[:, ::-1])[:, ::-1],
    )
    return layouts[rng.integers(6)]


@dataclass
class Case:
    """One case: samples and labels as given, and as plain arrays."""

    X: Any
    y: Any
    table: FloatArray
    codes: NDArray[np.intp]
    parameters: dict[str, Any]
    solver: str
    weights: FloatArray | None
    n_batches: int


def case_of(seed: int) -> Case:
    rng = np.random.default_rng(seed)
    n_classes, n_features = int(rng.integers(1, 7)), int(rng.integers(1, 13))
    n_samples = int(rng.integers(n_classes, 200))
    if rng.random() < 0.02:  # large enough for blocks
        n_features, n_samples = int(rng.integers(50, 150)), int(rng.integers(1100, 2700))
    codes = rng.permutation(np.arange(n_samples) % n_classes)
    if rng.random() < 0.3:
        codes = np.sort(np.where(rng.random(n_samples) < 0.8, 0, codes))
    _, codes = np.unique(codes, return_inverse=True)
    X, table = _samples(codes, n_features, rng)
    names = NAMES[rng.integers(len(NAMES))](int(codes.max()) + 1)
    y = names.iloc[codes].reset_index(drop=True) if hasattr(names, "iloc") else names[codes]
    y = y.tolist() if rng.random() < 0.1 else y
    parameters: dict[str, Any] = {"var_smoothing": rng.choice([1e-9, 1e-9, 1e-6, 0.1])}
    if rng.random() < 0.2:
        parameters["priors"] = rng.dirichlet(np.ones(int(codes.max()) + 1)).tolist()
    weights = _weights(codes, rng) if rng.random() < 0.25 else None
    n_batches = int(rng.integers(2, 6)) if rng.random() < 0.2 else 1
    solver = str(rng.choice(["auto", "auto", "exact", "blocked"]))
    return Case(X, y, table, codes, parameters, solver, weights, n_batches)


def _samples(codes: NDArray[np.intp], n_features: int, rng: Rng) -> tuple[Any, FloatArray]:
    """Draw samples of some kind; return them and what they are in float64."""
    kind = KINDS[rng.integers(len(KINDS))]
    centres = rng.normal(size=(int(codes.max()) + 1, n_features))
    X = 3.0 * (rng.normal(size=(len(codes), n_features)) + centres[codes]) + 10.0
    if kind in ("plain", "frame", "lists"):
        X = X * 10.0 ** rng.integers(-3, 4) + rng.choice([0.0, 1.0, 1e4, 1e6])
    if rng.random() < 0.3:
        X = np.round(X)
    if rng.random() < 0.2:
        X[:, 0] = X[0, 0]
    given = MADE[kind](X, rng)
    given = laid_out(given, rng) if isinstance(given, np.ndarray) else given
    table = given.to_numpy() if hasattr(given, "to_numpy") else np.asarray(given)
    return given, np.asarray(table, dtype=np.float64, order="K")


def _weights(codes: NDArray[np.intp], rng: Rng) -> FloatArray:
    """Draw weights, some of them zero, occasionally those of a whole class."""
    weights = rng.uniform(0.0, 2.0, len(codes)) * (rng.random(len(codes)) < 0.8)
    if rng.random() < 0.3:
        weights[codes == rng.integers(codes.max() + 1)] = 0.0
    weights[rng.integers(len(codes))] = 1.0
    return np.asarray(weights)


def rows_of(values: Any, rows: NDArray[np.intp]) -> Any:
    """Return some rows of anything."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if isinstance(values, list):
        return [values[row] for row in rows]
    return values.take(rows) if hasattr(values, "column_names") else values[rows]


def ours_of(case: Case) -> GaussianNB:
    """Return our model, fitted at once or in batches."""
    model = GaussianNB(solver=case.solver, **case.parameters)
    if case.n_batches == 1:
        return model.fit(case.X, case.y, case.weights)
    classes = case.y if isinstance(case.y, list) else np.asarray(case.y)
    for rows in np.array_split(np.arange(len(case.codes)), case.n_batches):
        if len(rows) and (case.weights is None or case.weights[rows].any()):
            weights = None if case.weights is None else case.weights[rows]
            parts = rows_of(case.X, rows), rows_of(case.y, rows)
            model.partial_fit(*parts, classes, weights)
    return model


def reference_of(case: Case) -> ScikitLearnGaussianNB:
    """Return scikit-learn's model of the same rows in float64, with errors corrected."""
    model = ScikitLearnGaussianNB(**case.parameters)
    if case.weights is None:
        return model.fit(case.table, case.codes)
    model.fit(case.table, case.codes, case.weights)
    mean = np.average(case.table, axis=0, weights=case.weights)
    variance = np.average((case.table - mean) ** 2, axis=0, weights=case.weights)
    epsilon = model.var_smoothing * variance.max()
    model.var_ += epsilon - model.epsilon_
    model.epsilon_ = epsilon
    return model


def lost_by_rounding(case: Case, reference: ScikitLearnGaussianNB) -> bool:
    """Return whether the rounding error of a mean is a part of a variance that counts."""
    weights = np.ones(len(case.codes)) if case.weights is None else case.weights
    groups = [(case.codes == code, var) for code, var in enumerate(reference.var_)]
    overall = np.full(case.table.shape[1], reference.epsilon_ / reference.var_smoothing)
    groups.append((weights > 0.0, overall))
    for rows, variances in groups:
        if not weights[rows].any():
            continue
        of_rows = None if case.weights is None else weights[rows]
        means = np.average(case.table[rows], axis=0, weights=of_rows)
        each = zip(case.table[rows].T, means, variances, strict=True)
        for column, mean, variance in each:
            error = math.fsum(((column - mean) * weights[rows]).tolist())
            if (error / weights[rows].sum()) ** 2 > 4e-13 * variance:
                return True
    return False


def faults(seed: int, deviations: Counter[str]) -> list[str]:
    """Return what of this case is not as it should be; count what deviates by name."""
    case = case_of(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            reference = reference_of(case)
            reference_scores = reference.predict_joint_log_proba(case.table)
        ours = ours_of(case)
        labels = np.asarray(ours.predict(case.X))
        probabilities = ours.predict_proba(case.X)
    found = _faults_of_types(case, ours)
    if not np.allclose(probabilities.sum(axis=1), 1.0, rtol=1e-9):
        found.append("probabilities do not sum to one")
    codes = np.searchsorted(ours.classes_, labels)
    if not np.isfinite(reference_scores).all():
        deviations["not finite"] += 1
        return found
    small = case.table.size < 131_072 or len(case.table) < 1024
    exact = case.solver == "exact" or (case.solver == "auto" and small)
    if case.weights is None and case.n_batches == 1 and exact:
        return found + _faults_of_bits(case, ours, codes, reference, deviations)
    return found + _faults_of_labels(case, ours, codes, reference, deviations)


def _faults_of_types(case: Case, ours: GaussianNB) -> list[str]:
    """Return what is wrong with types and names, beside scikit-learn's of the same."""
    found = []
    tables = (ours.theta_, ours.var_, ours.class_prior_, ours.class_count_)
    if {str(table.dtype) for table in tables} != {"float64"}:
        found.append("an attribute is no native float64")
    if hasattr(case.X, "columns") != hasattr(ours, "feature_names_in_"):
        found.append("feature names are lost")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = ScikitLearnGaussianNB().fit(case.table, case.y).classes_
    except ValueError:
        return found
    if theirs.dtype != ours.classes_.dtype and theirs.dtype.kind != "f":
        found.append(f"classes_ are {ours.classes_.dtype}, scikit-learn's {theirs.dtype}")
    if theirs.tolist() != ours.classes_.tolist():
        found.append("classes_ differ")
    return found


def _faults_of_bits(
    case: Case,
    ours: GaussianNB,
    codes: NDArray[np.intp],
    reference: ScikitLearnGaussianNB,
    deviations: Counter[str],
) -> list[str]:
    """Return what has not the bits of scikit-learn's, rounding of means apart."""
    theirs = reference.predict_joint_log_proba(case.table)
    pairs = {
        name: (getattr(ours, name), getattr(reference, name))
        for name in ("theta_", "var_", "epsilon_", "class_prior_", "class_count_")
    }
    pairs["labels"] = codes, theirs.argmax(axis=1)
    if case.solver == "exact" or case.table.size < 131_072:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pairs["scores"] = ours.predict_joint_log_proba(case.X), theirs
    differing = [name for name, pair in pairs.items() if not np.array_equal(*pair)]
    if differing and lost_by_rounding(case, reference):
        deviations["rounding of means"] += 1
        return []
    return [f"bits of {name} differ" for name in differing]


def _faults_of_labels(
    case: Case,
    ours: GaussianNB,
    codes: NDArray[np.intp],
    reference: ScikitLearnGaussianNB,
    deviations: Counter[str],
) -> list[str]:
    """Return which labels differ though rounding does not decide them."""
    reference_scores = reference.predict_joint_log_proba(case.table)
    if case.n_batches > 1:
        deviations["partial_fit"] += 1
    if case.weights is not None:
        deviations["weights"] += 1
        empty = np.asarray(ours.class_count_) == 0.0
        if empty.any():
            deviations["empty class"] += 1
        reference_scores = np.where(empty, -np.inf, reference_scores)
    best = reference_scores.max(axis=1)
    lead = best - reference_scores[np.arange(len(codes)), codes]
    wrong = lead > 1e-6 * (1.0 + np.abs(best))
    if wrong.any() and lost_by_rounding(case, reference):
        deviations["rounding of means"] += 1
        return []
    return [f"{wrong.sum()} labels differ"] if wrong.any() else []


def main() -> int:
    """Run cases and print what was found; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    deviations: Counter[str] = Counter()
    lines = []
    for seed in range(options.first, options.first + options.cases):
        lines += [f"case {seed}: {fault}" for fault in faults(seed, deviations)]
    failed = len(lines)
    lines += [
        f"{count:,} cases deviate by name: {name} ({DEVIATIONS[name]})"
        for name, count in deviations.most_common()
    ]
    lines.append(f"{options.cases:,} cases, {failed:,} faults")
    sys.stdout.write("\n".join(lines) + "\n")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
