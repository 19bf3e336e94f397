"""Two studies held against each other: what the newer one does better, or worse."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from gnbbench.statistics.comparison_sides import Side, environment_changes, time_changes
from gnbbench.statistics.metrics import run_mean

Change = Literal["same", "within", "better", "regression", "cannot tell", "changed"]

# +1 where more is better. Any other metric is shown and judged by nobody.
DIRECTIONS: Mapping[str, int] = {
    "agreement": 1,
    "evaluated_runs": 1,
    "test_accuracy": 1,
    "precision": 1,
    "recall": 1,
    "f1": 1,
    "log_loss": -1,
    "brier_score": -1,
}
# Counted, not estimated: they have no interval and need none.
COUNTED = ("agreement", "evaluated_runs")
# Runs are the same splits where the plans agree in these.
SPLITTING = ("sha256", "seed", "stratify", "test_size")
CHANGE_COLUMNS = (
    *("point", "implementation", "metric", "old", "new", "difference"),
    *("low", "high", "runs", "change"),
)


@dataclass(frozen=True)
class Comparison:
    """What two studies come to beside each other; every difference is new minus old."""

    old: str  # What they are called
    new: str
    tolerance: float  # Loss that does not count, in the unit of each metric
    paired: bool  # Whether differences were taken run by run, on the same splits
    pairing: str  # Says so in a sentence, with the reason
    plan: pd.DataFrame  # What the plans differ in: ``key``, ``old``, ``new``
    # Columns `CHANGE_COLUMNS`; ``low`` and ``high`` are the corrected 95 % interval of the
    # difference, ``runs`` those it rests on. ``change`` is "same" (no difference at all),
    # "within" (the tolerance), "better", "regression" or "cannot tell", as in
    # `compare_sides`; "changed" for a metric of which neither more nor less is better.
    changes: pd.DataFrame
    # What differs between machines and versions, one sentence each
    environment: tuple[str, ...]
    times: pd.DataFrame  # As `time_changes` returns it
    remarks: tuple[str, ...]  # What is in one of the two alone

    @property
    def regressions(self) -> pd.DataFrame:
        """Rows of `changes` in which the new study is worse beyond the tolerance."""
        return self.changes[self.changes["change"] == "regression"]

    @property
    def undecided(self) -> pd.DataFrame:
        """Rows of `changes` with a loss beyond the tolerance that may be chance."""
        rows = self.changes[self.changes["change"] == "cannot tell"]
        gain = rows["difference"] * rows["metric"].map(DIRECTIONS).astype(float)
        return rows[gain < 0]


def compare_sides(old: Side, new: Side, *, tolerance: float | None = None) -> Comparison:
    """Return how a study differs from an earlier one.

    On the same splits nothing but the implementations differs, and a mean that is worse
    by more than the tolerance is a regression; its interval tells how far that holds
    beyond these splits. On other splits it is one only where the interval leaves out 0,
    and "cannot tell" otherwise. A value that is there no more is a regression.
    """
    allowed = old.margin if tolerance is None else tolerance
    pairing = _pairing(old, new)
    rows = list(_changes(old, new, pairing, tolerance=allowed))
    environment = environment_changes(old, new)
    return Comparison(
        old=old.name,
        new=new.name,
        tolerance=allowed,
        paired=pairing.paired,
        pairing=pairing.sentence,
        plan=_plan_changes(old, new),
        changes=pd.DataFrame(rows, columns=list(CHANGE_COLUMNS)),
        environment=environment,
        times=time_changes(old, new, comparable=not environment),
        remarks=tuple(_remarks(old, new)),
    )


@dataclass(frozen=True)
class _Pairing:
    """Whether splits are the same, and whether single runs are there to pair."""

    same_splits: bool
    paired: bool
    sentence: str


def _pairing(old: Side, new: Side) -> _Pairing:
    other = [key for key in SPLITTING if old.plan.get(key) != new.plan.get(key)]
    if other:
        told = f"Unpaired: other splits ({', '.join(other)})."
        return _Pairing(same_splits=False, paired=False, sentence=told)
    if old.runs is not None and new.runs is not None:
        told = "Paired run by run: both studies have the same splits."
        return _Pairing(same_splits=True, paired=True, sentence=told)
    told = "Unpaired: of one only the summary is known; intervals are too wide."
    # Means over more runs are means over other splits too.
    same = old.n_runs == new.n_runs
    return _Pairing(same_splits=same, paired=False, sentence=told)


def _changes(
    old: Side, new: Side, pairing: _Pairing, *, tolerance: float
) -> Iterator[tuple[Any, ...]]:
    keys = ["point", "implementation", "metric"]
    both = old.metrics.merge(new.metrics, on=keys, suffixes=("_old", "_new"))
    single = _columns(old, new) if pairing.paired else set()
    for row in both.to_dict("records"):
        key = tuple(str(row[name]) for name in keys)
        found = _paired(old, new, *key) if row["metric"] in single else _unpaired(row)
        certain = pairing.same_splits or row["metric"] in COUNTED
        allowed = 0.0 if row["metric"] == "evaluated_runs" else tolerance
        change = _judged(row, found, tolerance=allowed, certain=certain)
        yield (*key, row["mean_old"], row["mean_new"], *found, change)


def _columns(old: Side, new: Side) -> set[str]:
    """Return what is known of single runs."""
    if old.runs is None or new.runs is None:
        return set()
    return {*map(str, old.runs)} & {*map(str, new.runs)}


Found = tuple[float, float, float, int]


def _paired(old: Side, new: Side, point: str, implementation: str, metric: str) -> Found:
    """Return mean difference, interval and number of the runs that both have."""
    columns = [
        side.runs[
            (side.runs["point"] == point)
            & (side.runs["implementation"] == implementation)
            & (side.runs["status"] == "ok")
        ].set_index("run")[metric]
        for side in (old, new)
        if side.runs is not None
    ]
    with np.errstate(invalid="ignore"):
        values = (columns[1] - columns[0]).dropna().to_numpy(dtype=np.float64)
    if values.size and not values.any():
        return 0.0, 0.0, 0.0, values.size
    sizes = new.sizes[point]
    counted = {"train_accuracy": sizes.n_train, "test_accuracy": sizes.n_test}
    step = 1 / counted[metric] if metric in counted and values.size else 0.0
    found = run_mean(values, sizes, step=step)
    return found.mean, found.low, found.high, found.runs


def _unpaired(row: Mapping[Any, Any]) -> Found:
    """Return the difference of two means, its interval with Welch's degrees (1947).

    Each mean's standard error is taken back from its interval, which is corrected.
    """
    from scipy import stats

    difference = row["mean_new"] - row["mean_old"]
    runs = int(min(row["runs_old"], row["runs_new"]))
    freedom = np.array([row["runs_old"] - 1, row["runs_new"] - 1])
    widths = np.array([row[f"high_{s}"] - row[f"low_{s}"] for s in ("old", "new")])
    if not (np.isfinite(widths).all() and (freedom >= 1).all()):
        return difference, float("nan"), float("nan"), runs
    variances = (widths / 2 / stats.t.ppf(0.975, freedom)) ** 2
    total = float(variances.sum())
    if total == 0:
        return difference, difference, difference, runs
    degrees = total**2 / float((variances**2 / freedom).sum())
    half = float(stats.t.ppf(0.975, degrees)) * total**0.5
    return difference, difference - half, difference + half, runs


def _judged(
    row: Mapping[Any, Any], found: Found, *, tolerance: float, certain: bool
) -> Change:
    """Return what a difference is called."""
    old, new = row["mean_old"], row["mean_new"]
    direction = DIRECTIONS.get(row["metric"], 0)
    difference, low, high, _ = found
    if np.isnan(old) and np.isnan(new):
        return "same"
    if direction and np.isnan(new):
        return "regression"
    if difference == 0 and (low == high == 0 or (certain and old == new)):
        return "same"
    if not direction or np.isnan(old):
        return "changed"
    return _beyond(difference * direction, low, high, tolerance, certain=certain)


def _beyond(
    gain: float, low: float, high: float, tolerance: float, *, certain: bool
) -> Change:
    """Return what a gain (negative: a loss) of a metric is called."""
    if abs(gain) <= tolerance:
        return "within"
    if not (certain or low > 0 or high < 0):
        return "cannot tell"
    return "better" if gain > 0 else "regression"


def _plan_changes(old: Side, new: Side) -> pd.DataFrame:
    keys = dict.fromkeys([*old.plan, *new.plan])
    rows = [
        (key, str(old.plan.get(key, "–")), str(new.plan.get(key, "–")))
        for key in keys
        if key != "command" and old.plan.get(key) != new.plan.get(key)
    ]
    return pd.DataFrame(rows, columns=["key", "old", "new"])


def _remarks(old: Side, new: Side) -> Iterator[str]:
    for one, other in ((old, new), (new, old)):
        for name in one.implementations:
            if name not in other.implementations:
                yield f"'{name}' is in {one.name} alone and compared with nothing."
        for point in one.sizes:
            if point not in other.sizes:
                yield f"Train fraction {point} is in {one.name} alone."
    if old.reference != new.reference:
        yield (
            f"The references differ ('{old.reference}', '{new.reference}'): "
            "agreement with them is not the same thing."
        )
