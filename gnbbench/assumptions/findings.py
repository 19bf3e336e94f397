"""Findings on the assumptions: how badly each is broken, and what that costs.

The cost is that of models without an assumption, on the same splits as GNB.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from gnbbench import words
from gnbbench.assumptions.independence import MOST_ROWS
from gnbbench.data.dataset import Dataset
from gnbbench.files import toml_beside
from gnbbench.implementations import Implementation
from gnbbench.measurement.evaluation import evaluate
from gnbbench.records import TABLES
from gnbbench.splits import SplitRule, sample_of
from gnbbench.statistics import schema
from gnbbench.statistics.intervals import rows_tested
from gnbbench.statistics.metrics import (
    LEVEL,
    Disputes,
    SplitSizes,
    corrected,
    differences,
    metrics,
    run_values,
)
from gnbbench.statistics.remarks import failures
from gnbbench.statistics.summary import DatasetDescription, StudyNotes, Summary, Verdict

METRICS = ("test_accuracy", "log_loss")
# A difference below this, in accuracy or in nats, does not matter.
MARGIN = 0.01

N_KERNELS = 50
MOST_QUANTILES = 1000
GNB, QDA, LDA = "GNB", "QDA", "LDA"
KERNEL = "Kernel logistic"
YEO_JOHNSON, QUANTILES = "Yeo–Johnson + GNB", "Quantiles + GNB"
# What each model assumes, in words.
DESCRIPTIONS: dict[str, str] = {
    name: text.format(kernels=N_KERNELS, most=MOST_QUANTILES)
    for name, text in toml_beside(__file__, "models.toml").items()
}


def model_of(name: str, n_train: int) -> Any:
    """Return an unfitted model by name, for that many training samples."""
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PowerTransformer, QuantileTransformer, StandardScaler

    if name == GNB:
        return GaussianNB()
    # The eigenvalues of standardised features are compared with tol; 0 relies on the
    # shrinkage to keep them positive.
    qda = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage="auto", tol=0.0)
    lda = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    waves = Nystroem(n_components=N_KERNELS, random_state=0)
    # Without convergence its loss depends on the machine, in the third digit.
    logistic = LogisticRegression(C=100.0, tol=1e-7, max_iter=10_000)
    # Uses all samples, so that nothing depends on chance.
    quantiles = QuantileTransformer(
        n_quantiles=min(MOST_QUANTILES, n_train),
        output_distribution="normal",
        subsample=None,
    )
    steps = {
        QDA: (StandardScaler(), qda),
        LDA: (StandardScaler(), lda),
        KERNEL: (StandardScaler(), waves, logistic),
        YEO_JOHNSON: (PowerTransformer("yeo-johnson"), GaussianNB()),
        QUANTILES: (quantiles, GaussianNB()),
    }
    return make_pipeline(*steps[name])


def costs(dataset: Dataset, *, n_runs: int, seed: int, test_size: float) -> dict[str, Any]:
    """Return the accuracy and log loss of every model, and their differences from GNB.

    Keys are the names of fields of `Assumptions`. A model that cannot be fitted in a run
    (QDA needs two samples per class) has no value there; ``runs`` counts its runs.
    """
    rule = SplitRule(seed, test_size, stratify=True)
    sample = sample_of(dataset)
    first = rule.cut(sample, 0)
    sizes = SplitSizes(len(first.train), len(first.test))
    names = tuple(DESCRIPTIONS)
    makes = {name: partial(model_of, name, sizes.n_train) for name in names}
    models = [Implementation(name, make) for name, make in makes.items()]
    tables = [evaluate(sample, rule, [run], models) for run in range(n_runs)]
    runs, disputed = (
        pd.DataFrame([r for t in tables for r in t[name]], columns=list(TABLES[name]))
        for name in ("runs", "disagreements")
    )
    values = run_values(runs, names)
    tested = rows_tested(len(dataset.X), test_share=sizes.test_share, n_runs=n_runs)
    rows = {name: disputed.loc[disputed["implementation"] == name, "row"] for name in names}
    changes = differences(
        values,
        {name: Disputes(len(own), own.nunique(), tested) for name, own in rows.items()},
        sizes,
        reference=GNB,
        margin=MARGIN,
    )
    return {
        "n_train": sizes.n_train,
        "n_test": sizes.n_test,
        "costs": _of_metrics(metrics(values, sizes, dict.fromkeys(names, float("nan")))),
        "differences": _of_metrics(corrected(changes)),
        "runs": runs[["run", "implementation", "status", "message", *METRICS]],
        "notes": tuple(failures(runs, names).values()),
    }


def _of_metrics(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["metric"].isin(METRICS)].reset_index(drop=True)


Row: TypeAlias = "pd.Series[Any]"

Grade = Literal[
    "strongly broken", "broken", "slightly broken", "not rejected", "unclear", "not tested"
]

# Assumption -> the model without it.
WITHOUT = {"naive": QDA, "normal": YEO_JOHNSON}
# Tables, keys and measures, each a row in notebooks.
_MEASURES = {
    "naive": (
        "independence",
        "class_name",
        "max_abs_r mean_abs_r max_abs_spearman mean_abs_spearman total_correlation p_holm "
        "max_dependence p_permutation",
    ),
    "normal": (
        "normality",
        "class_name feature",
        "qq_correlation skewness excess_kurtosis p_holm",
    ),
}


@dataclass(frozen=True)
class AssumptionVerdict:
    """The conclusion on one assumption, effect size first."""

    # Features independent within a class, or each normal within a class
    assumption: Literal["naive", "normal"]
    # By the largest effect among the classes (or features) whose test rejects; if none
    # does, "unclear" if a model without the assumption still predicts better
    grade: Grade
    sentence: str  # Grade, effect and cost
    detail: str  # The tests and intervals behind it


@dataclass(frozen=True, eq=False)
class Assumptions:
    """The findings on both assumptions for a dataset, as a study stores them.

    All tables are tidy DataFrames with a plain RangeIndex, in the order of classes and
    features; undefined values are NaN. `gnbbench.statistics.schema` has their columns.
    """

    feature_names: tuple[str, ...]
    n_runs: int  # With the same splits as every study with the seed
    n_train: int
    n_test: int
    verdicts: tuple[AssumptionVerdict, ...]  # The naive assumption, then the normal one
    independence: pd.DataFrame
    correlations: pd.DataFrame
    largest_correlations: pd.DataFrame
    normality: pd.DataFrame
    histograms: pd.DataFrame
    densities: pd.DataFrame
    quantile_points: pd.DataFrame
    costs: pd.DataFrame
    differences: pd.DataFrame
    runs: pd.DataFrame
    notes: tuple[str, ...]  # What readers must know, one sentence each


def summarize_assumptions(
    assumptions: Assumptions, notes: StudyNotes, data: DatasetDescription
) -> Summary:
    """Return the summary of the assumptions for reports."""
    sizes = pd.DataFrame(
        [(assumptions.n_runs, assumptions.n_train, assumptions.n_test)],
        columns=["runs", "n_train", "n_test"],
    )
    # Studies stored by earlier versions lack newer columns.
    tables = {
        name: getattr(assumptions, name).reindex(
            columns=schema.columns_of("assumptions", name)
        )
        for name in schema.TABLES["assumptions"]
    }
    reference, *_ = models = tuple(DESCRIPTIONS)
    return Summary(
        study="assumptions",
        headline=headline(assumptions.verdicts, assumptions.differences, assumptions.costs),
        **vars(notes),
        reference=reference,
        implementations=models,
        tables={"points": sizes, **tables},
        verdicts=tuple(
            Verdict(verdict.assumption, verdict.grade, verdict.sentence, verdict.detail)
            for verdict in assumptions.verdicts
        ),
        warnings=assumptions.notes,
        data=data,
        details={
            "correlation": notes.plan["correlation"],
            "feature_names": assumptions.feature_names,
            # They have other names in the JSON document.
            "verdicts": assumptions.verdicts,
        },
    )


def headline(
    verdicts: tuple[AssumptionVerdict, ...], differences: pd.DataFrame, costs: pd.DataFrame
) -> str:
    """Return both grades and their costs in one sentence."""
    naive, normal = (verdict.grade for verdict in verdicts)
    if naive == normal and naive.startswith("not "):
        grades = f"Neither assumption is {naive.removeprefix('not ')}"
    elif naive == normal:
        grades = f"Both assumptions are {naive}"
    else:
        grades = f"The naive assumption is {naive}, the normal one {normal}"
    losses = differences[differences["metric"] == "log_loss"]
    less = losses[(losses["outcome"] == "different") & (losses["mean"] < 0)]
    better = set(less["implementation"])
    broken = {"naive": "broken" in naive, "normal": "broken" in normal}
    costly = [name for name, model in WITHOUT.items() if broken[name] and model in better]
    # It drops both assumptions, so its gain is the cost of a broken one.
    if "naive" not in costly and KERNEL in better and broken["naive"]:
        costly.insert(0, "naive")
    if costly:
        which = f"the {costly[0]} one" if len(costly) == 1 else "either"
        return f"{grades}; breaking {which} costs log loss."
    if gains := _gains(list(differences["implementation"].unique()), differences):
        return f"{grades}; {gains[0]} than GNB."
    runs, qda = int(losses["runs"].max()), _change(QDA, "log_loss", differences)
    if not runs:
        return f"{grades}; what that costs is unknown, since no model could be compared."
    own = costs.set_index(["implementation", "metric"])["mean"][QDA, "log_loss"]
    fewer = f" in {words.count(qda['runs'])} of them" if qda["runs"] < runs else ""
    pair = f" ({QDA}: log loss {own:.3f} against {own - qda['mean']:.3f}{fewer})"
    of = f"{words.plural(runs, 'run')}{pair if qda['runs'] else ''}"
    return f"{grades}; no cost could be demonstrated in {of}."


def numbers(summary: Summary) -> pd.DataFrame:
    """Return a row for each number of all tables."""
    parts = [
        summary.table(table)
        .melt(keys.split(), measures.split(), "measure", "value")
        .assign(about=about)
        for about, (table, keys, measures) in _MEASURES.items()
    ]
    names = {"implementation": "model", "metric": "measure", "mean": "value"}
    parts += [
        summary.table(table).rename(columns=names).assign(about=about)
        for about, table in (("cost", "costs"), ("difference from GNB", "differences"))
    ]
    named = ["class_name", "feature", "model"]
    columns = ["about", *named, "measure", "value", "low", "high"]
    table = pd.concat(parts, ignore_index=True).reindex(columns=columns)
    return table.assign(**{name: table[name].fillna("") for name in named})


# Cohen (1988): a correlation of 0.5 is large, one of 0.3 is medium.
NAIVE_GRADES: tuple[tuple[float, Grade], ...] = (
    (0.5, "strongly broken"),
    (0.3, "broken"),
    (0.0, "slightly broken"),
)
# A dependence is shown beside |r| if it exceeds it by more than this.
WAVES_MATTER = 0.05
# 1 - Q–Q correlation in large samples: exponential 0.10, uniform 0.02, logistic 0.01.
NORMAL_GRADES: tuple[tuple[float, Grade], ...] = (
    (0.05, "strongly broken"),
    (0.015, "broken"),
    (0.0, "slightly broken"),
)


def naive_verdict(
    independence: pd.DataFrame, differences: pd.DataFrame
) -> AssumptionVerdict:
    """Return the verdict on independence of features within a class.

    A class is graded by the strongest pair that the permutation test calls dependent: from
    0.5 strongly broken, from 0.3 broken. The cost is relative to QDA (LDA pools classes),
    or, if features depend on each other in a way that QDA cannot use, relative to the
    kernel model.
    """
    sizes, p_values = independence["max_dependence"], independence["p_permutation"]
    is_tested = p_values.notna()
    largest_r = independence["max_abs_r"].where(is_tested | (not is_tested.any())).max()
    if not is_tested.any():
        effect = f"max |r| {words.two_decimals(largest_r)}; "
        effect = "" if math.isnan(largest_r) else effect
        why = independence["note"].iloc[0] or "too few samples or features that vary"
        cost = _cost(QDA, (QDA, LDA, KERNEL), differences, is_broken=False)
        text = f"Naive: not tested ({effect}{reason_of(why)}), {cost}."
        return AssumptionVerdict("naive", "not tested", text, "")
    graded = _graded(sizes, p_values, NAIVE_GRADES)
    worst = independence.iloc[graded.worst]
    n = independence["n"] * MOST_ROWS // max(independence["n"].sum(), MOST_ROWS)
    none = f"no dependence of pairs found in {_rows(independence.assign(n=n), is_tested)}"
    where = graded.where("class", "classes", none)
    effect = f"max |r| {words.two_decimals(largest_r)}"
    strongest = ""
    if graded.counts and worst["max_dependence"] > largest_r + WAVES_MATTER:
        effect = f"max dependence {words.two_decimals(worst['max_dependence'])}, {effect}"
        strongest = (
            f"; the strongest is '{worst['dependent_feature']}' and "
            f"'{worst['dependent_other_feature']}' in class '{worst['class_name']}'"
        )
    pairs, dependent = (int(independence[c].sum()) for c in ("pairs", "dependent_pairs"))
    detail = (
        f"{words.counted(dependent, pairs, 'pair')} of features within classes "
        f"{'is' if dependent == 1 else 'are'} dependent (permutation test over all of them "
        f"at 5 %){strongest}."
    )
    is_broken, models = bool(graded.counts), (QDA, LDA, KERNEL)
    by_kernel = not _is_shown(QDA, differences) and _is_shown(KERNEL, differences)
    model = KERNEL if is_broken and by_kernel else QDA
    cost = _cost(model, models, differences, is_broken=is_broken)
    sentence = f"Naive: {where} ({effect}), {cost}."
    grade = _doubted(graded, models, differences)
    return AssumptionVerdict("naive", grade, sentence, detail)


def normal_verdict(normality: pd.DataFrame, differences: pd.DataFrame) -> AssumptionVerdict:
    """Return the verdict on normality of features within a class.

    Each class and feature whose test rejects after Holm is graded by its Q–Q correlation:
    to 0.95 strongly broken, to 0.985 broken. The cost is relative to GNB on Yeo–Johnson
    transformed features; quantiles also gain by pulling in outliers.
    """
    models = (YEO_JOHNSON, QUANTILES)
    tested = normality[normality["p_holm"].notna()]
    if tested.empty:
        text = f"({reason_of(normality['note'].iloc[0])})"
        cost = _cost(YEO_JOHNSON, models, differences, is_broken=False)
        return AssumptionVerdict(
            "normal", "not tested", f"Normal: not tested {text}, {cost}.", ""
        )
    graded = _graded(1.0 - normality["qq_correlation"], normality["p_holm"], NORMAL_GRADES)
    worst = normality.iloc[graded.worst]
    effect = f"lowest Q–Q correlation {words.two_decimals(worst['qq_correlation'])}"
    none = f"no departure found in {_rows(normality, normality['p_holm'].notna())}"
    where = graded.where(*_CELLS, none)
    cost = _cost(YEO_JOHNSON, models, differences, is_broken=bool(graded.counts))
    grade = _doubted(graded, models, differences)
    return AssumptionVerdict("normal", grade, f"Normal: {where} ({effect}), {cost}.", "")


_CELLS = ("pair of class and feature", "pairs of class and feature")


def reason_of(note: str) -> str:
    """Return why something was not tested, without its consequence."""
    return note.partition(":")[0]


def _rows(table: pd.DataFrame, is_tested: "pd.Series[bool]") -> str:
    """Return the sizes of the tested classes and the number of untested ones."""
    sizes = table.loc[is_tested].groupby("class_name")["n"].first()
    n_classes = table["class_name"].nunique()
    low, high = int(sizes.min()), int(sizes.max())
    rows = words.plural(high, "row")
    if low != high:
        rows = f"{words.count(low)} to {rows}"
    left = n_classes - len(sizes)
    classes = words.plural(n_classes, "class", "classes")
    end = f"; {left} of {classes} could not be tested" if left else ""
    return f"{rows} per class{end}"


@dataclass(frozen=True)
class _Graded:
    """Numbers of cells per grade, and the worst cell whose test rejects."""

    worst: int  # Index of the worst cell
    grade: Grade
    counts: Mapping[Grade, int]  # Worst grade first; only cells whose test rejects
    tested: int

    def where(self, cell: str, cells: str, none: str) -> str:
        """Return the grades with their counts, such as "broken in 2 of 3 classes"."""
        if not self.counts:
            return none
        (grade, number), *others = self.counts.items()
        first = f"{grade} in {number} of {words.plural(self.tested, cell, cells)}"
        return ", ".join([first, *(f"{other} in {n}" for other, n in others)])


def _graded(
    sizes: "pd.Series[float]",
    p_values: "pd.Series[float]",
    grades: Sequence[tuple[float, Grade]],
) -> _Graded:
    tested, rejected = p_values.notna(), p_values < LEVEL
    shown = sizes.where(rejected if rejected.any() else tested)
    cell_grades = [next(g for least, g in grades if s >= least) for s in sizes[rejected]]
    counts = {g: cell_grades.count(g) for _, g in grades if g in cell_grades}
    leading: Grade = next(iter(counts), "not rejected")
    return _Graded(int(np.nanargmax(shown.to_numpy())), leading, counts, int(tested.sum()))


def _doubted(graded: _Graded, models: Sequence[str], differences: pd.DataFrame) -> Grade:
    """Return the grade; if no test rejects but a model without it gains, "unclear"."""
    is_doubted = not graded.counts and any(_is_shown(m, differences) for m in models)
    return "unclear" if is_doubted else graded.grade


def _is_shown(model: str, differences: pd.DataFrame) -> bool:
    """Return whether a model without the assumption is shown to have less log loss."""
    row = _change(model, "log_loss", differences)
    return bool(row["outcome"] == "different" and row["mean"] < 0)


def _cost(
    model: str, models: Sequence[str], differences: pd.DataFrame, *, is_broken: bool
) -> str:
    """Return what the assumption costs relative to a model without it, or which gain."""
    row = _change(model, "log_loss", differences)
    if is_broken and _is_shown(model, differences):
        return f"costs {_nats(-row['mean'])} against {model}"
    if gains := _gains(models, differences):
        return f"but {gains[0]} than GNB"
    if not row["runs"]:
        return f"cost unknown: in no run did both GNB and {model} succeed"
    if row["outcome"] in {"identical", "equivalent"}:
        return f"costs less than {MARGIN:g} nats against {model}"
    return "no cost could be demonstrated"


def _gains(models: Sequence[str], differences: pd.DataFrame) -> list[str]:
    """Return the gains of models, the largest in log loss first.

    A gain counts if the corrected test shows it, or if its own interval excludes zero,
    which is then shown with the p value.
    """
    gains = []
    for model in models:
        loss = _change(model, "log_loss", differences)
        accuracy = _change(model, "test_accuracy", differences)
        if not loss["runs"]:
            continue
        points = words.points_between(accuracy["mean"], math.nan, math.nan, signed=False)
        parts = [
            f"{text}{'' if row['outcome'] == 'different' else _p_after_holm(row)}"
            for row, sign, text in (
                (loss, -1.0, f"{_nats(-loss['mean'])} less log loss"),
                (accuracy, 1.0, f"{points} more accuracy"),
            )
            if row["outcome"] in {"different", "cannot tell"}
            and sign * row["mean"] > 0.0
            and min(sign * row["low"], sign * row["high"]) > 0.0
        ]
        if parts:
            gains.append((loss["mean"], f"{model} has {words.listing(parts)}"))
    return [text for _, text in sorted(gains)]


def _p_after_holm(row: Row) -> str:
    return "" if math.isnan(row["p"]) else f" ({words.p_value(row['p'])} after Holm)"


def _change(model: str, metric: str, differences: pd.DataFrame) -> Row:
    of_model = differences["implementation"] == model
    return differences[of_model & (differences["metric"] == metric)].iloc[0]


def _nats(value: float) -> str:
    text = words.decimal(value, 2) if value >= 0.01 else words.significant(value, 2)
    return text if math.isinf(value) else f"{text} nats"
