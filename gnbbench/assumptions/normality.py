"""How far each feature is from normal within each class."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.diagnostic import normal_ad

from gnbbench.assumptions.class_samples import ClassSample
from gnbbench.statistics.intervals import holm

FloatArray = NDArray[np.float64]

SHAPIRO_SMALLEST, SHAPIRO_LARGEST = 3, 5000
ANDERSON_SMALLEST = 8
SHAPIRO, ANDERSON = "Shapiro–Wilk", "Anderson–Darling"

CONSTANT = "constant: no distribution to test"
TOO_FEW = "fewer than 3 samples: not tested"


def normality(samples: Sequence[ClassSample], feature_names: Sequence[str]) -> pd.DataFrame:
    """Return effect sizes and tests of normality, one row a class and feature.

    Shapiro and Wilk's test decides up to 5000 samples (its p value is not accurate beyond),
    Anderson and Darling's above; its p value, and so its row, needs 8. A feature that is
    constant in a class is not tested (Shapiro's p would be 1), nor are fewer than 3
    samples.
    """
    rows = []
    for sample in samples:
        quantiles = normal_quantiles(sample.n)
        rows += [
            _row(sample, column, name, quantiles)
            for column, name in enumerate(feature_names)
        ]
    table = pd.DataFrame(rows)
    table.insert(len(table.columns) - 1, "p_holm", holm(table["p"]))
    return table


def normal_quantiles(n: int) -> FloatArray:
    """Return standard normal quantiles at Filliben's medians of the order statistics.

    References
    ----------
    Filliben, J. J. (1975). The probability plot correlation coefficient test for normality.
    Technometrics 17, 111-117.
    """
    quantiles: FloatArray = stats.probplot(np.arange(n), fit=False)[0]
    return quantiles


def _row(
    sample: ClassSample, column: int, name: str, quantiles: FloatArray
) -> dict[str, Any]:
    row = {
        "class_name": sample.name,
        "feature": name,
        "n": sample.n,
        "mean": float(sample.mean[column]),
        "standard_deviation": float(sample.standard_deviation[column]),
    }
    if not sample.varies[column] or sample.n < SHAPIRO_SMALLEST:
        note = TOO_FEW if sample.n < SHAPIRO_SMALLEST else CONSTANT
        measures = dict.fromkeys(("skewness", "excess_kurtosis", "qq_correlation"), np.nan)
        return {**row, **measures, **_tests(None), "note": note}
    z = np.sort(sample.standardised[:, column])
    return {
        **row,
        "skewness": float(np.mean(z**3)),
        "excess_kurtosis": float(np.mean(z**4)) - 3.0,
        "qq_correlation": float(np.corrcoef(quantiles, z)[0, 1]),
        **_tests(z),
        "note": "",
    }


def _tests(z: FloatArray | None) -> dict[str, Any]:
    """Return both tests of standardised values, and the p value of the one that decides."""
    nan = float("nan")
    shapiro = anderson = (nan, nan)
    test = "none"
    if z is not None and len(z) >= ANDERSON_SMALLEST:
        anderson, test = _anderson(z), ANDERSON
    if z is not None and len(z) <= SHAPIRO_LARGEST:
        result = stats.shapiro(z)
        shapiro, test = (float(result.statistic), float(result.pvalue)), SHAPIRO
    return {
        "shapiro_w": shapiro[0],
        "shapiro_p": shapiro[1],
        "anderson_a2": anderson[0],
        "anderson_p": anderson[1],
        "test": test,
        "p": {SHAPIRO: shapiro[1], ANDERSON: anderson[1]}.get(test, nan),
    }


def _anderson(z: FloatArray) -> tuple[float, float]:
    # One column a call: for several, statsmodels' p value rises again beyond A² = 153.
    with np.errstate(divide="ignore"):  # a value 9 standard deviations out: A² is infinite
        statistic, p = normal_ad(z)
    return float(statistic), float(p)
