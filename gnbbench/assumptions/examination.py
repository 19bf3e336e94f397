"""Both assumptions examined on a dataset: how normal each feature is, and all the rest."""

from collections.abc import Callable, Sequence
from math import isqrt
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.arrays import Array, FloatArray
from gnbbench.assumptions import findings, independence
from gnbbench.assumptions.independence import ClassSample, class_samples
from gnbbench.data.dataset import Dataset
from gnbbench.errors import DatasetError
from gnbbench.measurement.environment import limited_threads
from gnbbench.splits import SplitRule, sample_of
from gnbbench.statistics.intervals import holm
from gnbbench.statistics.metrics import LEVEL
from gnbbench.statistics.schema import columns_of

MOST_CORRELATIONS = 10_000_000  # Each takes 75 bytes in the file of records
MOST_LARGEST = 10  # Pairs of a class among the largest correlations
# Two of three rounded values are often equal, which p treats as impossible if normal.
SHAPIRO_SMALLEST, SHAPIRO_LARGEST = 4, 5000
ANDERSON_SMALLEST = 8
SHAPIRO, ANDERSON = "Shapiro–Wilk", "Anderson–Darling"

CONSTANT = "constant: no distribution to test"
TOO_FEW = "fewer than 4 samples: not tested"
_UNKNOWN: dict[str, Any] = dict.fromkeys(columns_of("assumptions", "normality"), np.nan)
_NOTHING = _UNKNOWN | {"test": "none", "note": ""}


def examine(
    dataset: Dataset, *, n_runs: int, seed: int, test_size: float
) -> findings.Assumptions:
    """Return how well both assumptions hold on all samples, and what each costs."""
    names = dataset.feature_names
    # Small products are slower on several threads.
    with limited_threads(1):
        cost = findings.costs(dataset, n_runs=n_runs, seed=seed, test_size=test_size)
        samples = class_samples(dataset)
        matrices = independence.correlations(samples, names)
        pairs, left_out = independence.dependence(samples, names, level=LEVEL)
        linear = independence.independence(samples, names)
        depending = linear.merge(pairs, on="class_name", how="left")
        depending = depending[columns_of("assumptions", "independence")]
        shapes = normality(samples, names)
        return findings.Assumptions(
            feature_names=names,
            n_runs=n_runs,
            verdicts=(
                findings.naive_verdict(depending, cost["differences"]),
                findings.normal_verdict(shapes, cost["differences"]),
            ),
            independence=depending,
            correlations=matrices,
            largest_correlations=independence.largest_correlations(
                matrices, names, n_largest=MOST_LARGEST
            ),
            normality=shapes,
            histograms=histograms(dataset, samples),
            densities=densities(dataset, samples),
            quantile_points=quantile_points(samples, names),
            notes=(*_untested(depending, shapes), *left_out, *cost.pop("notes")),
            **cost,
        )


def require_possible(dataset: Dataset, *, seed: int, test_size: float) -> None:
    """Raise for too many correlations, or too few samples to split."""
    n_classes, n_features = len(dataset.classes), dataset.X.shape[1]
    if n_classes * n_features**2 > MOST_CORRELATIONS:
        what = f"{n_features:,} features have {n_features**2:,} correlations in each class"
        most = f"in {n_classes:,} classes at most {isqrt(MOST_CORRELATIONS // n_classes):,}"
        raise DatasetError(dataset.name, what, f"Give fewer features, {most}.")
    SplitRule(seed, test_size, has_option=False).cut(sample_of(dataset), 0)


def _untested(depending: pd.DataFrame, shapes: pd.DataFrame) -> list[str]:
    """Return a sentence for each reason why something was not tested."""
    sentences = []
    cells = (
        (depending, "a diagonal correlation matrix", "classes"),
        (shapes, "normality", "pairs of class and feature"),
    )
    for table, of, what in cells:
        reasons = table.loc[table["note"] != "", "note"].value_counts(sort=False)
        sentences += [
            f"Not tested for {of}: {number} of {len(table)} {what} "
            f"({findings.reason_of(str(why))})."
            for why, number in reasons.items()
        ]
    return sentences


def normality(samples: Sequence[ClassSample], feature_names: Sequence[str]) -> pd.DataFrame:
    """Return effect sizes and tests of normality, one row per class and feature.

    Shapiro and Wilk's test decides up to 5000 samples (its p value is inaccurate beyond),
    Anderson and Darling's above; its p value, and so its row, needs 8. A feature that is
    constant in a class is not tested (Shapiro's p would be 1), nor are fewer than 4
    samples.
    """
    rows = []
    for sample in samples:
        quantiles = normal_quantiles(sample.n)
        rows += [_row(sample, n, name, quantiles) for n, name in enumerate(feature_names)]
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p"]))


def normal_quantiles(n: int) -> FloatArray:
    """Return standard normal quantiles at Filliben's medians of the order statistics.

    References
    ----------
    Filliben, J. J. (1975). The probability plot correlation coefficient test for normality.
    Technometrics 17, 111-117.
    """
    from scipy.stats import probplot

    return probplot(np.arange(n), fit=False)[0]


def _row(
    sample: ClassSample, column: int, name: str, quantiles: FloatArray
) -> dict[str, Any]:
    """Return the row of a class and feature, with a reason for undefined numbers (NaN)."""
    row = _NOTHING | {
        "class_name": sample.name,
        "feature": name,
        "n": sample.n,
        "mean": float(sample.mean[column]),
        "standard_deviation": float(sample.standard_deviation[column]),
    }
    if sample.n < SHAPIRO_SMALLEST:
        row |= {"note": TOO_FEW}
    if sample.n < 3:
        return row
    if not sample.varies[column]:
        return row | {"note": CONSTANT}
    z = np.sort(sample.standardised[:, column])
    row |= {
        "skewness": float(np.mean(z**3)),
        "excess_kurtosis": float(np.mean(z**4)) - 3.0,
        "qq_correlation": float(np.corrcoef(quantiles, z)[0, 1]),
    }
    if sample.n >= ANDERSON_SMALLEST:
        from statsmodels.stats.diagnostic import normal_ad

        # One column per call: for several, statsmodels' p value rises beyond A² = 153.
        with np.errstate(divide="ignore"):  # A² is infinite for 9 standard deviations
            statistic, p = map(float, normal_ad(z))
        row |= {"anderson_a2": statistic, "anderson_p": p, "test": ANDERSON, "p": p}
    if SHAPIRO_SMALLEST <= sample.n <= SHAPIRO_LARGEST:
        from scipy.stats import shapiro

        statistic, p = map(float, shapiro(z))
        row |= {"shapiro_w": statistic, "shapiro_p": p, "test": SHAPIRO, "p": p}
    return row


MOST_BINS = 40
N_POINTS = 101
MOST_QUANTILES = 200
# Half-integers are exact below this.
LARGEST_WHOLE = 2.0**52
# A kernel estimate from more values looks the same, and costs their number times points.
MOST_KERNEL_VALUES = 2000


def histograms(dataset: Dataset, samples: Sequence[ClassSample]) -> pd.DataFrame:
    """Return histograms per class and feature, with bins of equal width.

    Bins span the range of the feature in the class; their width is the smaller of Freedman
    and Diaconis's and Sturges's, with at most 40 bins; whole numbers have one bin each if
    40 are enough.
    """

    def bins(sample: ClassSample, column: int) -> list[FloatArray]:
        bounds = _edges(sample.X[:, column])
        count = np.histogram(sample.X[:, column], bounds)[0]
        return [bounds[:-1], bounds[1:], count, count / (sample.n * np.diff(bounds))]

    columns = ("low", "high", "count", "density")
    return _by_cell(samples, dataset.feature_names, columns, bins, constant=True)


def densities(dataset: Dataset, samples: Sequence[ClassSample]) -> pd.DataFrame:
    """Return the fitted normal and the kernel density of each class and feature.

    The kernel density is SciPy's `gaussian_kde` with Scott's bandwidth, from at most 2000
    of the ordered values, evenly spaced in rank.
    """
    from scipy.stats import gaussian_kde, norm

    grids = [_grid(column) for column in dataset.X.T]

    def curves(sample: ClassSample, column: int) -> list[FloatArray]:
        x, width = grids[column], sample.standard_deviation[column]
        values = _thinned(np.sort(sample.standardised[:, column]), MOST_KERNEL_VALUES)
        with np.errstate(over="ignore"):  # Far out, where both are 0
            z = (x - sample.mean[column]) / width
            return [x, norm.pdf(z) / width, gaussian_kde(values)(z) / width]

    return _by_cell(samples, dataset.feature_names, ("x", "gaussian", "kernel"), curves)


def quantile_points(
    samples: Sequence[ClassSample], feature_names: Sequence[str]
) -> pd.DataFrame:
    """Return the points of the Q–Q plots, at most 200 for a class and feature."""

    def points(sample: ClassSample, column: int) -> list[FloatArray]:
        ordered = np.sort(sample.standardised[:, column])
        both = (normal_quantiles(sample.n), ordered)
        return [_thinned(values, MOST_QUANTILES) for values in both]

    return _by_cell(samples, feature_names, ("theoretical", "observed"), points)


def _by_cell(
    samples: Sequence[ClassSample],
    feature_names: Sequence[str],
    columns: Sequence[str],
    values_of: Callable[[ClassSample, int], Sequence[Array]],
    *,
    constant: bool = False,
) -> pd.DataFrame:
    """Return rows for each class and varying feature, or constant ones as well."""
    parts = [pd.DataFrame(columns=["class_name", "feature", *columns])]
    for sample in samples:
        for column in np.flatnonzero(sample.varies | constant).tolist():
            part = pd.DataFrame(dict(zip(columns, values_of(sample, column), strict=True)))
            part.insert(0, "class_name", sample.name)
            part.insert(1, "feature", feature_names[column])
            parts.append(part)
    return pd.concat(parts[1:] or parts, ignore_index=True)


def _edges(column: FloatArray) -> FloatArray:
    """Return the strictly increasing bin edges of one feature."""
    low, high = float(column.min()), float(column.max())
    if low == high:
        half = max(0.5, abs(low) * 1e-6)
        return np.array([low - half, high + half])
    whole = max(-low, high) < LARGEST_WHOLE and (column == np.rint(column)).all()
    if whole and high - low < MOST_BINS:
        return np.arange(low - 0.5, high + 1.0)
    # NumPy's "auto" would make a bin for every width in a wide range.
    quarter, three_quarters = np.quantile(column, (0.25, 0.75))
    spread = 2.0 * (three_quarters - quarter) / np.cbrt(len(column))
    n_bins = np.log2(len(column)) + 1.0
    if spread > 0:
        n_bins = max(n_bins, min((high - low) / spread, MOST_BINS))
    # Adjacent floats leave no room for that many edges.
    return np.unique(np.linspace(low, high, int(np.ceil(min(n_bins, MOST_BINS))) + 1))


def _grid(column: FloatArray) -> FloatArray:
    low, high = column.min(), column.max()
    margin = (high - low) / 10.0
    return np.linspace(low - margin, high + margin, N_POINTS)


def _thinned(ordered: FloatArray, most: int) -> FloatArray:
    """Return at most `most` of the ordered values, evenly spaced, including both ends."""
    if len(ordered) <= most:
        return ordered
    return ordered[np.linspace(0, len(ordered) - 1, most).round().astype(np.intp)]
