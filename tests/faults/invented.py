"""Records of studies that never ran: made from labels, so that every sum is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import N_RELIABILITY_BINS, RUN_METRICS, TABLES, Records

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class InventedStudy:
    """Labels of every run, from which records follow; arrays are runs by tested rows.

    The reference comes first; ``failed`` holds the runs in which an implementation failed.
    """

    truth: IntArray
    rows: IntArray
    labels: Mapping[str, IntArray]
    probabilities: Mapping[str, FloatArray] = field(default_factory=dict)
    failed: Mapping[str, Sequence[int]] = field(default_factory=dict)
    n_samples: int = 150
    n_duplicates: int = 1
    class_names: tuple[str, ...] = ("a", "b", "c")
    margin: float = 0.01

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.labels)

    def ok(self, *names: str) -> NDArray[np.bool_]:
        """Tell in which runs none of these failed."""
        good = np.ones(len(self.truth), dtype=bool)
        for name in names:
            good[list(self.failed.get(name, ()))] = False
        return good


def _table(name: str, parts: list[pd.DataFrame]) -> pd.DataFrame:
    columns = [column for column in TABLES[name] if column != "first_run"]
    kept = [part for part in parts if len(part)]
    if not kept:
        return pd.DataFrame(columns=columns)
    return pd.concat(kept, ignore_index=True).reindex(columns=columns)


def _runs(study: InventedStudy, name: str) -> pd.DataFrame:
    right = study.labels[name] == study.truth
    n_runs, n_test = study.truth.shape
    table = pd.DataFrame(dict.fromkeys(RUN_METRICS, np.nan), index=range(n_runs))
    for metric in ("train_accuracy", "test_accuracy", "precision", "recall", "f1"):
        table[metric] = right.mean(axis=1)
    if name in study.probabilities:
        p = study.probabilities[name]
        own = np.take_along_axis(p, study.truth[..., None], axis=2)[..., 0]
        confidence = p.max(axis=2)
        table["mean_confidence"] = confidence.mean(axis=1)
        with np.errstate(invalid="ignore"):  # no wrong label in a run: 0/0 is the NaN meant
            for where, metric in ((right, "right"), (~right, "wrong")):
                total = (confidence * where).sum(axis=1)
                table[f"mean_confidence_{metric}"] = total / where.sum(axis=1)
        table["log_loss"] = -np.log(np.maximum(own, 1e-15)).mean(axis=1)
        table["brier_score"] = ((p**2).sum(axis=2) - 2 * own + 1).mean(axis=1)
    good = study.ok(name)
    table.loc[~good, list(RUN_METRICS)] = np.nan
    return table.assign(
        run=range(n_runs),
        implementation=name,
        status=np.where(good, "ok", "error"),
        message=np.where(good, "", "ValueError: made to fail"),
        n_train=study.n_samples - n_test,
        n_test=n_test,
    )


def _pairs(study: InventedStudy, name: str, reference: str) -> pd.DataFrame:
    mine, other, truth = study.labels[name], study.labels[reference], study.truth
    table = pd.DataFrame(
        {
            "run": range(len(truth)),
            "implementation": name,
            "n_test": truth.shape[1],
            "disagreements": (mine != other).sum(axis=1),
            "both_right": ((mine == truth) & (other == truth)).sum(axis=1),
            "only_reference_right": ((mine != truth) & (other == truth)).sum(axis=1),
            "only_implementation_right": ((mine == truth) & (other != truth)).sum(axis=1),
            "both_wrong": ((mine != truth) & (other != truth)).sum(axis=1),
        }
    )
    if name in study.probabilities and reference in study.probabilities:
        gap = np.abs(study.probabilities[name] - study.probabilities[reference])
        table["max_probability_difference"] = gap.max(axis=(1, 2))
        table["mean_probability_difference"] = gap.mean(axis=(1, 2))
    return table[study.ok(name, reference)]


def _disagreements(study: InventedStudy, name: str, reference: str) -> pd.DataFrame:
    differ = study.labels[name] != study.labels[reference]
    differ[~study.ok(name, reference)] = False
    run, place = np.nonzero(differ)
    margin = np.full(run.size, np.nan)
    if reference in study.probabilities:
        best = np.sort(study.probabilities[reference][run, place], axis=1)
        margin = best[:, -1] - best[:, -2]
    return pd.DataFrame(
        {
            "run": run,
            "implementation": name,
            "row": study.rows[run, place],
            "truth": study.truth[run, place],
            "label": study.labels[name][run, place],
            "reference_label": study.labels[reference][run, place],
            "margin": margin,
        }
    )


def _counted(columns: Mapping[str, Any]) -> pd.DataFrame:
    table = pd.DataFrame({name: np.ravel(values) for name, values in columns.items()})
    return table.value_counts().rename("count").reset_index()


def _probability_differences(
    study: InventedStudy, name: str, reference: str
) -> pd.DataFrame:
    if not {name, reference} <= set(study.probabilities):
        return pd.DataFrame()
    good = study.ok(name, reference)
    gap = np.abs(study.probabilities[name] - study.probabilities[reference])[good].ravel()
    decade = np.full(gap.size, np.nan)
    decade[gap > 0] = np.minimum(np.floor(np.log10(gap[gap > 0])), -1)
    counts = pd.Series(decade).value_counts(dropna=False)
    return pd.DataFrame(
        {"implementation": name, "decade": counts.index, "count": counts.to_numpy()}
    )


def _reliability(study: InventedStudy, name: str) -> pd.DataFrame:
    if name not in study.probabilities:
        return pd.DataFrame()
    good = study.ok(name)
    confidence = study.probabilities[name].max(axis=2)[good].ravel()
    table = pd.DataFrame(
        {
            "bin": np.ceil(confidence * N_RELIABILITY_BINS).astype(int) - 1,
            "right": (study.labels[name] == study.truth)[good].ravel().astype(int),
            "confidence_nano": np.rint(confidence * 1e9).astype(np.int64),
            "count": 1,
        }
    )
    return table.groupby("bin").sum().reset_index().assign(implementation=name)


def _records(study: InventedStudy) -> Records:
    reference, *against = study.names
    counted = {name: study.ok(name) for name in study.names}
    both = {name: study.ok(name, reference) for name in against}
    confusion = [
        _counted({"truth": study.truth[good], "label": study.labels[name][good]}).assign(
            implementation=name
        )
        for name, good in counted.items()
    ]
    label_pairs = [
        _counted(
            {
                "reference_label": study.labels[reference][good],
                "label": study.labels[name][good],
            }
        ).assign(implementation=name)
        for name, good in both.items()
    ]
    votes = [
        _counted({"row": study.rows[good], "label": study.labels[name][good]}).assign(
            implementation=name
        )
        for name, good in counted.items()
    ]
    return Records(
        plan={
            "study": "compare",
            "dataset": "made",
            "reference": reference,
            "against": against,
            "margin": study.margin,
            "command": "gnbbench compare made",
        },
        environment={"versions": {}, "machine": {}, "threads": "BLAS on 1 thread"},
        dataset={
            "name": "made",
            "target_name": "target",
            "origin": "",
            "licence": "",
            "sha256": "",
            "n_samples": study.n_samples,
            "n_features": 1,
            "n_duplicates": study.n_duplicates,
            "class_names": list(study.class_names),
            "class_counts": [study.n_samples // len(study.class_names)]
            * len(study.class_names),
            "notes": [],
            "features": [
                {
                    "feature": "x",
                    "minimum": 0.0,
                    "maximum": 1.0,
                    "mean": 0.5,
                    "standard_deviation": 0.3,
                    "distinct": 20,
                }
            ],
        },
        runs=_table("runs", [_runs(study, name) for name in study.names]),
        pairs=_table("pairs", [_pairs(study, name, reference) for name in against]),
        disagreements=_table(
            "disagreements", [_disagreements(study, name, reference) for name in against]
        ),
        confusion=_table("confusion", confusion),
        label_pairs=_table("label_pairs", label_pairs),
        probability_differences=_table(
            "probability_differences",
            [_probability_differences(study, name, reference) for name in against],
        ),
        reliability=_table("reliability", [_reliability(study, n) for n in study.names]),
        votes=_table("votes", votes),
        timings=_table("timings", []),
        timing_notes={
            "regime": "Nothing was timed.",
            "inner_counts": {},
            "cold_seconds": {},
            "warnings": [],
            "skipped": {},
        },
        decision_regions=None,
    )


def random_study(
    *,
    seed: int = 0,
    n_runs: int = 20,
    n_test: int = 45,
    changed: Mapping[str, float] | None = None,
    with_probabilities: bool = True,
) -> InventedStudy:
    """Return a reference right in 9 of 10 rows, and competitors that change its labels.

    ``changed`` gives the share of rows whose label a competitor moves to the next class;
    a row keeps its labels in every run.
    """
    n_samples, n_classes = 150, 3
    rng = np.random.default_rng(seed)
    truth = np.arange(n_samples) % n_classes
    rows = np.stack([rng.permutation(n_samples)[:n_test] for _ in range(n_runs)])
    wrong = rng.random(n_samples) < 0.1
    by_row = {"sklearn": np.where(wrong, (truth + 1) % n_classes, truth)}
    for name, share in (changed or {"numpy": 0.0}).items():
        moved = rng.random(n_samples) < share
        by_row[name] = np.where(
            moved, (by_row["sklearn"] + 1) % n_classes, by_row["sklearn"]
        )
    labels = {name: codes[rows] for name, codes in by_row.items()}
    probabilities = {}
    if with_probabilities:
        base = rng.dirichlet([1.0, 1.0, 1.0], size=n_samples)
        for name, codes in by_row.items():
            p = np.sort(base, axis=1)[:, ::-1].copy()
            order = (codes[:, None] + np.arange(n_classes)) % n_classes
            placed = np.empty_like(p)
            np.put_along_axis(placed, order, p, axis=1)
            probabilities[name] = placed[rows]
    return InventedStudy(truth[rows], rows, labels, probabilities)


def records_of(study: InventedStudy, **changes: Any) -> Records:
    """Return the records of a study, its fields changed as asked."""
    return _records(replace(study, **changes))
