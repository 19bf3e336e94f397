"""Records of studies that never ran: made from labels, so that every sum is known."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.records import (
    N_RELIABILITY_BINS,
    NULL_COMPETITOR,
    OPERATIONS,
    RUN_METRICS,
    TABLES,
    Records,
)
from gnbbench.statistics.schema import POINTED
from gnbbench.statistics.summary import Summary

# It has no digit: what a terminal breaks of a name is then no number.
HOSTILE = "<script>alert()</script>"
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
    dataset: str = "made"
    feature_names: tuple[str, ...] = ("x",)
    overfit: float = 0.0  # Train minus test accuracy
    # Ratio to the reference's time, by name; nothing was timed if there is none
    ratios: Mapping[str, float] = field(default_factory=dict)
    processes: int = 1
    remarks: tuple[str, ...] = ()
    n_drawn: int = 0  # Points of the grid of decision regions along each feature

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.labels)

    def ok(self, *names: str) -> NDArray[np.bool_]:
        """Return in which runs none of these failed."""
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
    table["train_accuracy"] = np.minimum(table["train_accuracy"] + study.overfit, 1.0)
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


def _counted(implementation: str, **columns: Any) -> pd.DataFrame:
    table = pd.DataFrame({name: np.ravel(values) for name, values in columns.items()})
    counts = table.value_counts().rename("count").reset_index()
    return counts.assign(implementation=implementation)


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
    found = {"decade": counts.index, "count": counts.to_numpy()}
    return pd.DataFrame({"implementation": name, **found})


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


def _sums(study: InventedStudy) -> dict[str, Any]:
    """Return the tables of what was added up over runs, and of single disagreements."""
    reference, *against = study.names
    labels, good = study.labels, {name: study.ok(name) for name in study.names}
    both = {name: study.ok(name, reference) for name in against}
    sums = {
        "disagreements": [_disagreements(study, name, reference) for name in against],
        "confusion": [
            _counted(name, truth=study.truth[runs], label=labels[name][runs])
            for name, runs in good.items()
        ],
        "label_pairs": [
            _counted(
                name, reference_label=labels[reference][runs], label=labels[name][runs]
            )
            for name, runs in both.items()
        ],
        "probability_differences": [
            _probability_differences(study, name, reference) for name in against
        ],
        "reliability": [_reliability(study, name) for name in study.names],
        "votes": [
            _counted(name, row=study.rows[runs], label=labels[name][runs])
            for name, runs in good.items()
        ],
    }
    return {name: _table(name, parts) for name, parts in sums.items()}


def _records(study: InventedStudy) -> Records:
    reference, *against = study.names
    return Records(
        plan={
            "study": "compare",
            "dataset": study.dataset,
            "runs": len(study.truth),
            "test_size": 0.3,
            "stratify": True,
            "reference": reference,
            "against": against,
            "margin": study.margin,
            "command": f"gnbbench compare {study.dataset}",
        },
        environment={
            "versions": {"numpy": "2.4.6", "python": "3.11.2", "scikit-learn": "1.9.1"},
            "machine": {"cores": 2, "cpu": "A processor", "memory_bytes": 8 * 2**30},
            "threads": "BLAS on 1 thread.",
        },
        dataset=_dataset(study),
        runs=_table("runs", [_runs(study, name) for name in study.names]),
        pairs=_table("pairs", [_pairs(study, name, reference) for name in against]),
        **_sums(study),
        timings=_timings(study),
        timing_notes=_timing_notes(study),
        memory=_memory(study),
        decision_regions=_regions(study) if study.n_drawn else None,
    )


def _dataset(study: InventedStudy) -> dict[str, Any]:
    n_classes = len(study.class_names)
    moments = {"minimum": 0.0, "maximum": 1.0, "mean": 0.5, "standard_deviation": 0.3}
    return {
        "name": study.dataset,
        "target_name": "target",
        "origin": "made",
        "licence": "",
        "sha256": "ab" * 32,
        "n_samples": study.n_samples,
        "n_features": len(study.feature_names),
        "n_duplicates": study.n_duplicates,
        "class_names": list(study.class_names),
        "class_counts": [study.n_samples // n_classes] * n_classes,
        "notes": [],
        "features": [
            {"feature": name, **moments, "distinct": 20} for name in study.feature_names
        ],
    }


SECONDS = {"fit": 480e-6, "predict": 130e-6, "predict_proba": 150e-6}
ROUNDS = 12  # Of each process


def _timings(study: InventedStudy) -> pd.DataFrame:
    """Return rounds with the requested ratios, within a few per cent."""
    rng = np.random.default_rng(5)
    ratios = {study.names[0]: 1.0, NULL_COMPETITOR: 1.0, **study.ratios}
    labels_alone = set(study.names) - set(study.probabilities)
    rows = [
        (operation, name, number, place, SECONDS[operation] * ratio * rng.uniform(1, 1.05))
        for operation in OPERATIONS
        for number in range(ROUNDS * study.processes if study.ratios else 0)
        for place, (name, ratio) in enumerate(ratios.items())
        if operation != "predict_proba" or name not in labels_alone
    ]
    return pd.DataFrame(rows, columns=list(TABLES["timings"]))


def _timing_notes(study: InventedStudy) -> dict[str, Any]:
    counts, rounds = dict.fromkeys(OPERATIONS, 7), dict.fromkeys(OPERATIONS, ROUNDS)
    part = {"inner_counts": counts, "rounds": rounds}
    several = {"processes": [part] * study.processes} if study.processes > 1 else {}
    regime = "Warm." if study.ratios else "Nothing was timed."
    notes = {"regime": regime, "warnings": list(study.remarks), "skipped": {}}
    cold = {operation: {study.names[0]: 6 * SECONDS[operation]} for operation in OPERATIONS}
    return {**notes, **part, **several, "cold_seconds": cold}


def _memory(study: InventedStudy) -> dict[str, Any]:
    resident = 5e6 if study.processes > 1 else None
    rows = [
        {
            "operation": operation,
            "implementation": name,
            "traced_bytes": 1000.0 * (1 + place),
            "resident_bytes": resident,
        }
        for operation in OPERATIONS
        for place, name in enumerate(study.ratios)
    ]
    return {"rows": rows, "skipped": {}}


def _regions(study: InventedStudy) -> dict[str, Any]:
    """Return curved stripes, one per class, shifted by the share of labels that differ."""
    n_classes, reference = len(study.class_names), study.labels[study.names[0]]
    x, y = np.meshgrid(*[np.linspace(0, 1, study.n_drawn)] * 2)
    shifts = {
        name: (labels != reference).mean() * (1 + y)
        for name, labels in study.labels.items()
        if study.ok(name).any()
    }
    code = np.arange(study.n_samples) % n_classes
    across = (code + 0.2 + 0.6 * np.linspace(0, 1, code.size)) / n_classes
    stripes = {name: (x + shift + 0.35 * y**2) / 1.36 for name, shift in shifts.items()}
    return {
        "axis_names": study.feature_names[-2:],
        "extent": (0.0, 1.0, 0.0, 1.0),
        "shape": x.shape,
        "codes": {
            name: np.minimum(value * n_classes, n_classes - 1).astype(int).ravel().tolist()
            for name, value in stripes.items()
        },
        "margins": {
            name: [list(range(x.size)), (0.5 - abs(value * n_classes % 1 - 0.5)).ravel()]
            for name, value in stripes.items()
            if name in study.probabilities
        },
        "points": np.stack([across, np.linspace(0, 1, code.size)], axis=1).tolist(),
        "point_codes": code.tolist(),
        "point_labels": {name: np.where(code < 1, 1, code).tolist() for name in stripes},
        "rows": list(range(code.size)),
        "caption": "Fitted on these two features of all samples; the others are not used.",
    }


def random_study(
    *,
    seed: int = 0,
    n_runs: int = 20,
    n_test: int = 45,
    n_samples: int = 150,
    n_classes: int = 3,
    changed: Mapping[str, float] | None = None,
    noise: Mapping[str, float] | None = None,
    silent: Collection[str] = (),
    broken: Collection[str] = (),
    with_probabilities: bool = True,
    **fields: Any,
) -> InventedStudy:
    """Return a reference right in 9 of 10 rows, and competitors that change its labels.

    ``changed`` gives the share of rows whose label a competitor moves to the next class;
    a row keeps its labels in every run. ``noise`` is by how much its probabilities differ,
    and who is silent has none; who is broken fails in every run.
    """
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
        base = rng.dirichlet(np.ones(n_classes), size=n_samples)
        for name, codes in by_row.items():
            p = np.sort(base, axis=1)[:, ::-1].copy()
            order = (codes[:, None] + np.arange(n_classes)) % n_classes
            placed = np.empty_like(p)
            np.put_along_axis(placed, order, p, axis=1)
            placed += (noise or {}).get(name, 0.0) * np.linspace(-0.9, 0.9, n_classes)
            if name not in silent:
                probabilities[name] = placed[rows]
    given = {
        "class_names": tuple("abcdefghij"[:n_classes]),
        "n_samples": n_samples,
        "failed": dict.fromkeys(broken, range(n_runs)),
        **fields,
    }
    return InventedStudy(truth[rows], rows, labels, probabilities, **given)


def records_of(study: InventedStudy, **changes: Any) -> Records:
    """Return the records of a study, with changed fields."""
    return _records(replace(study, **changes))


@dataclass(frozen=True)
class InventedSweep:
    """A sweep over data like wine: 178 rows, three classes."""

    # Competitor -> share of labels that differ at 10 %; it falls with the fraction
    changed: Mapping[str, float] = field(default_factory=lambda: {"numpy": 0.0})
    fractions: tuple[float, ...] = tuple(round(tenth / 10, 1) for tenth in range(1, 10))
    n_runs: int = 40
    broken: tuple[str, ...] = ()  # Those that fail in every run
    impossible: tuple[float, ...] = ()  # Fractions without a split
    thin: int = 0  # Runs at the first fraction with one training sample of some class
    probabilities: bool = True
    timed: bool = True
    dataset: str = "wine"
    n_samples: int = 178


def sweep_records_of(sweep: InventedSweep) -> dict[float, Records]:
    """Return the records of every fraction; the same ones for the same sweep."""
    rng = np.random.default_rng(3)
    timed_at = max(sweep.fractions) if sweep.timed else None
    found = {}
    for fraction in sweep.fractions:
        study = _at_fraction(sweep, fraction, rng, timed=fraction == timed_at)
        records = _records(study)
        pairs = records.pairs
        plan = {
            **records.plan,
            "study": "sweep-split",
            "train_fractions": list(sweep.fractions),
            "command": f"gnbbench sweep-split {sweep.dataset}",
        }
        found[fraction] = replace(
            records,
            plan=plan,
            runs=_sweep_runs(records.runs, sweep, fraction),
            pairs=pairs.head(0) if fraction in sweep.impossible else pairs,
            timing_notes=records.timing_notes if study.ratios else None,
        )
    return found


def _at_fraction(
    sweep: InventedSweep, fraction: float, rng: np.random.Generator, *, timed: bool
) -> InventedStudy:
    n_test = sweep.n_samples - int(fraction * sweep.n_samples)
    right = rng.random((sweep.n_runs, n_test)) < 0.98 - 0.01 / fraction
    labels = {}
    for name in ("sklearn", *sweep.changed):
        share = sweep.changed.get(name, 0.0) * (0.1 / fraction) ** 2
        labels[name] = np.where(right ^ (rng.random(right.shape) < share), 0, 1)
    return InventedStudy(
        np.zeros_like(labels["sklearn"]),
        np.tile(np.arange(n_test), (sweep.n_runs, 1)),
        labels,
        # The same for all up to a trace; they differ only where labels do.
        {
            name: _sure(codes, trace=0.0 if name == "sklearn" else 1e-17)
            for name, codes in labels.items()
            if sweep.probabilities
        },
        failed={
            name: range(sweep.n_runs)
            for name in (labels if fraction in sweep.impossible else sweep.broken)
        },
        n_samples=sweep.n_samples,
        dataset=sweep.dataset,
        overfit=0.015 / fraction,
        ratios=dict.fromkeys(sweep.changed, 0.25) if timed else {},
        feature_names=("alcohol", "hue"),
        n_drawn=40,
    )


def _sure(labels: IntArray, trace: float) -> FloatArray:
    """Return probabilities of three classes for labels of the first two."""
    first = np.where(labels == 0, 0.7, 0.3)
    return np.stack([first, 1.0 - first, np.full_like(first, trace)], axis=2)


def _sweep_runs(runs: pd.DataFrame, sweep: InventedSweep, fraction: float) -> pd.DataFrame:
    if fraction in sweep.impossible:
        message = "no split: --train-fractions: too few samples."
        nothing = dict.fromkeys(RUN_METRICS, np.nan)
        none = {"n_train": 0, "n_test": 0, "smallest_class": 0}
        return runs.assign(status="error", message=message, **none, **nothing)
    is_thin = (runs["run"] < sweep.thin) & (fraction == sweep.fractions[0])
    usual = runs["n_train"].mul(0.27).clip(lower=2).astype(int)
    return runs.assign(smallest_class=usual.mask(is_thin, 1))


def with_tables(summary: Summary, **tables: pd.DataFrame) -> Summary:
    """Return a summary with other tables; rows without `point` are the first's."""
    points = summary.tables["points"]
    for name, table in tables.items():
        if "point" in table or name not in POINTED or "fraction" not in points:
            continue
        places = points.set_index("fraction")["point"]
        numbers = table["fraction"].map(places) if "fraction" in table else 0
        moved = table.drop(columns="fraction", errors="ignore")
        moved.insert(0, "point", numbers)
        tables[name] = moved
    return replace(summary, tables={**summary.tables, **tables})
