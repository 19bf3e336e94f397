"""Verdicts on both assumptions, effect first, from tables made by hand; their summary."""

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from gnbbench.assumptions import findings
from gnbbench.assumptions.findings import KERNEL, LDA, QDA, QUANTILES, YEO_JOHNSON
from gnbbench.data.dataset import Dataset
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import Summary
from gnbbench.studies.assumptions import assumptions


def changes(
    mean: float, outcome: str, low: float = -0.2, high: float = 0.1, runs: int = 20
) -> pd.DataFrame:
    """Return differences from GNB, the same for every model and metric."""
    return pd.DataFrame(
        [
            {
                "implementation": model,
                "metric": metric,
                "mean": mean,
                "low": low,
                "high": high,
                "p": np.nan,
                "outcome": outcome,
                "runs": runs,
            }
            for model in (QDA, LDA, KERNEL, YEO_JOHNSON, QUANTILES)
            for metric in ("test_accuracy", "log_loss")
        ]
    )


def naive_of(table: pd.DataFrame, differences: pd.DataFrame) -> findings.AssumptionVerdict:
    return findings.naive_verdict(table, differences)


def normal_of(table: pd.DataFrame, differences: pd.DataFrame) -> findings.AssumptionVerdict:
    return findings.normal_verdict(table, differences)


NO_COST = "; no cost could be demonstrated in 20 runs (QDA: log loss 0.213 against 0.413)."


@pytest.mark.parametrize(
    ("naive", "normal", "costly", "words"),
    [
        ("broken", "broken", set(), f"Both assumptions are broken{NO_COST}"),
        (
            *("strongly broken", "not rejected", {QDA}),
            "The naive assumption is strongly broken, the normal one not rejected; "
            "breaking the naive one costs log loss.",
        ),
        (
            *("not rejected", "broken", {YEO_JOHNSON}),
            "The naive assumption is not rejected, the normal one broken; breaking the "
            "normal one costs log loss.",
        ),
        (
            *("broken", "broken", {QDA, YEO_JOHNSON}),
            "Both assumptions are broken; breaking either costs log loss.",
        ),
        (
            *("not tested", "not tested", {LDA}),
            "Neither assumption is tested; LDA has 0.20 nats less log loss than GNB.",
        ),
        (
            *("not rejected", "not rejected", {KERNEL}),
            "Neither assumption is rejected; Kernel logistic has 0.20 nats less log loss "
            "than GNB.",
        ),
        (
            *("not rejected", "not rejected", set()),
            f"Neither assumption is rejected{NO_COST}",
        ),
    ],
)
def test_the_headline_says_grades_and_costs(
    naive: findings.Grade, normal: findings.Grade, costly: set[str], words: str
) -> None:
    verdicts = (
        findings.AssumptionVerdict("naive", naive, "", ""),
        findings.AssumptionVerdict("normal", normal, "", ""),
    )
    found = changes(-0.2, "different", -0.3, -0.1)
    is_loss = found["metric"] == "log_loss"
    is_costly = found["implementation"].isin(costly) & is_loss
    shown = np.where(is_costly, "different", "equivalent")
    costs = pd.DataFrame({"implementation": [QDA], "metric": "log_loss", "mean": [0.213]})
    few = changes(0.2, "cannot tell")
    few.loc[few["implementation"] == QDA, "runs"] = 10

    assert findings.headline(verdicts, found.assign(outcome=shown), costs) == words
    worse = findings.headline(verdicts, few, costs)
    assert "in 20 runs (QDA: log loss 0.213 against 0.013 in 10 of them)." in worse


@pytest.mark.slow
def test_a_notebook_has_every_number_once(assumptions_of: Callable[..., Summary]) -> None:
    table = findings.numbers(assumptions_of("iris"))

    named = ["about", "class_name", "feature", "model"]
    assert list(table) == [*named, "measure", "value", "low", "high"]
    assert table["about"].value_counts().to_dict() == {
        "naive": 3 * 8,
        "normal": 12 * 4,
        "cost": 6 * 2,
        "difference from GNB": 5 * 2,
    }
    largest = table.query("measure == 'max_abs_r' and class_name == 'virginica'")
    assert largest["value"].item() == pytest.approx(0.864225, abs=1e-6)
    assert not table[named].isna().any().any()


def test_infinite_dependence_is_a_word(dataset_of: Callable[..., Dataset]) -> None:
    x = np.random.default_rng(0).normal(size=(40, 1))
    twice = dataset_of(np.hstack([x, x]), np.repeat([0, 1], 20))

    table = document(assumptions(twice, runs=1).details)["independence"]

    assert [row["total_correlation"] for row in table] == ["Infinity"] * 2


def dependence(
    r: list[float], p: list[float], waves: list[float] | None = None
) -> pd.DataFrame:
    """Return one class for each r and corrected p; waves of ranks see as much, or more."""
    return pd.DataFrame(
        {
            "class_name": [f"c{number}" for number in range(len(r))],
            "n": 40,
            "feature": "height",
            "other_feature": "weight",
            "max_abs_r": r,
            "mean_abs_r": 0.25,
            "total_correlation": 1.5,
            "chance_total_correlation": 0.125,
            "p_holm": p,
            "pairs": 10,
            "dependent_pairs": np.where(np.array(p) < 0.05, 4, 0),
            "max_dependence": r if waves is None else waves,
            "dependent_feature": "height",
            "dependent_other_feature": "weight",
            "p_permutation": p,
            "note": np.where(np.isnan(p), "too few: not tested", ""),
        }
    )


def departures(q: list[float], p: list[float]) -> pd.DataFrame:
    """Return one feature for each Q–Q correlation and corrected p."""
    return pd.DataFrame(
        {
            "class_name": "c0",
            "n": 40,
            "feature": [f"x{number}" for number in range(len(q))],
            "qq_correlation": q,
            "skewness": -1.5,
            "excess_kurtosis": 3.25,
            "test": "Shapiro–Wilk",
            "p_holm": p,
            "note": np.where(np.isnan(p), "constant", ""),
        }
    )


COSTLY = changes(-0.07, "different", -0.1, -0.04)


def test_each_grade_is_counted_by_itself() -> None:
    r, p = [0.9, 0.4, 0.6, 0.1, 0.9], [0.001, 0.01, 0.02, 0.03, 0.2]

    naive = naive_of(dependence(r, p), COSTLY)
    normal = normal_of(departures([0.8, 0.97, 0.9, 0.99], [0.001] * 4), COSTLY)

    assert naive.sentence.startswith(
        "Naive: strongly broken in 2 of 5 classes, broken in 1, slightly broken in 1 (max"
    )
    assert naive.detail.startswith(
        "16 of 50 pairs of features within classes are dependent (permutation test"
    )
    assert normal.sentence.startswith(
        "Normal: strongly broken in 2 of 4 pairs of class and feature, broken in 1, "
        "slightly broken in 1 (lowest"
    )


def test_the_detail_has_the_numbers_behind_it() -> None:
    by_correlation = naive_of(dependence([0.86], [0.001]), COSTLY).detail

    by_waves = naive_of(dependence([0.1], [0.001], [0.7]), COSTLY).detail

    assert by_correlation.endswith("(permutation test over all of them at 5 %).")
    assert by_waves.endswith("; the strongest is 'height' and 'weight' in class 'c0'.")


def only(model: str, gain: pd.DataFrame, others: str) -> pd.DataFrame:
    """Return differences in which one model gains and the others do not."""
    rest = changes(-0.001, others)
    is_model = gain["implementation"] == model
    return pd.concat([rest[~is_model], gain[is_model]])


NAN = float("nan")
BY_KERNEL = only(KERNEL, COSTLY, "equivalent")
BY_QUANTILES = only(QUANTILES, changes(-0.3, "different", -0.4, -0.2), "equivalent")


@pytest.mark.parametrize(
    ("verdict", "sentence"),
    [
        # What no correlation sees is graded by waves, and its cost is that of kernels.
        (
            naive_of(dependence([0.01], [0.001], [0.97]), BY_KERNEL),
            "Naive: strongly broken in 1 of 1 class (max dependence 0.97, max |r| 0.01), "
            "costs 0.07 nats against Kernel logistic.",
        ),
        (
            naive_of(dependence([0.01], [0.5], [0.2]), BY_KERNEL),
            "Naive: no dependence of pairs found in 40 rows per class (max |r| 0.01), "
            "but Kernel logistic has 0.07 nats less log loss than GNB.",
        ),
        (
            naive_of(dependence([0.01], [0.5]), changes(-0.001, "equivalent")),
            "Naive: no dependence of pairs found in 40 rows per class (max |r| 0.01), "
            "costs less than 0.01 nats against QDA.",
        ),
        # Nothing is rejected whatever its size: in few samples large correlations come by
        # chance.
        (
            naive_of(dependence([0.7, 0.6], [0.06, 0.9]), COSTLY),
            "Naive: no dependence of pairs found in 40 rows per class (max |r| 0.70), "
            "but …",
        ),
        # Rows and |r| are those that were tested.
        (
            naive_of(dependence([0.1, 0.9], [0.4, NAN]).assign(n=[300, 5]), COSTLY),
            "Naive: no dependence of pairs found in 300 rows per class; 1 of 2 classes "
            "could not be tested (max |r| 0.10), but …",
        ),
        (
            naive_of(dependence([0.1, 0.2], [0.4, 0.6]).assign(n=[1300, 50]), COSTLY),
            "Naive: no dependence of pairs found in 37 to 962 rows per class (max |r| …",
        ),
        (
            naive_of(dependence([0.9], [NAN]), COSTLY),
            "Naive: not tested (max |r| 0.90; too few)…",
        ),
        (naive_of(dependence([NAN], [NAN]), COSTLY), "Naive: not tested (too few)…"),
        # Correlations are not rounded to one.
        (naive_of(dependence([0.99968], [0.0]), COSTLY), "…max |r| 0.9997…"),
        (naive_of(dependence([1.0], [0.0]), COSTLY), "…max |r| 1.00…"),
        (
            normal_of(departures([0.97], [0.001]), BY_QUANTILES),
            "…, but Quantiles + GNB has 0.30 nats less log loss than GNB.",
        ),
        (
            normal_of(departures([0.999], [0.4]), COSTLY),
            "Normal: no departure found in 40 rows per class (lowest Q–Q correlation "
            "0.9990), but …",
        ),
        (
            normal_of(departures([np.nan], [np.nan]), COSTLY),
            "Normal: not tested (constant), …",
        ),
    ],
)
def test_the_sentence_says_grade_size_and_cost(
    verdict: findings.AssumptionVerdict, sentence: str
) -> None:
    assert re.fullmatch(re.escape(sentence).replace("…", ".*"), verdict.sentence)
    words = verdict.sentence.partition(": ")[2]
    is_found = words.startswith(("no dependence of pairs found", "no departure found"))
    assert is_found == (verdict.grade in {"not rejected", "unclear"})
    assert is_found or words.startswith(verdict.grade)


GAINS = {
    # Outcome, interval and p value of a gain -> its sentence
    ("different", -0.1, -0.04, 0.01): "0.07 nats",
    ("cannot tell", -0.1, -0.04, 0.06): "0.07 nats less log loss (p = 0.060 after Holm)",
    ("cannot tell", -0.1, 0.04, 0.4): "no cost could be demonstrated",
    ("equivalent", -0.01, 0.001, 0.4): "costs less than 0.01 nats",
}


@pytest.mark.parametrize("p", [[0.001], [0.5]])
@pytest.mark.parametrize("gain", GAINS)
def test_a_gain_is_reported_whether_or_not_a_pair_was_rejected(
    p: list[float], gain: tuple[str, float, float, float]
) -> None:
    outcome, low, high, p_holm = gain
    differences = changes(-0.07, outcome, low, high).assign(p=p_holm)

    verdict = naive_of(dependence([0.6], p), differences)

    assert GAINS[gain] in verdict.sentence
    grade = "unclear" if outcome == "different" else "not rejected"
    assert verdict.grade == ("strongly broken" if p == [0.001] else grade)
    assert ("no cost" in verdict.sentence) == GAINS[gain].startswith("no cost")


@pytest.mark.parametrize(
    ("differences", "cost"),
    [
        (changes(-0.07, "different"), "costs 0.07 nats against QDA"),
        (changes(-0.001, "equivalent"), "costs less than 0.01 nats against QDA"),
        (changes(0.0, "identical"), "costs less than 0.01 nats against QDA"),
        (changes(-0.11, "cannot tell"), "no cost could be demonstrated"),
        (changes(1.15, "cannot tell", -0.3, 2.0), "no cost could be demonstrated"),
        (changes(-0.3, "cannot tell", np.nan, np.nan, 1), "no cost could be demonstrated"),
        (
            changes(np.nan, "failed", np.nan, np.nan, 0),
            "cost unknown: in no run did both GNB and QDA succeed",
        ),
    ],
)
def test_the_cost_is_said_in_words(differences: pd.DataFrame, cost: str) -> None:
    verdict = naive_of(dependence([0.9], [0.001]), differences)

    assert verdict.sentence.endswith(f", {cost}.")
    assert ("nan" in verdict.detail) is False
