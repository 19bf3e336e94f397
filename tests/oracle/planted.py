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
    models = (Smoothed, Opposite, Failing, Moody)
    against = {"numpy": "numpy", **{model.__name__: model for model in models}}
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


def _of_setting(text: str, rows: int) -> list[list[Said]]:
    return [[Said(f"rows: {rows}", "section data")], [Said(text, "setting")]]


def _cell(name: str, heading: str, text: str, **row: str) -> list[Said]:
    cells = {heading: text, **{key.replace("_", " "): value for key, value in row.items()}}
    return [Said(text, "section accuracy: Scores", name, "", heading, cells)]


# Rule, "-" before what it must refute or "+" before what it must pass, about whom, and in
# which tone; then the text.
_TEXTS = """
counts - Smoothed Not identical: {smoothed.differing}1 of {n} labels differ.
counts - Smoothed no label differs in {smoothed.exact}1 of 4 runs
counts - numpy Identical: none of {n}1 labels differ.
counts - Moody Moody failed in 4 of 4 runs.
counts + Smoothed Not identical: {smoothed.differing} of {n} labels differ.
counts + numpy Identical: none of {n} labels differ.
counts + Failing Failing failed in 4 of 4 runs.
same_labels - Smoothed Smoothed: same labels as sklearn
same_labels - Failing Identical: none of 72 labels differ.
same_labels + numpy numpy: same labels as sklearn
same_labels + Smoothed not identical to sklearn
same_answers - Smoothed Probabilities are equal to the last bit.
same_answers + Moody Probabilities are equal to the last bit.
every_run - Moody identical in every run
every_run + numpy identical in every run
largest_differences - Opposite Same labels; probabilities differ by up to 1.0 × 10⁻¹⁵.
largest_differences + Opposite probabilities differ by up to {gap}.
blame - numpy Failed: no run gave labels to compare.
blame - numpy numpy: 9 labels. It offers no probabilities.
blame + Failing Failed: no run gave labels to compare.
blame + numpy Nothing to compare with: no run of sklearn succeeded.
reproduced - numpy One setting (as scikit-learn) gives 0 % of {n} labels.
reproduced - Smoothed All {n} labels are those of one setting (as scikit-learn).
reproduced + numpy All {n} labels are those of one setting (as scikit-learn).
silence - Failing Failing: no labels to compare with sklearn; fit 808× faster
silence - Failing Failing: same labels as sklearn
silence - Failing fit time not distinguishable
silence + Failing Failing: no labels to compare with sklearn
silence + numpy numpy: same labels as sklearn; fit 8× faster
tones - Smoothed/bad Every disagreement is explained.
tones - Smoothed/good 5 of 72 labels differ
tones - Moody/good same labels as sklearn
tones + numpy/good same labels as sklearn
tones + Smoothed/bad 5 of 72 labels differ
effects - Opposite {points} points {other} accurate
effects - Opposite {points}9 points {word} accurate
effects + Opposite {points} points {word} accurate
one_split - Smoothed effect on accuracy unclear: −72.2 points; p < 0.001.
one_split + Smoothed 72.2 points less accurate on this split (p < 0.001).
bounds - Smoothed At most 2.0 % of rows can get a different label (95 % bound).
bounds + Smoothed At most 2.0 % of rows get a different label in 4 runs like these.
distinct_rows - Smoothed 3 of 9 distinct rows got a different label
distinct_rows + Smoothed {disputed} of {rows} distinct rows got a different label
samples - numpy All 60 samples were tested.
samples - numpy {numpy}1 of 60 samples were tested.
samples + numpy {numpy} of 60 samples were tested.
strangers - Smoothed {n}7 rows were looked at
strangers - numpy with accuracy 0.1234
strangers + Smoothed {n} labels were looked at
"""


def _plain(facts: Mapping[str, object]) -> dict[str, tuple[list[Any], list[Any]]]:
    """Return, by rule, the texts of `_TEXTS` with these facts."""
    texts: dict[str, tuple[list[Any], list[Any]]] = {}
    for line in _TEXTS.strip().splitlines():
        rule, sign, whom, text = line.split(" ", 3)
        name, _, tone = whom.partition("/")
        pair = texts.setdefault(rule, ([], []))
        pair["-+".index(sign)].append(_of(name, text.format_map(facts), tone=tone))
    return texts


def _number(value: float, digits: int = 4) -> str:
    return f"{value:.{digits}f}".replace("-", "−")


def _p(text: str, ends: str) -> list[Said]:
    row = {"metric": "test accuracy", "difference (95 % interval)": f"+0.05 ({ends})"}
    return _cell("Smoothed", "p (Holm)", text, **row)


@cache
def planted() -> Mapping[str, tuple[Sequence[list[Said]], Sequence[list[Said]]]]:
    """Return, by rule, what it must refute and what it must pass."""
    truth = planted_truth()
    names = "numpy", "Smoothed", "Opposite"
    numpy, smoothed, opposite = (truth.subjects[name] for name in names)
    n = numpy.predictions
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

    counts = {("0", "0"): n - 3, ("1", "0"): 0, ("0", "1"): 0, ("1", "1"): 3}
    cells = [crossed(column, row, count) for (column, row), count in counts.items()]
    swapped = [*cells[1:3], crossed("1", "0", n - 3), crossed("0", "1", 3)]
    model = {
        "model": "Kernel logistic",
        "p (Holm)": "< 0.001",
        "metric": "accuracy",
        "minus GNB (95 % interval)": "+0.51 (0.42 to 0.60)",
    }
    gain = Said("different", "section costs", "", "", "result", model)
    vague = {**model, "p (Holm)": "0.300"}
    chance = Said("cannot tell", "section costs", "", "", "result", vague)
    denied = Said("The assumption is tenable; no cost could be demonstrated.", "headline")
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

    gap, distinct = opposite.largest_gap, smoothed.distinct
    facts: dict[str, object] = {"n": n, "smoothed": smoothed, "numpy": len(numpy.tested)}
    facts |= {"points": points, "word": word, "other": other, "gap": f"{gap:.2f}"}
    facts |= {"disputed": distinct(smoothed.disputed), "rows": distinct(smoothed.tested)}
    plain = _plain(facts)
    differ_by = _of("Opposite", f"Probabilities differ by {facts['gap']}.")
    gaps = [
        [*_cell("Opposite", "largest |Δp|", f"{gap:{form}}"), *differ_by]
        for form in (".3f", ".2f")
    ]
    rest = ("section disagreements", "Smoothed", "", "truth", labels)

    return {
        **plain,
        "identical": (
            [_cell("Smoothed", change_heading, "identical", metric="log loss (nats)")],
            [_cell("numpy", change_heading, "identical", metric="test accuracy")],
        ),
        "agreements": (
            [_cell("numpy", "agreement", "99 %"), _cell("Smoothed", "agreement", "100 %")],
            [_cell("numpy", "agreement", "100 %")],
        ),
        "one_way": (gaps[:1], gaps[1:]),
        "directions": ([slow, _cell("numpy", "in words", "9.1× faster", **timed)], [fast]),
        "ratios": ([_cell("numpy", "in words", "5.0× faster", **halved)], [fast]),
        "untold": ([_cell("numpy", "in words", "not distinguishable", **timed)], [fast]),
        "one_factor": (
            [[*fast, *_of("numpy", "fit 8.4× faster (8.1 to 8.5)")]],
            [[*fast, *_of("numpy", "fit 8.3× faster (8.1 to 8.5)")]],
        ),
        "means": ([mean_of(accuracy + 0.01)], [mean_of(accuracy)]),
        "differences": ([change_of(change + 0.001)], [change_of(change)]),
        "p_values": ([_p("0.001", "−0.04 to 0.08")], [_p("1.000", "−0.04 to 0.08")]),
        "p_beside_intervals": (
            [_p("0.200", "0.01 to 0.08"), _p("< 0.001", "−0.01 to 0.08")],
            [_p("0.200", "−0.01 to 0.08"), _p("0.010", "0.01 to 0.08")],
        ),
        "sizes": (
            _of_setting("5 runs, each with 42 train samples", 61),
            _of_setting("4 runs, each with 42 train samples", 60),
        ),
        "features": ([distinct_values(61)], [distinct_values(60)]),
        "cross_tables": ([cells[:3], swapped], [cells]),
        "disputed_rows": ([disputed(1)], [disputed(0)]),
        "clipped": ([clipped(3)], [clipped(0)]),
        "costs": ([[denied, gain]], [[denied, chance]]),
        "correlations": (
            [[Said(f"max |r| {largest + 0.05:.2f}", "band")]],
            [[Said(f"max |r| {largest:.2f}", "band")]],
        ),
        "normality": ([skewed(skew + 0.1)], [skewed(skew)]),
        "explained": ([[Said(wrong_label, *rest)]], [[Said(truth_label, *rest)]]),
    }
