"""Sentences of `evidence` that are not so, each beside one that is.

They are said of a study that has one competitor of each sort: the same, another one, one
without any answer, and one that fails at times.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from faults.hard_for_words import Failing, Hard, Moody, Opposite, Smoothed, data_sets

from oracle.said import Said
from oracle.truth import Truth, truth_of

RUNS = 4


@cache
def planted_truth() -> Truth:
    """Return what is true of a study with competitors of each sort."""
    blobs = data_sets()["labels alone"]
    against = {
        "numpy": "numpy",
        "Smoothed": Smoothed,
        "Opposite": Opposite,
        "Failing": Failing,
        "Moody": Moody,
    }
    hard = Hard(blobs.X, blobs.y, "planted", RUNS, often=True, against=against)
    return truth_of(hard, RUNS, test_size=hard.test_size)


@cache
def planted_truth_of(rule: str) -> Truth:
    """Return what is true where a rule is tried: of one run of one competitor for some."""
    if rule not in ("one_split", "p_beside_intervals"):
        return planted_truth()
    blobs = data_sets()["labels alone"]
    hard = Hard(blobs.X, blobs.y, "planted", 1, against={"Smoothed": Smoothed})
    return truth_of(hard, 1, test_size=hard.test_size)


def _of(name: str, text: str, place: str = "band", **more: Any) -> list[Said]:
    return [Said(text, place, name, **more)]


def _cell(name: str, heading: str, text: str, **row: str) -> list[Said]:
    cells = {heading: text, **{key.replace("_", " "): value for key, value in row.items()}}
    return [Said(text, "section accuracy: Scores", name, "", heading, cells)]


def _number(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _p(text: str, ends: str) -> list[Said]:
    row = {"metric": "test accuracy", "difference (95 % interval)": f"+0.05 ({ends})"}
    return _cell("Smoothed", "p (Holm)", text, **row)


@cache
def planted() -> Mapping[str, tuple[Sequence[list[Said]], Sequence[list[Said]]]]:
    """Return, by rule, what it must refute and what it must pass."""
    truth = planted_truth()
    numpy, smoothed, opposite = (
        truth.subjects[n] for n in ("numpy", "Smoothed", "Opposite")
    )
    n, differing = numpy.predictions, smoothed.differing
    accuracy = float(np.mean(smoothed.values("test accuracy")))
    change = float(np.mean(smoothed.differences("test accuracy")))
    points = f"{100 * abs(float(np.mean(opposite.differences('test accuracy')))):.1f}"
    word = "more" if np.mean(opposite.differences("test accuracy")) > 0 else "less"
    other = {"more": "less", "less": "more"}[word]
    X = truth.hard.X
    change_heading = "difference (95 % interval)"
    named = {"metric": "test accuracy", "implementation": "Smoothed"}
    timed = {"ratio": "0.120", "noise_floor": "0.98 to 1.02"}
    halved = {**timed, "ratio": "0.200"}
    fast, slow = (
        _cell("numpy", "in words", f"{f}× {w}", **timed)
        for f, w in (("8.3", "faster"), ("8.3", "slower"))
    )
    row = min(smoothed.disputed)
    tested = [r for r in smoothed.shared if row in smoothed.tests[r]]
    apart = [r for r in tested if smoothed.apart[r][smoothed.tests[r] == row].any()]
    run, place = apart[0], int(np.flatnonzero(smoothed.tests[apart[0]] == row)[0])
    labels = {
        "run": str(run),
        "row": str(row),
        "sklearn": str(smoothed.reference[run].labels[place]),
        "Smoothed": str(smoothed.own[run].labels[place]),
    }
    truth_label = str(smoothed.y[row])
    wrong_label = next(str(v) for v in np.unique(smoothed.y) if str(v) != truth_label)
    correlations = [np.corrcoef(X[truth.hard.y == k].T) for k in (0, 1)]
    largest = max(float(np.abs(r[np.triu_indices(3, 1)]).max()) for r in correlations)

    def crossed(column: str, label: str, count: int) -> Said:
        row = {"sklearn says": label, column: str(count)}
        return Said(str(count), "section agreement", "numpy", "", column, row)

    cells = [
        crossed(column, label, count)
        for label, column, count in (
            ("0", "0", n - 3),
            ("0", "1", 0),
            ("1", "0", 0),
            ("1", "1", 3),
        )
    ]
    swapped = [*cells[1:3], crossed("1", "0", n - 3), crossed("0", "1", 3)]
    model = {
        "model": "Kernel logistic",
        "p (Holm)": "< 0.001",
        "metric": "accuracy",
        "minus GNB (95 % interval)": "+0.51 (0.42 to 0.60)",
    }
    gain = Said("different", "section costs", "", "", "result", model)
    chance = Said(
        "cannot tell", "section costs", "", "", "result", {**model, "p (Holm)": "0.300"}
    )
    denied = Said(
        "The naive assumption is tenable; no cost could be demonstrated.", "headline"
    )
    values = X[truth.hard.y == 0, 0]
    skew = float(np.mean(((values - values.mean()) / values.std()) ** 3))

    def mean_of(value: float) -> list[Said]:
        text = f"{value:.3f} (0.2 to 0.8)"
        return _cell("Smoothed", "mean (95 % interval)", text, **named)

    def change_of(value: float) -> list[Said]:
        text = f"{_number(value)} (−0.2 to 0.8)"
        return _cell("Smoothed", change_heading, text, **named)

    def distinct_values(count: int) -> list[Said]:
        place, row = "section data: Features", {"feature": "x0"}
        return [Said(str(count), place, "", "", "distinct values", row)]

    def disputed(more: int) -> list[Said]:
        text = f"{len(apart) + more} of {len(tested) + more}"
        return _cell("Smoothed", "runs in dispute", text, row=str(min(smoothed.disputed)))

    def clipped(count: int) -> list[Said]:
        text = f"For the log loss, it counts: {count} of {n} predictions of numpy."
        return [Said(text, "band")]

    def skewed(value: float) -> list[Said]:
        row = {"feature": "x0", "class": "0", "skewness": ""}
        return [Said(_number(value, 2), "section normal", "", "", "skewness", row)]

    return {
        "counts": (
            [
                _of("Smoothed", f"Not identical: {differing + 1} of {n} labels differ."),
                _of("Smoothed", f"no label differs in {smoothed.exact + 1} of {RUNS} runs"),
                _of("numpy", f"Identical: none of {n + 1} labels differ."),
                _of("Moody", "Moody failed in 4 of 4 runs."),
            ],
            [
                _of("Smoothed", f"Not identical: {differing} of {n} labels differ."),
                _of("numpy", f"Identical: none of {n} labels differ."),
                _of("Failing", "Failing failed in 4 of 4 runs."),
            ],
        ),
        "identical": (
            [_cell("Smoothed", change_heading, "identical", metric="log loss (nats)")],
            [_cell("numpy", change_heading, "identical", metric="test accuracy")],
        ),
        "same_labels": (
            [
                _of("Smoothed", "Smoothed: same labels as sklearn"),
                _of("Failing", "Identical: none of 72 labels differ."),
            ],
            [
                _of("numpy", "numpy: same labels as sklearn"),
                _of("Smoothed", "not identical to sklearn"),
            ],
        ),
        "same_answers": (
            [_of("Smoothed", "Probabilities are equal to the last bit.")],
            [_of("Moody", "Probabilities are equal to the last bit.")],
        ),
        "every_run": (
            [_of("Moody", "identical in every run")],
            [_of("numpy", "identical in every run")],
        ),
        "agreements": (
            [
                _cell("numpy", "agreement", "99.9 %"),
                _cell("Smoothed", "agreement", "100 %"),
            ],
            [_cell("numpy", "agreement", "100 %")],
        ),
        "largest_differences": (
            [_of("Opposite", "Same labels; probabilities differ by up to 1.0 × 10⁻¹⁵.")],
            [_of("Opposite", f"probabilities differ by up to {opposite.largest_gap:.2f}.")],
        ),
        "one_way": (
            [
                [
                    *_cell("Opposite", "largest |Δp|", f"{opposite.largest_gap:.3f}"),
                    *_of(
                        "Opposite", f"Probabilities differ by {opposite.largest_gap:.2f}."
                    ),
                ]
            ],
            [
                [
                    *_cell("Opposite", "largest |Δp|", f"{opposite.largest_gap:.2f}"),
                    *_of(
                        "Opposite", f"Probabilities differ by {opposite.largest_gap:.2f}."
                    ),
                ]
            ],
        ),
        "blame": (
            [
                _of("numpy", "Failed: no run gave labels to compare."),
                _of("numpy", "numpy: 9 labels. It offers no probabilities."),
            ],
            [
                _of("Failing", "Failed: no run gave labels to compare."),
                _of("numpy", "Nothing to compare with: no run of sklearn succeeded."),
            ],
        ),
        "reproduced": (
            [
                _of("numpy", f"One setting (as scikit-learn) gives 0 % of {n} labels."),
                _of(
                    "Smoothed",
                    f"All {n} labels are those of one setting (as scikit-learn).",
                ),
            ],
            [_of("numpy", f"All {n} labels are those of one setting (as scikit-learn).")],
        ),
        "silence": (
            [
                _of(
                    "Failing", "Failing: no labels to compare with sklearn; fit 808× faster"
                ),
                _of("Failing", "Failing: same labels as sklearn"),
                _of("Failing", "fit time not distinguishable"),
            ],
            [
                _of("Failing", "Failing: no labels to compare with sklearn"),
                _of("numpy", "numpy: same labels as sklearn; fit 8× faster"),
            ],
        ),
        "tones": (
            [
                _of("Smoothed", "Every disagreement is explained.", tone="bad"),
                _of("Smoothed", "5 of 72 labels differ", tone="good"),
                _of("Moody", "same labels as sklearn", tone="good"),
            ],
            [
                _of("numpy", "same labels as sklearn", tone="good"),
                _of("Smoothed", "5 of 72 labels differ", tone="bad"),
            ],
        ),
        "directions": ([slow, _cell("numpy", "in words", "9.1× faster", **timed)], [fast]),
        "ratios": ([_cell("numpy", "in words", "5.0× faster", **halved)], [fast]),
        "untold": ([_cell("numpy", "in words", "not distinguishable", **timed)], [fast]),
        "one_factor": (
            [[*fast, *_of("numpy", "fit 8.4× faster (8.1 to 8.5)")]],
            [[*fast, *_of("numpy", "fit 8.3× faster (8.1 to 8.5)")]],
        ),
        "means": ([mean_of(accuracy + 0.01)], [mean_of(accuracy)]),
        "differences": ([change_of(change + 0.001)], [change_of(change)]),
        "effects": (
            [
                _of("Opposite", f"{points} points {other} accurate"),
                _of("Opposite", f"{points}9 points {word} accurate"),
            ],
            [_of("Opposite", f"{points} points {word} accurate")]
            if opposite.sign_test < 0.05 or opposite.distinct(opposite.disputed) >= 10
            else [],
        ),
        "one_split": (
            [_of("Smoothed", "effect on accuracy unclear: −72.2 points; p < 0.001.")],
            [_of("Smoothed", "72.2 points less accurate on this split (p < 0.001).")],
        ),
        "p_values": ([_p("0.001", "−0.04 to 0.08")], [_p("1.000", "−0.04 to 0.08")]),
        "p_beside_intervals": (
            [_p("0.200", "0.01 to 0.08"), _p("< 0.001", "−0.01 to 0.08")],
            [_p("0.200", "−0.01 to 0.08"), _p("0.010", "0.01 to 0.08")],
        ),
        "sizes": (
            [
                [Said("rows: 61", "section data")],
                [Said("5 runs, each with 42 train samples", "setting")],
            ],
            [
                [Said("rows: 60", "section data")],
                [Said("4 runs, each with 42 train samples", "setting")],
            ],
        ),
        "features": ([distinct_values(61)], [distinct_values(60)]),
        "cross_tables": ([cells[:3], swapped], [cells]),
        "disputed_rows": ([disputed(1)], [disputed(0)]),
        "bounds": (
            [
                _of(
                    "Smoothed",
                    "At most 2.0 % of rows can get a different label (95 % bound).",
                )
            ],
            [
                _of(
                    "Smoothed",
                    "At most 2.0 % of rows get a different label in 4 runs like these.",
                )
            ],
        ),
        "distinct_rows": (
            [_of("Smoothed", "3 of 9 distinct rows got a different label")],
            [
                _of(
                    "Smoothed",
                    f"{smoothed.distinct(smoothed.disputed)} of "
                    f"{smoothed.distinct(smoothed.tested)} distinct rows got a different "
                    "label",
                )
            ],
        ),
        "samples": (
            [
                _of("numpy", "All 60 samples were tested."),
                _of("numpy", f"{len(numpy.tested) + 1} of 60 samples were tested."),
            ],
            [_of("numpy", f"{len(numpy.tested)} of 60 samples were tested.")],
        ),
        "clipped": ([clipped(3)], [clipped(0)]),
        "costs": ([[denied, gain]], [[denied, chance]]),
        "correlations": (
            [[Said(f"max |r| {largest + 0.05:.2f}", "band")]],
            [[Said(f"max |r| {largest:.2f}", "band")]],
        ),
        "normality": ([skewed(skew + 0.1)], [skewed(skew)]),
        "explained": (
            [[Said(wrong_label, "section disagreements", "Smoothed", "", "truth", labels)]],
            [[Said(truth_label, "section disagreements", "Smoothed", "", "truth", labels)]],
        ),
        "strangers": (
            [
                _of("Smoothed", f"{n + 7} rows were looked at"),
                _of("numpy", "with accuracy 0.1234"),
            ],
            [_of("Smoothed", f"{n} labels were looked at")],
        ),
    }
