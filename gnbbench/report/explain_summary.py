"""What a report on the causes of disagreements is made of."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnbbench.diagnosis import Diagnosis, ExplainedDisagreement
from gnbbench.report.explain_wording import headline_of, several_headline, verdict_of
from gnbbench.statistics.summary import DatasetDescription
from gnbbench.words import count, plural, printable, short_names

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
