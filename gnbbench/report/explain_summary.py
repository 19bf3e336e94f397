"""What a report on the causes of disagreements is made of, and its words."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.diagnosis import CAUSES, Cause, Diagnosis, ExplainedDisagreement
from gnbbench.diagnosis.findings import CRASH, NAN, NOT_GNB, TIE, UNSEEN_CLASS
from gnbbench.statistics.summary import DatasetDescription
from gnbbench.words import (
    DASH,
    count,
    listing,
    plural,
    printable,
    share,
    short_names,
    significant,
)

# Causes that are failures, whether a label differs or not.
FAILURES = frozenset({CRASH, NAN, UNSEEN_CLASS, NOT_GNB})
MOST_NAMED = 3

COLUMNS = (
    "implementation",
    "run",
    "row",
    "truth",
    "reference_label",
    "label",
    "cause",
    "margin",
    "reference_confidence",
    "confidence",
)


@dataclass(frozen=True, eq=False)
class Diagnosed:
    """One implementation and what was found on it."""

    implementation: str
    diagnosis: Diagnosis


@dataclass(frozen=True, eq=False)
class ExplainSummary:
    """Everything a report may show of causes; a report reads nothing else."""

    study: ClassVar[str] = "explain"
    margin: ClassVar[float] = 0.0
    timing_regime: ClassVar[str] = "Nothing is timed."

    reference: str  # Name of the implementation that the others are held against
    diagnosed: tuple[Diagnosed, ...]  # One for each of the others
    dataset: DatasetDescription
    # (n_classes,): The labels, sorted; the order of posteriors and of the dataset's class
    # names
    classes: NDArray[Any]
    n_train: int  # Sizes of the two sides of a run
    n_test: int  # Sizes of the two sides of a run
    # JSON-able; the environment as in `gnbbench.statistics.summary.Summary`
    plan: Mapping[str, Any]
    # JSON-able; the environment as in `gnbbench.statistics.summary.Summary`
    environment: Mapping[str, Any]
    command: str  # What repeats the study

    @property
    def n_runs(self) -> int:
        """Number of randomised splits."""
        return int(self.plan["runs"])

    @property
    def feature_names(self) -> list[str]:
        """The names of the features, as the data have them."""
        return [str(name) for name in self.dataset.features["feature"]]

    @cached_property
    def names(self) -> dict[str, str]:
        """Name of an implementation -> its short printable form; all different."""
        given = (self.reference, *(one.implementation for one in self.diagnosed))
        return short_names(given, 40)

    @property
    def headline(self) -> str:
        """What differs and why, in one sentence."""
        reference = self.names[self.reference]
        found = {self.names[one.implementation]: one.diagnosis for one in self.diagnosed}
        if len(found) > 1:
            return several_headline(found, reference)
        name, diagnosis = next(iter(found.items()))
        return headline_of(diagnosis, name, reference)

    def verdict(self, one: Diagnosed) -> str:
        """Return what was found on one implementation, in one sentence."""
        names = self.names
        return verdict_of(one.diagnosis, names[one.implementation], names[self.reference])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must know besides, one sentence each."""
        remarks = []
        for one in self.diagnosed:
            kept, found = len(one.diagnosis.disagreements), one.diagnosis.n_disagreements
            if kept < found:
                remarks.append(
                    f"{self.names[one.implementation]}: all {count(found)} disagreements "
                    f"are explained and counted; the first {kept} are listed."
                )
            missing = self.n_runs * self.n_test - one.diagnosis.n_predictions
            if missing > 0:
                remarks.append(
                    f"{self.names[one.implementation]}: {plural(missing, 'prediction')} of "
                    f"{count(self.n_runs * self.n_test)} could not be compared, because "
                    "a run of it or of the reference failed."
                )
        return tuple(remarks)

    @cached_property
    def _class_names(self) -> dict[Any, str]:
        names = short_names(self.dataset.class_names, 40)
        return {
            plain_label(label): names[name]
            for label, name in zip(self.classes, self.dataset.class_names, strict=True)
        }

    def label_name(self, label: Any) -> str:
        """Return what a label is called; one that is no class, as Python writes it."""
        value = plain_label(label)
        known = self._class_names.get(value) if isinstance(value, Hashable) else None
        return printable(repr(value)) if known is None else known

    def code(self, label: Any) -> int | None:
        """Return the position of a label among the classes; None for one that is none."""
        value = plain_label(label)
        known = list(self._class_names)
        return known.index(value) if value in known else None

    def frame(self) -> pd.DataFrame:
        """Return one row for each disagreement that is kept, for a notebook."""
        rows = [
            {"implementation": one.implementation, **disagreement_fields(row)}
            for one in self.diagnosed
            for row in one.diagnosis.disagreements
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))


def plain_label(label: Any) -> Any:
    """Return a label as Python has it, without NumPy's type."""
    return label.item() if isinstance(label, np.generic) else label


def disagreement_fields(one: ExplainedDisagreement) -> dict[str, Any]:
    """Return a disagreement as one flat row."""
    return {
        "run": one.run,
        "row": one.row,
        "truth": plain_label(one.truth),
        "reference_label": plain_label(one.reference_label),
        "label": plain_label(one.label),
        "cause": one.cause or "",
        "margin": one.margin,
        "reference_confidence": _confidence(one.reference_posterior),
        "confidence": _confidence(one.posterior),
    }


def _confidence(posterior: NDArray[np.float64] | None) -> float:
    return float("nan") if posterior is None else float(posterior.max())


def headline_of(diagnosis: Diagnosis, name: str, reference: str) -> str:
    """Return what differs and why, in one sentence."""
    n, total = diagnosis.n_disagreements, plural(diagnosis.n_predictions, "prediction")
    reasons = "; ".join(CAUSES[cause.cause] for cause in diagnosis.causes[:MOST_NAMED])
    beyond = len(diagnosis.causes) - MOST_NAMED
    if beyond > 0:
        reasons += f"; and {plural(beyond, 'more cause')}"
    if not diagnosis.n_predictions:
        what = f"{name} gives no labels to compare" if reasons else "Nothing was compared"
        return f"{what}: {reasons or f'no run of {reference} has labels'}."
    if not diagnosis.causes:
        if n:
            return f"{name} differs from {reference} in {count(n)} of {total}, unexplained."
        return f"{name} does what {reference} does in {total}."
    if n:
        return f"{name} differs from {reference} in {count(n)} of {total}: {reasons}."
    return f"{name} gives the labels of {reference}, and yet: {reasons}."


def verdict_of(diagnosis: Diagnosis, name: str, reference: str) -> str:
    """Return the verdict; where no run of either has labels, that there is none."""
    if diagnosis.n_predictions or diagnosis.causes:
        return printable(diagnosis.verdict)
    return headline_of(diagnosis, name, reference)


def several_headline(found: Mapping[str, Diagnosis], reference: str) -> str:
    """Return how many implementations differ in labels or otherwise, in one sentence."""
    groups: dict[str, list[str]] = {"labels": [], "other": [], "same": [], "none": []}
    for name, diagnosis in found.items():
        groups[_group(diagnosis)].append(name)
    parts = [
        f"{_named(names)} {verbs[len(names) > 1]} {rest}"
        for key, verbs, rest in (
            ("labels", ("differs", "differ"), f"from {reference} in labels"),
            ("other", ("gives", "give"), "the same labels in another way"),
            ("same", ("does", "do"), f"what {reference} does"),
            ("none", ("gives", "give"), "nothing to compare"),
        )
        if (names := groups[key])
    ]
    return "; ".join(parts) + "."


def tone_of(diagnosis: Diagnosis) -> str:
    """Return "good" for no difference, "bad" for another label or failure, else "unsure".

    Labels that differ within rounding alone are no fault, and so unsure.
    """
    found = {cause.cause for cause in diagnosis.causes}
    if found & FAILURES:
        return "bad"
    if diagnosis.n_disagreements and found != {TIE}:
        return "bad"
    return "unsure" if found or not diagnosis.n_predictions else "good"


def outcome_of(diagnosis: Diagnosis) -> str:
    """Return the causes by name, the most important one first."""
    if diagnosis.causes:
        return listing([cause.cause for cause in diagnosis.causes])
    if not diagnosis.n_predictions:
        return "nothing compared"
    return "unexplained" if diagnosis.n_disagreements else "no difference"


def explained_text(cause: Cause) -> str:
    """Return how much a cause accounts for, with what is counted."""
    if cause.cause == CRASH:
        return f"{plural(cause.explained, 'prediction')} missing"
    if cause.cause == NAN:
        return f"{plural(cause.explained, 'row')} without probabilities"
    return plural(cause.explained, "disagreement")


def estimate_text(cause: Cause) -> str:
    """Return the amount or choice that was found; a dash where there is none."""
    if cause.estimate is None:
        return DASH
    if isinstance(cause.estimate, str):
        return printable(cause.estimate)
    return significant(float(cause.estimate), 4)


def is_reproduced(diagnosis: Diagnosis) -> bool:
    """Return whether the setting found is what the implementation does."""
    return all(cause.cause not in {NOT_GNB, CRASH} for cause in diagnosis.causes) and (
        diagnosis.n_predictions > 0
    )


def explained_number(diagnosis: Diagnosis) -> int:
    """Return the disagreements that have a cause other than not being GNB at all."""
    without = next((c.explained for c in diagnosis.causes if c.cause == NOT_GNB), 0)
    return diagnosis.n_disagreements - diagnosis.unexplained - without


def difference_text(diagnosis: Diagnosis) -> str:
    """Return the largest remaining probability difference; a dash where none is known."""
    largest = diagnosis.largest_remaining_difference
    return DASH if largest is None else significant(largest, 2)


def sureness(diagnosis: Diagnosis) -> str:
    """Return how well the setting found reproduces the implementation, in one sentence."""
    if not diagnosis.n_predictions:
        return "No prediction could be compared."
    told = (
        f"The setting found ({printable(diagnosis.setting)}) reproduces "
        f"{share(diagnosis.reproduced_share)} of "
        f"{plural(diagnosis.n_predictions, 'prediction')}"
    )
    if diagnosis.largest_remaining_difference is None:
        return f"{told}; probabilities are not offered."
    largest = difference_text(diagnosis)
    return f"{told}; the largest remaining probability difference is {largest}."


def remainder(diagnosis: Diagnosis) -> str:
    """Return what remains unexplained, in one sentence."""
    n = diagnosis.n_disagreements
    if not n:
        return "No label differs."
    left = n - explained_number(diagnosis)
    if not left:
        return "Every disagreement is explained." if n > 1 else "It is explained."
    return f"{count(left)} of {plural(n, 'disagreement')} remain unexplained."


def _group(diagnosis: Diagnosis) -> str:
    if not diagnosis.n_predictions:
        return "none"
    if diagnosis.n_disagreements:
        return "labels"
    return "other" if diagnosis.causes else "same"


def _named(names: list[str]) -> str:
    beyond = len(names) - MOST_NAMED
    shown = names[:MOST_NAMED] + ([f"{beyond} more"] if beyond > 0 else [])
    return listing(shown)
