"""Every number that a page shows has an independent value, or a test named that has one.

The records are invented, so that labels and probabilities of every run are known: values
follow from these by scikit-learn, SciPy, statsmodels or a few lines, never by our code.
"""

import ast
import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from faults.claims import made_summary
from faults.invented import InventedStudy, random_study, records_of
from faults.scale import made_records
from scipy import special, stats
from scipy.special import softmax
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    confusion_matrix,
    precision_recall_fscore_support,
)
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

import gnbbench
from gnbbench.diagnosis.checked_files import DataFindings, FileFindings
from gnbbench.diagnosis.findings import Cause, Diagnosis
from gnbbench.records import NULL_COMPETITOR, READ_COMPETITOR, ScaleRecords
from gnbbench.statistics.check import summarize_check
from gnbbench.statistics.documents import document
from gnbbench.statistics.scale import summarize_scale
from gnbbench.statistics.schema import GROUPS, ColumnSchema, TableSchema
from gnbbench.statistics.summarize import summarize
from gnbbench.statistics.summary import StudyNotes

TESTS = Path(__file__).parents[1]
Frame: TypeAlias = pd.DataFrame
NAMES = ("near", "far")


# Two competitors, one of which fails in a run
STUDY = random_study(
    seed=1,
    changed={"near": 0.03, "far": 0.2},
    noise={"near": 1e-4, "far": 2e-3},
    failed={"far": (4,)},
    ratios={"near": 0.5, "far": 1.2},
)


def pooled(study: InventedStudy, name: str) -> tuple[Any, Any, Any, Any]:
    """Return truth, labels, reference's labels and rows of the runs that both gave."""
    good = study.ok(name)
    arrays = (study.truth, study.labels[name], study.labels["sklearn"], study.rows)
    return tuple(one[good] for one in arrays)


def agreement(study: InventedStudy, name: str) -> Frame:
    truth, mine, other, rows = pooled(study, name)
    test_share = truth.shape[1] / study.n_samples
    distinct = study.n_samples - study.n_duplicates
    tested = round(distinct * (1 - (1 - test_share) ** len(truth)))
    disputed = np.unique(rows[mine != other]).size
    effect = (mine == truth).astype(int) - (other == truth)
    of_rows = np.array([effect[rows == row].sum() for row in np.unique(rows)])
    gap = np.abs(study.probabilities[name] - study.probabilities["sklearn"])[study.ok(name)]
    first = [mine[0] == truth[0], other[0] == truth[0]]
    b, c = (first[0] & ~first[1]).sum(), (first[1] & ~first[0]).sum()
    exact = stats.binomtest(b, b + c).pvalue if b + c else np.nan
    middle = stats.binom.pmf(b, b + c, 0.5) if b + c else np.nan
    interval = stats.binomtest(disputed, tested).proportion_ci(0.9, method="exact")
    value = {
        "predictions": mine.size,
        "disagreements": (mine != other).sum(),
        "agreement": accuracy_score(other.ravel(), mine.ravel()),
        "exact_runs": sum(map(np.array_equal, mine, other)),
        "compared_runs": len(mine),
        "row_bound": interval.high,
        "disputed_rows": disputed,
        "gained_rows": (of_rows > 0).sum(),
        "lost_rows": (of_rows < 0).sum(),
        "tested_rows": tested,
        "tested_samples": np.unique(rows).size,
        "max_probability_difference": gap.max(),
        "mean_probability_difference": gap.mean(),
        "kappa": cohen_kappa_score(mine.ravel(), other.ravel()),
        "mcnemar_p": exact - middle,
    }
    return pd.DataFrame([value])


def corrected(values: Any, study: InventedStudy) -> tuple[float, float, float]:
    """Return mean, half width and p of Nadeau and Bengio's corrected t test."""
    n_test, n_runs = study.truth.shape[1], len(values)
    inflation = 1 / n_runs + n_test / (study.n_samples - n_test)
    error = np.std(values, ddof=1) * np.sqrt(inflation)
    p = 2 * stats.t.sf(abs(np.mean(values)) / error, n_runs - 1)
    return float(np.mean(values)), float(stats.t.ppf(0.975, n_runs - 1) * error), float(p)


def of_each_run(study: InventedStudy, name: str) -> dict[str, Any]:
    """Return a value a run of the metrics that labels and probabilities settle."""
    p = study.probabilities[name]
    own = np.take_along_axis(p, study.truth[..., None], 2)[..., 0]
    right = study.labels[name] == study.truth
    each = {
        "test_accuracy": right.mean(1),
        "mean_confidence": p.max(2).mean(1),
        "log_loss": -np.log(own).mean(1),
        "brier_score": ((p - np.eye(p.shape[2])[study.truth]) ** 2).sum(2).mean(1),
    }
    return {metric: values[study.ok(name)] for metric, values in each.items()}


def transformed(mean: float, half: float, top: float) -> tuple[float, float]:
    """Return the ends of an interval made on the scale of log-odds, or of logarithms."""
    if not half or not 0 < mean < top:
        return np.nan, np.nan
    if np.isinf(top):
        middle, half = np.log(mean), half / mean
        return np.exp(middle - half), np.exp(middle + half)
    share = mean / top
    middle, half = special.logit(share), half / top / (share * (1 - share))
    return top * special.expit(middle - half), top * special.expit(middle + half)


def metrics(study: InventedStudy, name: str) -> Frame:
    rows = []
    for metric, values in of_each_run(study, name).items():
        mean, half, _ = corrected(values, study)
        spread = np.std(values, ddof=1)
        top = {"log_loss": np.inf, "brier_score": 2, "n_clipped": np.inf}.get(metric, 1)
        rows.append((metric, mean, spread, *transformed(mean, half, top), len(values)))
    bins = reliability(study, name)
    gaps = (bins["mean_confidence"] - bins["accuracy"]).abs()
    error = (gaps * bins["count"]).sum() / bins["count"].sum()
    rows.append(("expected_calibration_error", error, *[np.nan] * 3, study.ok(name).sum()))
    return pd.DataFrame(rows, columns=["metric", "mean", "spread", "low", "high", "runs"])


def differences(study: InventedStudy, name: str) -> Frame:
    p_values, rows = {}, []
    for one in NAMES:
        good = study.ok(one)
        theirs = of_each_run(study, "sklearn")
        for metric, mine in of_each_run(study, one).items():
            mean, half, p = corrected(mine - theirs[metric][good], study)
            p_values[one, metric] = p
            if one == name:
                means = mine.mean(), theirs[metric][good].mean()
                ends = mean, mean - half, mean + half
                rows.append((metric, good.sum(), *means, *ends))
    columns = ["own_mean", "reference_mean", "mean", "low", "high"]
    table = pd.DataFrame(rows, columns=["metric", "runs", *columns])
    # It collects garbage on every call, which takes long beside many other tests.
    with mock.patch("gc.collect"):
        values = {m: [p_values[one, m] for one in NAMES] for m in table["metric"]}
        holm = {m: multipletests(ps, method="holm")[1] for m, ps in values.items()}
    return table.assign(p=[holm[metric][NAMES.index(name)] for metric in table["metric"]])


def reliability(study: InventedStudy, name: str) -> Frame:
    good = study.ok(name)
    confidence = study.probabilities[name].max(2)[good].ravel()
    right = (study.labels[name] == study.truth)[good].ravel()
    edges = np.linspace(0, 1, 16)
    cut = np.searchsorted(edges, confidence) - 1
    table = pd.DataFrame({"bin": cut, "right": right, "confidence": confidence})
    sums = table.groupby("bin").agg(
        count=("right", "size"),
        mean_confidence=("confidence", "mean"),
        accuracy=("right", "mean"),
    )
    places = sums.index.to_numpy(int)
    sums = sums.assign(low=edges[places], high=edges[places + 1]).reset_index(drop=True)
    # A row counts once, however often it was tested.
    distinct = study.n_samples - study.n_duplicates
    repeats = len(right) / round(distinct * (1 - 0.7 ** good.sum()))
    n = (sums["count"] / repeats).round().clip(lower=1)
    ends = proportion_confint((n * sums["accuracy"]).round(), n, method="wilson")
    return sums.assign(accuracy_low=ends[0], accuracy_high=ends[1])


def class_scores(study: InventedStudy, name: str) -> Frame:
    good = study.ok(name)
    pair = study.truth[good].ravel(), study.labels[name][good].ravel()
    columns = ("precision", "recall", "f1", "support")
    scores = precision_recall_fscore_support(*pair, zero_division=0)
    return pd.DataFrame(dict(zip(columns, scores, strict=True)))


def confusion(study: InventedStudy, name: str) -> Frame:
    good = study.ok(name)
    counts = confusion_matrix(study.truth[good].ravel(), study.labels[name][good].ravel())
    share = counts / counts.sum(1, keepdims=True)
    return pd.DataFrame({"count": counts.ravel(), "share": share.ravel()})


def label_pairs(study: InventedStudy, name: str) -> Frame:
    _, mine, other, _ = pooled(study, name)
    return pd.DataFrame({"count": confusion_matrix(other.ravel(), mine.ravel()).ravel()})


def disputed_rows(study: InventedStudy, name: str) -> Frame:
    _, mine, other, rows = pooled(study, name)
    best = np.sort(study.probabilities["sklearn"][study.ok(name)], 2)
    table = pd.DataFrame(
        {
            "row": rows.ravel(),
            "differs": (mine != other).ravel(),
            "margin": (best[..., -1] - best[..., -2]).ravel(),
        }
    )
    by_row = table.groupby("row").agg(
        tested=("row", "size"),
        disputed=("differs", "sum"),
        smallest_margin=("margin", "min"),
    )
    return by_row[by_row["disputed"] > 0].reset_index()


def timing(study: InventedStudy, name: str) -> Frame:
    times = records_of(study).timings
    mine = times[times["implementation"] == name].set_index("operation")["seconds"]
    measures: Mapping[str, Callable[[Any], Any]] = {
        "median_seconds": np.median,
        "p5_seconds": partial(np.percentile, q=5),
        "p95_seconds": partial(np.percentile, q=95),
        "minimum_seconds": min,
        "mean_seconds": np.mean,
        "standard_deviation_seconds": partial(np.std, ddof=1),
        "rounds": len,
    }
    return pd.DataFrame([{n: f(mine[o]) for n, f in measures.items()} for o in OPERATIONS])


OPERATIONS = ("fit", "predict", "predict_proba")


def ratios(study: InventedStudy, name: str) -> Frame:
    wide = records_of(study).timings.pivot_table(
        index=["operation", "round"], columns="implementation", values="seconds"
    )
    d = np.log(wide[name] / wide["sklearn"])
    null = np.log(wide[NULL_COMPETITOR] / wide["sklearn"])
    rows = []
    for operation in OPERATIONS:
        low, high = widened(*sign_interval(null[operation]), processes=1)
        r = d[operation] - d[operation].mean()
        lag = (r.to_numpy()[1:] * r.to_numpy()[:-1]).sum() / (r**2).sum()
        rows.append((np.exp(d[operation].median()), low, high, lag, 0, 1))
    columns = "ratio floor_low floor_high autocorrelation ties processes"
    return pd.DataFrame(rows, columns=columns.split())


def widened(low: Any, high: Any, processes: int) -> tuple[Any, Any]:
    """Return a floor with what the medians of so few processes differ by."""
    between = 1.96 * 0.018 * min(1.0, 1.2533 / processes**0.5)
    reach = np.sqrt(np.maximum(-np.log(low), np.log(high)) ** 2 + between**2)
    return np.exp(-reach), np.exp(reach)


def sign_interval(d: pd.Series) -> tuple[float, float]:
    """Return the ends of SciPy's interval of a median, which are order statistics."""
    found: Any = stats.quantile_test(d, p=0.5).confidence_interval(0.95)
    assert {found.low, found.high} <= set(d)
    return float(np.exp(found.low)), float(np.exp(found.high))


def memory(study: InventedStudy, name: str) -> Frame:
    traced = 1000.0 * (1 + list(study.ratios).index(name))
    return pd.DataFrame({"traced_bytes": [traced] * 3, "resident_bytes": [np.nan] * 3})


def points(study: InventedStudy, _: str) -> Frame:
    n_runs, n_test = study.truth.shape
    value = {"n_train": study.n_samples - n_test, "n_test": n_test, "runs": n_runs}
    return pd.DataFrame([value])


def probability_differences(study: InventedStudy, name: str) -> Frame:
    gap = np.abs(study.probabilities[name] - study.probabilities["sklearn"])[study.ok(name)]
    edges = [-np.inf, 0.0, 1e-16, *(10.0**power for power in range(-15, 1))]
    counts = pd.cut(pd.Series(gap.ravel()), edges).value_counts(sort=False)
    table = pd.DataFrame({"low": [0.0, 0.0, *edges[2:-1]], "high": edges[1:]})
    table = table.assign(count=counts.to_numpy())
    first = (table["count"][1:] > 0).idxmax()
    return table[(table.index == 0) | (table.index >= first)]


def timing_rounds(study: InventedStudy, name: str) -> Frame:
    times = records_of(study).timings
    mine: Frame = times[times["implementation"] == name][["round", "seconds"]]
    return mine.assign(process=0, loops=7)


ORACLES: Mapping[str, Callable[[InventedStudy, str], Frame]] = {
    one.__name__: one
    for one in (
        *(points, agreement, metrics, differences, timing, ratios, memory, label_pairs),
        *(probability_differences, disputed_rows, class_scores, confusion, reliability),
        timing_rounds,
    )
}


def scale_times(records: ScaleRecords) -> Frame:
    """Return times of a competitor over the reference's, medians of three processes."""
    medians = records.timings.pivot_table(
        index=["point", "operation", "process"],
        columns="implementation",
        values="seconds",
        aggfunc="median",
    )
    middle = medians.groupby(["point", "operation"])
    sizes = records.points.set_index("point")
    seconds = middle.median()
    at = sizes.loc[seconds.index.get_level_values("point")]
    rounds = records.timings.query("implementation == 'numpy'")
    own = seconds["numpy"].to_numpy()
    return pd.DataFrame(
        {
            **{name: at[name].to_numpy() for name in ("size", *SIZES)},
            "seconds": own,
            "low_seconds": middle.min()["numpy"].to_numpy(),
            "high_seconds": middle.max()["numpy"].to_numpy(),
            "processes": medians["numpy"].groupby(["point", "operation"]).size().to_numpy(),
            "rounds": rounds.groupby(["point", "operation"]).size().to_numpy(),
            "rows_per_second": at["n_samples"].to_numpy() / own,
            "bytes_per_second": 8 * (at["n_samples"] * at["n_features"]).to_numpy() / own,
            "share_of_read": seconds[READ_COMPETITOR].to_numpy() / own,
        }
    )


def scale_reads(records: ScaleRecords) -> Frame:
    reads = records.timings.query("implementation == @READ_COMPETITOR")
    medians = reads.groupby(["point", "operation", "process"])["seconds"].median()
    seconds = medians.groupby(["point", "operation"]).median()
    at = records.points.set_index("point").loc[seconds.index.get_level_values("point")]
    n_bytes = 8 * (at["n_samples"] * at["n_features"]).to_numpy()
    own = {name: at[name].to_numpy() for name in ("size", *SIZES)}
    rate = n_bytes / seconds.to_numpy()
    return pd.DataFrame({**own, "seconds": seconds.to_numpy(), "bytes_per_second": rate})


def scale_agreement(records: ScaleRecords) -> Frame:
    at = records.points.set_index("point").loc[records.pairs["point"]]
    table = at[["size", *SIZES]].reset_index(drop=True)
    table["n_test"], table["disagreements"] = at["n_samples"].to_numpy(), 4
    return table.assign(agreement=1 - 4 / table["n_test"])


def scale_memory(records: ScaleRecords) -> Frame:
    own = records.memory.query("implementation == 'numpy'")
    at = records.points.set_index("point").loc[own["point"]].reset_index(drop=True)
    n_bytes = 8 * at["n_samples"] * at["n_features"]
    table = at[["size", *SIZES]].copy()
    for name in ("traced", "resident"):
        table[f"{name}_bytes"] = own[f"{name}_bytes"].to_numpy()
        table[f"{name}_multiple"] = table[f"{name}_bytes"] / n_bytes
    return table


SIZES = ("n_samples", "n_features", "n_classes")
SCALE_ORACLES: Mapping[str, Callable[[ScaleRecords], Frame]] = {
    "times": scale_times,
    "reads": scale_reads,
    "agreement": scale_agreement,
    "memory": scale_memory,
}


@cache
def tables_of_runs() -> Mapping[str, Frame]:
    return summarize(records_of(STUDY)).tables


@cache
def scale_records() -> ScaleRecords:
    records: ScaleRecords = made_records(noise=0.1, differing={"numpy": 4})
    return records


@cache
def both(group: str, table: str, name: str) -> tuple[Frame, Frame]:
    """Return our numbers in the rows and columns of the independent ones, and these."""
    if group == "scale":
        expected = SCALE_ORACLES[table](scale_records())
        found = summarize_scale(scale_records()).tables[table]
    else:
        expected, found = ORACLES[table](STUDY, name), tables_of_runs()[table]
    if "implementation" in found:
        found = found[found["implementation"] == name]
    for key in {"metric", "row"} & set(expected):
        found = found.set_index(key).loc[expected[key]].reset_index()
    return found[list(expected)].reset_index(drop=True), expected.reset_index(drop=True)


def unequal(table: Frame, expected: Frame) -> list[Hashable]:
    """Return the columns in which a table is not as expected, or that its length is not."""
    if len(table) != len(expected):
        return ["length"]

    def is_close(one: Any, other: Any) -> bool:
        if not pd.api.types.is_numeric_dtype(other):
            return bool(one.tolist() == other.tolist())
        pair = one.astype(float), other.astype(float)
        return bool(np.allclose(*pair, rtol=1e-6, atol=1e-12, equal_nan=True))

    return [name for name in expected if not is_close(table[name], expected[name])]


EVERY = [
    *(("runs", table, name) for table in ORACLES for name in NAMES),
    *(("scale", table, "numpy") for table in SCALE_ORACLES),
]


@pytest.mark.parametrize(("group", "table", "name"), EVERY)
def test_a_table_has_the_numbers_of_its_oracle(group: str, table: str, name: str) -> None:
    found, expected = both(group, table, name)

    assert len(found)
    assert unequal(found, expected) == []
    for column in expected.select_dtypes("number"):
        values = np.nan_to_num(expected[column].to_numpy(float))
        values[np.abs(values).argmax()] *= 1.01
        planted = expected.assign(**{str(column): values + 1e-6})
        assert unequal(found, planted) == [column]


@cache
def explained() -> Any:
    return gnbbench.explain("breast_cancer", against="study-c", runs=2).details


@pytest.mark.slow
def test_disagreements_and_contributions_follow_from_densities_of_scipy() -> None:
    tables = explained().tables
    X, y = load_breast_cancer(return_X_y=True)

    for one in tables["disagreements"].itertuples():
        X_train, _, y_train, _ = train_test_split(
            X, y, test_size=0.3, random_state=42 + one.run, stratify=y
        )
        model = GaussianNB().fit(X_train, y_train)
        logs = stats.norm.logpdf(X[one.row], model.theta_, np.sqrt(model.var_))
        reference, other = int(one.reference_label), int(one.label)
        joint = logs.sum(1) + np.log(model.class_prior_)
        assert one.margin == pytest.approx(joint[reference] - joint[other])
        assert one.reference_confidence == pytest.approx(softmax(joint).max())
        assert one.confidence == pytest.approx(softmax(logs.sum(1)).max())
        assert one.truth == str(y[one.row]) or one.truth == y[one.row]
        parts = tables["contributions"].query("run == @one.run and row == @one.row")
        gain = pd.Series(logs[reference] - logs[other], load_breast_cancer().feature_names)
        named = parts[parts["feature"].isin(gain.index)]
        expected = gain[named["feature"]].to_numpy()
        for column in ("reference_contribution", "contribution"):
            assert named[column].to_numpy() == pytest.approx(expected)
        values = pd.Series(X[one.row], gain.index)[named["feature"]]
        assert named["value"].to_numpy() == pytest.approx(values.to_numpy())
        change = parts["contribution"] - parts["reference_contribution"]
        assert parts["change"].to_numpy() == pytest.approx(change.to_numpy())
        # Only the priors differ; they are in the rows without a feature.
        prior = np.log(model.class_prior_[reference] / model.class_prior_[other])
        assert parts["change"].sum() == pytest.approx(-prior)


@pytest.mark.slow
def test_reproduced_labels_are_counted_over_all_predictions() -> None:
    found = document(explained())
    X, y = load_breast_cancer(return_X_y=True)

    n_predictions = n_disagreements = 0
    for seed in (42, 43):
        sides = {"test_size": 0.3, "random_state": seed, "stratify": y}
        X_train, X_test, y_train, _ = train_test_split(X, y, **sides)
        uniform, usual = (
            GaussianNB(priors=priors).fit(X_train, y_train).predict(X_test)
            for priors in ([0.5, 0.5], None)
        )
        n_predictions += len(X_test)
        n_disagreements += (uniform != usual).sum()
    assert found["n_disagreements"] == found["causes"][0]["explained"] == n_disagreements
    assert found["n_predictions"] == n_predictions
    assert (found["reproduced_share"], found["unexplained"]) == (1.0, 0)
    assert 0 < found["largest_remaining_difference"] < 1e-13


def test_counts_of_a_file_are_sums_over_data_and_checks() -> None:
    cause = Cause("prior", 4, None, "", "It does.", "")
    parts = (
        DataFindings("iris", 2, Diagnosis("", False, (cause,), 5, 90, 1)),
        DataFindings("wine", 3, Diagnosis("", False, (cause,), 8, 162, 4)),
    )
    outcomes = ["pass", "pass", "fail", "crash", "not applicable"]
    check = {"id": "a", "family": "f", "statement": "", "source": "", "tolerance": None}
    results = [
        {"check": {**check, "unit": ""}, "outcome": one, "measured": None, "message": ""}
        | {"seconds": 0.1}
        for one in outcomes
    ]
    rounds = [0.5, 0.25, 0.75, 0.5, 0.5, 0.5]
    rows = [
        (operation, name, number, 0, 1e-3 * ratio * factor)
        for operation, factor in (("fit", 1.0), ("predict", 3.0))
        for number, one in enumerate(rounds)
        for name, ratio in (("a.py", one), ("sklearn", 1.0), (NULL_COMPETITOR, 1.0))
    ]
    notes = {"regime": "Warm.", "warnings": [], "skipped": {}, "cold_seconds": {}}
    times = {"dataset": "iris", "rows": rows, "notes": notes}
    finding = FileFindings("a.py", "A", parts=parts, results=results, times=times)
    environment = {"versions": {"scikit-learn": "1"}, "machine": {}}

    known = StudyNotes({"datasets": []}, environment, "check")
    tables = summarize_check([finding], known).tables

    row, labels = tables["files"].iloc[0], tables["labels"]
    assert (row["n_predictions"], row["n_disagreements"]) == (252, 13)
    assert (row["unexplained"], row["n_passed"], row["n_applicable"]) == (5, 2, 4)
    assert (row["fit_ratio"], row["predict_ratio"]) == pytest.approx((0.5, 0.5))
    assert labels["n_runs"].tolist() == [2, 3]
    assert labels["n_predictions"].tolist() == [90, 162]
    assert labels["n_disagreements"].tolist() == [5, 8]
    assert tables["causes"]["explained"].tolist() == [8]


def test_readings_of_a_published_figure_count_the_seeds_that_give_it() -> None:
    summary = made_summary("s-spread")
    (found,) = document(summary)["claims"]
    (result,) = summary.details["results"]

    for reading, measured in zip(found["measured"], result.measured, strict=True):
        texts = [f"{value:.2f}" for value in measured.repeats]
        ends = np.percentile(measured.repeats, (2.5, 97.5))
        assert reading["share_reached"] == pytest.approx(texts.count("0.97") / 200)
        assert (reading["n_repeats"], reading["value"]) == (200, 0.95)
        assert (reading["low"], reading["high"]) == pytest.approx(tuple(ends))


OTHERS = Path(__file__).with_name("oracles.txt").read_text(encoding="utf-8")
HELD, NO_NUMBERS = OTHERS.split("[no numbers]\n")


def held() -> dict[str, str]:
    """Return the test that holds each column, by group, table and column."""
    found = {}
    for line in re.findall(r"^\w.* -> .*$", HELD, re.MULTILINE):
        table, columns, test = re.split(": | -> ", line)
        found.update({f"{table}.{column}": test for column in columns.split()})
    return found


def numbers(groups: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return every column of numbers by group, table and column."""
    names = [
        (f"{group}.{table}.{column.name}", column.name)
        for group, tables in groups.items()
        for table, text in tables.items()
        for column in text.columns
    ]
    return [full for full, name in names if not {full, name} & set(NO_NUMBERS.split())]


def unheld(groups: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the columns of numbers that nothing independent is named for."""
    known = set(held())
    for group, table, name in EVERY:
        known |= {f"{group}.{table}.{column}" for column in both(group, table, name)[1]}
    return [full for full in numbers(groups) if full not in known]


def test_every_column_of_numbers_has_an_independent_value() -> None:
    assert unheld(GROUPS) == []
    columns = tuple(ColumnSchema(name, "", "") for name in ("novelty", "mean"))
    planted = {"runs": {"metrics": TableSchema("", columns)}}
    assert unheld(planted) == ["runs.metrics.novelty"]


def test_the_tests_that_are_named_are_there_and_look_at_their_columns() -> None:
    sources = {}
    for path in {test.partition("::")[0] for test in held().values()}:
        text = (TESTS / path).read_text(encoding="utf-8")
        for one in ast.parse(text).body:
            if isinstance(one, ast.FunctionDef):
                sources[f"{path}::{one.name}"] = ast.get_source_segment(text, one) or ""

    strangers = [
        (column, test)
        for column, test in held().items()
        if not re.search(rf"\b{column.rpartition('.')[2]}\b", sources.get(test, ""))
    ]
    assert strangers == []


def test_checks_are_counted_by_their_outcomes(conformance_of: Callable[..., Any]) -> None:
    summary = conformance_of("faulty", "perfect")
    results = summary.tables["results"]

    for one in document(summary)["implementations"]:
        own = results[results["implementation"] == one["implementation"]]["outcome"]
        tally = own.value_counts()
        assert one["n_checks"] == len(own)
        assert one["n_applicable"] == (own != "not applicable").sum()
        assert one["n_passed"] == tally.get("pass", 0)
        assert one["n_failed"] == own.isin(["fail", "crash", "timeout"]).sum()


def test_the_floor_of_a_scale_is_the_ratio_of_what_is_the_reference() -> None:
    records = scale_records()
    timings = records.timings
    null = timings.query("implementation == @NULL_COMPETITOR")
    null = null.assign(implementation="numpy")
    others = timings.query("implementation != 'numpy'")
    twin = replace(records, timings=pd.concat([others, null], ignore_index=True))

    floor, ratio = (
        summarize_scale(one).tables["times"].query("implementation == 'numpy'")
        for one in (records, twin)
    )

    ends = ratio["ratio_low"].to_numpy(), ratio["ratio_high"].to_numpy()
    (processes,) = floor["processes"].unique()
    low, high = widened(*ends, processes)
    for column, expected in (("floor_low", low), ("floor_high", high)):
        assert floor[column].to_numpy() == pytest.approx(expected)
        assert floor[column].to_numpy() != pytest.approx(floor["ratio_high"].to_numpy())
