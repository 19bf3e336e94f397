"""What a reader must know before believing a summary."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.statistics.labels import NO_CLASS
from gnbbench.statistics.metrics import impossible_runs
from gnbbench.words import counted, plural, points

SMALL_TEST = 30


def failures(runs: pd.DataFrame, implementations: Sequence[str]) -> dict[str, str]:
    """Return one sentence for each implementation that failed in some run."""
    sentences = {}
    for name in implementations:
        own = runs[runs["implementation"] == name]
        bad = own[own["status"] != "ok"]
        if len(bad):
            means = "its means are over the others"
            if len(bad) == len(own):
                means = "it has no means"
            how = "failed"
            if set(bad["status"]) == {"invalid"}:
                how = "gave invalid probabilities"
            sentences[name] = (
                f"{name} {how} in {counted(len(bad), len(own), 'run')}; {means}. "
                f'Message: "{_usual_message(bad)}".'
            )
    return sentences


def spot_checks(plan: Mapping[str, Any]) -> list[str]:
    """Return a sentence on the runs that were compared, if not all were."""
    if plan.get("spot_checks") is None:
        return []
    drawn = counted(plan["spot_checks"], plan["runs"], "run")
    setting = " at each train fraction" if "train_fractions" in plan else ""
    return [
        f"Spot checks: the implementations were compared in {drawn}{setting}, drawn at "
        f"random (seed {plan['seed']}); in the others {plan['reference']} alone was "
        "evaluated."
    ]


def remarks(tables: Mapping[str, pd.DataFrame], failed: Sequence[str]) -> tuple[str, ...]:
    """Return the remarks on a study's splits and labels, one sentence each."""
    (point,) = tables["points"].to_dict("records")
    test_share = point["n_test"] / (point["n_train"] + point["n_test"])
    found = list(failed)
    if point["runs"] == 1:
        found.append(
            "One run only: there are no intervals, and no test between accuracies."
        )
    if test_share > 0.5:
        found.append(
            f"{100 * test_share:.0f} % of the samples are tested: above 50 % the "
            "corrected test is very conservative and seldom finds a difference."
        )
    if point["n_test"] < SMALL_TEST:
        found.append(f"A test side has {_one_label(point['n_test'])}")
    return (*found, *_strange_labels(tables["confusion"]))


def sweep_remarks(
    tables: Mapping[str, pd.DataFrame], failed: Sequence[str]
) -> tuple[str, ...]:
    """Return the remarks on a sweep's splits and labels, one sentence each."""
    fractions, found = tables["points"], list(failed)
    for row in fractions[fractions["impossible_runs"] > 0].to_dict("records"):
        runs = tables["runs"][tables["runs"]["point"] == row["point"]]
        message = runs.loc[impossible_runs(runs), "message"].iloc[0]
        found.append(
            f"{_at(row)} there is no split: {plural(row['impossible_runs'], 'run')} with "
            f'an error, in no mean. Message: "{message}".'
        )
    thin = fractions[fractions["thin_runs"] > 0]
    if len(thin):
        total, planned = int(thin["thin_runs"].sum()), int(fractions["runs"].sum())
        where = ", ".join(
            f"{row['thin_runs']:,} at {_percent(row['fraction'])}"
            for row in thin.to_dict("records")
        )
        found.append(
            f"In {counted(total, planned, 'run')} some class has fewer than two training "
            f"samples ({where}); they count like all others."
        )
    marked = fractions.loc[fractions["conservative"], "fraction"]
    if fractions["runs"].max() == 1:
        found.append(
            "One run at each train fraction: there are no intervals, and no test between "
            "accuracies."
        )
    elif len(marked):
        found.append(
            f"Up to a train fraction of {_percent(marked.max())} more than half of the "
            "samples are tested: intervals there are conservative, and the corrected test "
            "seldom finds a difference."
        )
    small = fractions[(fractions["n_test"] > 0) & (fractions["n_test"] < SMALL_TEST)]
    found += [
        f"{_at(row)} a test side has {_one_label(row['n_test'])}"
        for row in small.sort_values("n_test").head(1).to_dict("records")
    ]
    return (*found, *_strange_labels(tables["confusion"]))


def _usual_message(failed: pd.DataFrame) -> str:
    """Return the most frequent message on one line, the first of equals."""
    texts = failed.sort_values("run")["message"].fillna("").astype(str)
    told, places, counts = np.unique(texts, return_index=True, return_counts=True)
    if not told.size:
        return "none recorded"
    usual = told[np.lexsort((places, -counts))[0]]
    return shorten(str(usual), 200, placeholder=" …") or "none recorded"


def _strange_labels(confusion: pd.DataFrame) -> list[str]:
    strange = confusion[confusion["label"] == NO_CLASS]
    counts = strange.groupby("implementation", sort=False)["count"].sum()
    return [
        f"{name} gave {plural(int(count), 'label')} that are none of the classes."
        for name, count in counts.items()
        if count
    ]


def _one_label(n_test: int) -> str:
    """Say how small a test side is, and what one of its labels does."""
    return (
        f"{plural(int(n_test), 'sample')} only: one label moves the accuracy of a run by "
        f"{points(1 / n_test)}."
    )


def _at(row: Mapping[Any, Any]) -> str:
    return f"At a train fraction of {_percent(row['fraction'])}"


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.4g} %"
