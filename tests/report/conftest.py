"""Summaries of invented studies, consistent within themselves, for every kind of report."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, sync_playwright

from gnbbench.statistics.matrix import Entry, Matrix
from gnbbench.statistics.schema import table_of
from gnbbench.statistics.summary import (
    DatasetDescription,
    DecisionRegions,
    Outcome,
    Summary,
    Verdict,
)

IRIS_CLASSES = ("setosa", "versicolor", "virginica")
IRIS_FEATURES = (
    "sepal length (cm)",
    "sepal width (cm)",
    "petal length (cm)",
    "petal width (cm)",
)
HOSTILE = "<script>alert(1)</script>"
METRICS = (
    "train_accuracy",
    "test_accuracy",
    "precision",
    "recall",
    "f1",
    "mean_confidence",
    "mean_confidence_right",
    "mean_confidence_wrong",
    "log_loss",
    "brier_score",
)
PROBABILITY_METRICS = METRICS[5:]
NAN = float("nan")
CHROMIUM_OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@dataclass(frozen=True)
class Behaviour:
    """How an invented implementation behaves.

    `flips` is the share of labels that differ from the reference's, `noise` the size of
    the differences in probability, `ratio` the time over the reference's.
    """

    flips: float = 0.0
    noise: float = 1e-16
    ratio: float = 0.12
    probabilities: bool = True
    fails: bool = False


@dataclass(frozen=True)
class Plot:
    """The plan of an invented study."""

    competitors: dict[str, Behaviour] = field(
        default_factory=lambda: {"numpy": Behaviour()}
    )
    reference: str = "sklearn"
    reference_probabilities: bool = True
    n_runs: int = 1000
    n_train: int = 105
    n_test: int = 45
    class_names: tuple[str, ...] = IRIS_CLASSES
    feature_names: tuple[str, ...] = IRIS_FEATURES
    dataset: str = "iris"
    outcome: Outcome = "identical"
    timed: bool = True
    processes: int = 1
    regions: bool = True
    warnings: tuple[str, ...] = ()


def build(plot: Plot) -> Summary:
    """Summary of a study that follows the plot; the same one for the same plot."""
    rng = np.random.default_rng(7)
    n_classes = len(plot.class_names)
    truth = rng.integers(0, n_classes, (plot.n_runs, plot.n_test))
    reference = _flipped(rng, truth, 0.047, n_classes)
    behaviours = {
        plot.reference: Behaviour(probabilities=plot.reference_probabilities, ratio=1.0),
        **plot.competitors,
    }
    labels = {
        name: reference
        if name == plot.reference
        else _flipped(rng, reference, behaviour.flips, n_classes)
        for name, behaviour in behaviours.items()
    }
    runs = pd.concat(
        [_runs(plot, truth, labels[name], name, b) for name, b in behaviours.items()],
        ignore_index=True,
    )
    names = tuple(behaviours)
    return Summary(
        study="compare",
        command=f"gnbbench compare {plot.dataset} --runs {plot.n_runs}",
        plan={
            "dataset": plot.dataset,
            "runs": plot.n_runs,
            "seed": 42,
            "test_size": 0.3,
            "stratify": True,
            "reference": plot.reference,
            "against": list(names[1:]),
            "margin": 0.01,
        },
        environment={
            "versions": {
                "gnbbench": "0.1.0",
                "numpy": "2.4.6",
                "python": "3.11.2",
                "scikit-learn": "1.9.1",
            },
            "machine": {
                "processor": "Example CPU 3.0 GHz",
                "cores": 2,
                "system": "Linux",
                "memory_bytes": 8 * 2**30,
            },
            "threads": "BLAS and OpenMP pools held at 1 thread.",
        },
        data=_dataset(plot, rng),
        reference=plot.reference,
        implementations=names,
        headline=_headline(plot),
        verdicts=tuple(_verdict(plot, name) for name in names[1:]),
        warnings=plot.warnings,
        tables={"points": _points(plot)},
        details={
            "timing_regime": "Timed in random pairs, with a priming call before each "
            "(warm).",
            "timing_plan": {"regime": "warm", "threads": 1, "processes": plot.processes},
            "decision_regions": _regions(plot, behaviours, rng) if plot.regions else None,
        },
    ).with_tables(
        agreement=_agreement(plot, labels, behaviours),
        label_pairs=_label_pairs(plot, labels, behaviours),
        probability_differences=_probability_differences(plot, behaviours),
        disputed_rows=_disputed_rows(plot, labels, behaviours),
        metrics=_metrics(plot, runs),
        differences=_differences(plot, runs),
        runs=runs,
        class_scores=_class_scores(plot, truth, labels, behaviours),
        confusion=_confusion(plot, truth, labels, behaviours),
        reliability=_reliability(behaviours),
        timing=_timing(plot, behaviours),
        ratios=_ratios(plot, behaviours),
        timing_rounds=_timing_rounds(plot, behaviours),
        memory=_memory(plot, behaviours),
    )


def _points(plot: Plot) -> pd.DataFrame:
    row = (NAN, plot.n_train, plot.n_test, plot.n_runs, 0, 0, False)
    return table_of("points", [row]).assign(point=0)


def _flipped(
    rng: np.random.Generator, labels: NDArray[np.int64], share: float, n_classes: int
) -> NDArray[np.int64]:
    flip = rng.random(labels.shape) < share
    return np.where(flip & (labels > 0), (labels % (n_classes - 1)) + 1, labels)


def _runs(
    plot: Plot,
    truth: NDArray[np.int64],
    labels: NDArray[np.int64],
    name: str,
    behaviour: Behaviour,
) -> pd.DataFrame:
    right = (truth == labels).mean(axis=1)
    values = {
        "train_accuracy": np.clip(right + 0.012, 0, 1),
        "test_accuracy": right,
        "precision": right - 0.001,
        "recall": right,
        "f1": right - 0.0005,
        "mean_confidence": 0.2 + 0.8 * right,
        "mean_confidence_right": np.full(plot.n_runs, 0.98) - behaviour.flips,
        "mean_confidence_wrong": np.full(plot.n_runs, 0.86) + behaviour.flips,
        "log_loss": 1.2 * (1 - right) + 0.01,
        "brier_score": 1.5 * (1 - right) + 0.01,
    }
    table = pd.DataFrame({"run": np.arange(plot.n_runs), "implementation": name, **values})
    table.insert(2, "status", "error" if behaviour.fails else "ok")
    table.insert(
        3, "message", "ValueError: covariance is singular" if behaviour.fails else ""
    )
    if not behaviour.probabilities:
        table[list(PROBABILITY_METRICS)] = NAN
    if behaviour.fails:
        table[list(METRICS)] = NAN
    return table


def _interval(values: NDArray[np.float64], plot: Plot) -> tuple[float, float]:
    if len(values) < 2:
        return NAN, NAN
    half = 1.96 * values.std(ddof=1) * np.sqrt(1 / len(values) + plot.n_test / plot.n_train)
    return float(values.mean() - half), float(values.mean() + half)


def _metrics(plot: Plot, runs: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for name, table in runs.groupby("implementation", sort=False):
        for metric in (*METRICS, "expected_calibration_error"):
            pooled = metric == "expected_calibration_error"
            values = table["mean_confidence" if pooled else metric].dropna().to_numpy()
            mean = float(values.mean()) if len(values) else NAN
            low, high = (NAN, NAN) if pooled else _interval(values, plot)
            rows.append(
                {
                    "implementation": name,
                    "metric": metric,
                    "mean": mean * 0.02 if pooled else mean,
                    "spread": float(values.std(ddof=1))
                    if len(values) > 1 and not pooled
                    else NAN,
                    "low": low,
                    "high": high,
                    "runs": len(values),
                }
            )
    return pd.DataFrame(rows)


def _differences(plot: Plot, runs: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for name in plot.competitors:
        for metric in METRICS:
            wide = runs.pivot_table(
                index="run", columns="implementation", values=metric, dropna=False
            ).reindex(columns=[plot.reference, name])
            values = (wide[name] - wide[plot.reference]).dropna().to_numpy()
            same = len(values) > 0 and not values.any()
            low, high = _interval(values, plot)
            rows.append(
                {
                    "implementation": name,
                    "metric": metric,
                    "runs": len(values),
                    "mean": float(values.mean()) if len(values) else NAN,
                    "low": low,
                    "high": high,
                    "p": NAN if same or len(values) < 2 else 0.03,
                    "outcome": "identical"
                    if same
                    else plot.outcome
                    if len(values)
                    else "failed",
                }
            )
    return pd.DataFrame(rows)


def _agreement(
    plot: Plot, labels: dict[str, NDArray[np.int64]], behaviours: dict[str, Behaviour]
) -> pd.DataFrame:
    rows = []
    for name in plot.competitors:
        behaviour = behaviours[name]
        differs = labels[name] != labels[plot.reference]
        compared = 0 if behaviour.fails else differs.size
        count = 0 if behaviour.fails else int(differs.sum())
        both = (
            behaviour.probabilities and plot.reference_probabilities and not behaviour.fails
        )
        rows.append(
            {
                "implementation": name,
                "predictions": compared,
                "disagreements": count,
                "agreement": 1 - count / compared if compared else NAN,
                "exact_runs": 0 if behaviour.fails else int((~differs.any(axis=1)).sum()),
                "compared_runs": 0 if behaviour.fails else plot.n_runs,
                "row_bound": 0.02 if compared and not count else NAN,
                "disputed_rows": min(count, 12),
                "max_probability_difference": behaviour.noise * 9 if both else NAN,
                "mean_probability_difference": behaviour.noise / 3 if both else NAN,
                "max_joint_log_likelihood_difference": behaviour.noise * 100
                if both
                else NAN,
                "mean_joint_log_likelihood_difference": behaviour.noise * 10
                if both
                else NAN,
                "kappa": 1 - 1.5 * count / compared if compared else NAN,
                "mcnemar_p": NAN if not count else 0.25,
            }
        )
    return pd.DataFrame(rows)


def _cells(
    plot: Plot,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    columns: tuple[str, str],
) -> list[dict[str, Any]]:
    k = len(plot.class_names)
    counts = np.bincount((first * k + second).ravel(), minlength=k * k).reshape(k, k)
    return [
        {
            columns[0]: plot.class_names[i],
            columns[1]: plot.class_names[j],
            "count": int(counts[i, j]),
            "share": counts[i, j] / max(counts[i].sum(), 1),
        }
        for i in range(k)
        for j in range(k)
    ]


def _label_pairs(
    plot: Plot, labels: dict[str, NDArray[np.int64]], behaviours: dict[str, Behaviour]
) -> pd.DataFrame:
    rows = [
        {"implementation": name, **cell}
        for name in plot.competitors
        if not behaviours[name].fails
        for cell in _cells(
            plot, labels[plot.reference], labels[name], ("reference_label", "label")
        )
    ]
    columns = ["implementation", "reference_label", "label", "count"]
    return pd.DataFrame(rows, columns=columns)


def _confusion(
    plot: Plot,
    truth: NDArray[np.int64],
    labels: dict[str, NDArray[np.int64]],
    behaviours: dict[str, Behaviour],
) -> pd.DataFrame:
    rows = [
        {"implementation": name, **cell}
        for name in behaviours
        if not behaviours[name].fails
        for cell in _cells(plot, truth, labels[name], ("truth", "label"))
    ]
    return pd.DataFrame(
        rows, columns=["implementation", "truth", "label", "count", "share"]
    )


def _class_scores(
    plot: Plot,
    truth: NDArray[np.int64],
    labels: dict[str, NDArray[np.int64]],
    behaviours: dict[str, Behaviour],
) -> pd.DataFrame:
    rows = []
    for name in (key for key, behaviour in behaviours.items() if not behaviour.fails):
        for code, class_name in enumerate(plot.class_names):
            hit = int(((truth == code) & (labels[name] == code)).sum())
            precision = hit / max(int((labels[name] == code).sum()), 1)
            recall = hit / max(int((truth == code).sum()), 1)
            rows.append(
                {
                    "implementation": name,
                    "class_name": class_name,
                    "precision": precision,
                    "recall": recall,
                    "f1": 2 * precision * recall / max(precision + recall, 1e-9),
                    "support": int((truth == code).sum()),
                }
            )
    columns = ["implementation", "class_name", "precision", "recall", "f1", "support"]
    return pd.DataFrame(rows, columns=columns)


def _probability_differences(plot: Plot, behaviours: dict[str, Behaviour]) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    total = plot.n_runs * plot.n_test * len(plot.class_names)
    for name in plot.competitors:
        behaviour = behaviours[name]
        if behaviour.fails or not (
            behaviour.probabilities and plot.reference_probabilities
        ):
            continue
        exact = total if behaviour.noise == 0 else total // 3
        rows.append({"implementation": name, "low": 0.0, "high": 0.0, "count": exact})
        if behaviour.noise:
            top = int(np.floor(np.log10(behaviour.noise * 9)))
            for step, share in enumerate((0.45, 0.3, 0.15, 0.1)):
                rows.append(
                    {
                        "implementation": name,
                        "low": 10.0 ** (top - step),
                        "high": 10.0 ** (top - step + 1),
                        "count": int((total - exact) * share),
                    }
                )
    return pd.DataFrame(rows, columns=["implementation", "low", "high", "count"])


def _disputed_rows(
    plot: Plot, labels: dict[str, NDArray[np.int64]], behaviours: dict[str, Behaviour]
) -> pd.DataFrame:
    first, second = plot.class_names[1], plot.class_names[-1]
    rows = [
        {
            "implementation": name,
            "row": 50 + 3 * number,
            "truth": second,
            "tested": 300,
            "disputed": 12 - number,
            "votes": f"{second} 97 %, {first} 3 %",
            "reference_votes": f"{first} 100 %",
            "smallest_margin": 0.002 * (number + 1)
            if behaviours[name].probabilities
            else NAN,
        }
        for name in plot.competitors
        if not behaviours[name].fails
        for number in range(min(int((labels[name] != labels[plot.reference]).sum()), 12))
    ]
    columns = [
        "implementation",
        "row",
        "truth",
        "tested",
        "disputed",
        "votes",
        "reference_votes",
        "smallest_margin",
    ]
    return pd.DataFrame(rows, columns=columns)


def _reliability(behaviours: dict[str, Behaviour]) -> pd.DataFrame:
    rows = []
    for name, behaviour in behaviours.items():
        if behaviour.fails or not behaviour.probabilities:
            continue
        for number in range(5, 15):
            confidence = (number + 0.55) / 15
            accuracy = min(confidence**1.2 - behaviour.flips, 1.0)
            rows.append(
                {
                    "implementation": name,
                    "low": number / 15,
                    "high": (number + 1) / 15,
                    "count": 12 * 2 ** (number - 5),
                    "mean_confidence": confidence,
                    "accuracy": accuracy,
                    "accuracy_low": max(accuracy - 0.6 / number, 0),
                    "accuracy_high": min(accuracy + 0.6 / number, 1),
                }
            )
    columns = [
        "implementation",
        "low",
        "high",
        "count",
        "mean_confidence",
        "accuracy",
        "accuracy_low",
        "accuracy_high",
    ]
    return pd.DataFrame(rows, columns=columns)


def _timing(plot: Plot, behaviours: dict[str, Behaviour]) -> pd.DataFrame:
    rows = []
    for name, behaviour in behaviours.items():
        if behaviour.fails or not plot.timed:
            continue
        for operation, base in (
            ("fit", 480e-6),
            ("predict", 130e-6),
            ("predict_proba", 150e-6),
        ):
            if operation == "predict_proba" and not behaviour.probabilities:
                continue
            median = base * behaviour.ratio ** (1.0 if operation == "fit" else 0.4)
            rows.append(
                {
                    "implementation": name,
                    "operation": operation,
                    "median_seconds": median,
                    "p5_seconds": median * 0.95,
                    "p95_seconds": median * 1.22,
                    "minimum_seconds": median * 0.93,
                    "mean_seconds": median * 1.04,
                    "standard_deviation_seconds": median * 0.1,
                    "cold_seconds": median * 6,
                    "rounds": 100,
                }
            )
    columns = [
        "implementation",
        "operation",
        "median_seconds",
        "p5_seconds",
        "p95_seconds",
        "minimum_seconds",
        "mean_seconds",
        "standard_deviation_seconds",
        "cold_seconds",
        "rounds",
    ]
    return pd.DataFrame(rows, columns=columns)


def _ratios(plot: Plot, behaviours: dict[str, Behaviour]) -> pd.DataFrame:
    timing = _timing(plot, behaviours).set_index(["implementation", "operation"])
    rows = []
    for name, operation in timing.index:
        if name == plot.reference or (plot.reference, operation) not in timing.index:
            continue
        ratio = (
            timing.loc[(name, operation), "median_seconds"]
            / timing.loc[(plot.reference, operation), "median_seconds"]
        )
        speed = "faster" if ratio < 0.98 else "slower" if ratio > 1.02 else "not separated"
        rows.append(
            {
                "implementation": name,
                "operation": operation,
                "ratio": ratio,
                "low": ratio * 0.97,
                "high": ratio * 1.03,
                "floor_low": 0.985,
                "floor_high": 1.012,
                "speed": speed,
                "outliers": 3,
                "ties": 0,
                "autocorrelation": 0.04,
                "processes": plot.processes,
                "process_low": ratio * 0.99 if plot.processes > 1 else np.nan,
                "process_high": ratio * 1.01 if plot.processes > 1 else np.nan,
            }
        )
    columns = [
        "implementation",
        "operation",
        "ratio",
        "low",
        "high",
        "floor_low",
        "floor_high",
        "speed",
        "outliers",
        "ties",
        "autocorrelation",
        "processes",
        "process_low",
        "process_high",
    ]
    return pd.DataFrame(rows, columns=columns)


def _timing_rounds(plot: Plot, behaviours: dict[str, Behaviour]) -> pd.DataFrame:
    """Four rounds a process, each timing of them calls of seven."""
    timing = _timing(plot, behaviours)
    columns = ["implementation", "operation", "process", "round", "seconds", "loops"]
    rows = [
        (row["implementation"], row["operation"], process, 4 * process + place, seconds, 7)
        for row in timing.to_dict("records")
        for process in range(plot.processes)
        for place, seconds in enumerate(row["median_seconds"] * np.linspace(0.99, 1.02, 4))
    ]
    return pd.DataFrame(rows, columns=columns)


def _memory(plot: Plot, behaviours: dict[str, Behaviour]) -> pd.DataFrame:
    timing = _timing(plot, behaviours)
    used = timing[["implementation", "operation"]].copy()
    used["traced_bytes"] = 1000.0 * (1 + np.arange(len(used)))
    used["resident_bytes"] = 5e6 if plot.processes > 1 else np.nan
    return used


def _dataset(plot: Plot, rng: np.random.Generator) -> DatasetDescription:
    n = plot.n_train + plot.n_test
    k = len(plot.class_names)
    features = pd.DataFrame(
        {
            "feature": plot.feature_names,
            "minimum": rng.uniform(0, 4, len(plot.feature_names)),
            "maximum": rng.uniform(6, 9, len(plot.feature_names)),
            "mean": rng.uniform(4, 6, len(plot.feature_names)),
            "standard_deviation": rng.uniform(0.2, 1, len(plot.feature_names)),
            "distinct": rng.integers(1, 40, len(plot.feature_names)),
        }
    )
    counts = tuple(n // k + (1 if code < n % k else 0) for code in range(k))
    return DatasetDescription(
        name=plot.dataset,
        target_name="species",
        origin="Fisher (1936), as in scikit-learn",
        licence="CC BY 4.0",
        sha256="6f" * 32,
        n_samples=n,
        n_features=len(plot.feature_names),
        n_duplicates=1,
        class_names=plot.class_names,
        class_counts=counts,
        notes=(),
        features=features,
    )


def _regions(
    plot: Plot, behaviours: dict[str, Behaviour], rng: np.random.Generator
) -> DecisionRegions:
    k = len(plot.class_names)
    x, y = np.meshgrid(np.linspace(0, 1, 200), np.linspace(0, 1, 200))
    base = np.minimum(((x + 0.35 * y**2) / 1.36 * k).astype(int), k - 1)
    codes = {}
    for name, behaviour in behaviours.items():
        if behaviour.fails:
            continue
        shift = behaviour.flips * (1 + y)
        codes[name] = np.minimum(((x + shift + 0.35 * y**2) / 1.36 * k).astype(int), k - 1)
    assert np.array_equal(codes.get(plot.reference, base), base)
    n = plot.n_train + plot.n_test
    point_codes = rng.integers(0, k, n)
    across = np.clip((point_codes + 0.5 + rng.normal(0, 0.3, n)) / k, 0.01, 0.99)
    points = np.column_stack([1 + 6 * across, 0.1 + 2.4 * rng.uniform(0.02, 0.98, n)])
    names = (plot.feature_names[-2], plot.feature_names[-1])
    return DecisionRegions(
        axis_names=names,
        extent=(1.0, 7.0, 0.1, 2.5),
        codes=codes,
        points=points,
        point_codes=point_codes,
        caption="Fitted on these two features of all samples; the others are not used.",
    )


def _headline(plot: Plot) -> str:
    if len(plot.competitors) > 1:
        return f"{len(plot.competitors)} implementations against {plot.reference}."
    return _verdict(plot, next(iter(plot.competitors))).sentence


def _verdict(plot: Plot, name: str) -> Verdict:
    behaviour = plot.competitors[name]
    total = plot.n_runs * plot.n_test
    if behaviour.fails:
        return Verdict(
            name,
            "failed",
            "Failed: no run gave labels.",
            "Every run ended in: ValueError: covariance is singular.",
        )
    if behaviour.flips == 0:
        return Verdict(
            name,
            "identical",
            f"Identical: none of {total:,} predictions differ.",
            "At most 2.0 % of the rows of the data could differ (95 % bound).",
        )
    sentences = {
        "equivalent": "Equivalent: test accuracy differs by less than one point.",
        "different": "Different: test accuracy is lower by 1.7 points.",
        "cannot tell": "Cannot tell: the interval reaches beyond the margin on both sides.",
    }
    return Verdict(
        name,
        plot.outcome,
        sentences.get(plot.outcome, "Different."),
        "Difference −0.017 (−0.03 to −0.01), margin 0.01.",
    )


LONG = "a_very_long_name_of_an_implementation_that_nobody_would_type_twice_but_somebody_d"

PLOTS: dict[str, Plot] = {
    "usual": Plot(),
    "different": Plot(
        {"density": Behaviour(flips=0.03, noise=1e-3, ratio=2.4)},
        n_runs=200,
        outcome="different",
    ),
    "cannot_tell": Plot(
        {"textbook": Behaviour(flips=0.004, noise=1e-9, ratio=1.0)},
        n_runs=50,
        outcome="cannot tell",
        warnings=("The machine was busy: load 3.2 on 2 cores.",),
    ),
    "failed": Plot({"broken": Behaviour(fails=True)}, n_runs=20, outcome="failed"),
    "no_probabilities": Plot({"labels_only": Behaviour(probabilities=False)}, n_runs=20),
    "no_probabilities_at_all": Plot(
        {"labels_only": Behaviour(probabilities=False)},
        reference_probabilities=False,
        n_runs=20,
        timed=False,
        regions=False,
    ),
    "single": Plot(n_runs=1),
    "exact": Plot({"numpy": Behaviour(noise=0.0)}, n_runs=30),
    "digits": Plot(
        {"numpy": Behaviour(flips=0.01, noise=1e-12)},
        n_runs=100,
        n_train=1258,
        n_test=539,
        class_names=tuple("0123456789"),
        outcome="equivalent",
        feature_names=tuple(f"pixel_{r}_{c}" for r in range(8) for c in range(8)),
        dataset="digits",
    ),
    "thirty_classes": Plot(
        {"numpy": Behaviour(flips=0.02)},
        n_runs=10,
        n_train=900,
        n_test=300,
        class_names=tuple(f"species {n}" for n in range(30)),
        outcome="different",
        dataset="leaves",
    ),
    "several": Plot(
        {
            "numpy": Behaviour(),
            "density": Behaviour(0.03, 1e-2, 2.4),
            "river": Behaviour(0.006, 1e-5, 40.0),
            "labels_only": Behaviour(probabilities=False),
            "broken": Behaviour(fails=True),
        },
        n_runs=100,
        processes=3,
        outcome="different",
    ),
    "hostile": Plot(
        {
            HOSTILE: Behaviour(flips=0.01),
            '$x_1$ & id="a"': Behaviour(flips=0.02, noise=1e-6),
            LONG: Behaviour(),
            LONG + "x": Behaviour(),
            "🐼 панда\n\x00[bold]": Behaviour(ratio=1.0),
        },
        n_runs=10,
        outcome="different",
        dataset=HOSTILE,
        class_names=("$\\alpha_1$", HOSTILE, LONG),
        feature_names=("a", "$y_2$", HOSTILE, "{{ 7 * 7 }}"),
        warnings=(f"Beware of {HOSTILE}.",),
    ),
}


@pytest.fixture(scope="session")
def summary_of() -> Callable[[str], Summary]:
    """Give the invented summary of a name in `PLOTS`; each is built once."""
    built: dict[str, Summary] = {}

    def give(name: str) -> Summary:
        if name not in built:
            built[name] = build(PLOTS[name])
        return built[name]

    return give


@pytest.fixture(params=list(PLOTS))
def study_name(request: pytest.FixtureRequest) -> str:
    """Name of every invented summary in turn."""
    return str(request.param)


@pytest.fixture
def any_summary(study_name: str, summary_of: Callable[[str], Summary]) -> Summary:
    """Every invented summary in turn."""
    return summary_of(study_name)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One headless Chromium for all tests; they are skipped where there is none."""
    path = shutil.which("chromium") or shutil.which("chromium-headless-shell")
    if path is None:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=list(CHROMIUM_OPTIONS)
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def matrix_of() -> Callable[..., Matrix]:
    """Give the matrix of studies in `PLOTS`, under names and plots that were changed."""

    def give(name: str, *datasets: str, left_out: tuple[str, ...] = ()) -> Matrix:
        entries = [
            Entry(dataset, f"data-{place}", build(replace(PLOTS[name], **_VARIED[place])))
            for place, dataset in enumerate(datasets)
        ]
        command = f"gnbbench compare {' '.join(datasets)}"
        return Matrix(tuple(entries), command, left_out)

    return give


_VARIED: tuple[dict[str, Any], ...] = (
    {},
    {"n_runs": 20, "n_test": 60},
    {"n_runs": 1, "timed": False},
)
