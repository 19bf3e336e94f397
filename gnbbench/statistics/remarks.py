"""What a reader must know before believing a summary."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any

import numpy as np
import pandas as pd

from gnbbench.statistics.labels import NO_CLASS
from gnbbench.statistics.metrics import SplitSizes
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
            sentences[name] = (
                f"{name} failed in {counted(len(bad), len(own), 'run')}; {means}. "
                f'Message: "{_usual_message(bad)}".'
            )
    return sentences


def spot_checks(plan: Mapping[str, Any]) -> list[str]:
    """a sentence on the runs in which implementations were compared, if not in all."""
    if plan.get("spot_checks") is None:
        return []
    drawn = counted(plan["spot_checks"], plan["runs"], "run")
    setting = " at each train fraction" if "train_fractions" in plan else ""
    return [
        f"Spot checks: the implementations were compared in {drawn}{setting}, drawn at "
        f"random (seed {plan['seed']}); in the others {plan['reference']} alone was "
        "evaluated."
    ]


def remarks(
    sizes: SplitSizes, n_runs: int, confusion: pd.DataFrame, failed: Sequence[str]
) -> tuple[str, ...]:
    """Return the remarks on a study's splits and labels, one sentence each."""
    found = list(failed)
    if n_runs == 1:
        found.append(
            "One run only: there are no intervals, and no test between accuracies."
        )
    if sizes.test_share > 0.5:
        found.append(
            f"{100 * sizes.test_share:.0f} % of the samples are tested: above 50 % the "
            "corrected test is very conservative and seldom finds a difference."
        )
    if sizes.n_test < SMALL_TEST:
        found.append(
            f"A test side has {plural(sizes.n_test, 'sample')} only: one label moves the "
            f"accuracy of a run by {points(1 / sizes.n_test)}."
        )
    return (*found, *_strange_labels(confusion))


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
