"""What one implementation said in every run of a batch, and where it failed."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.implementations import Implementation
from gnbbench.measurement.predictions import Predictions, RunError, predictions
from gnbbench.measurement.predictions_together import predictions_together
from gnbbench.measurement.sample import Sample
from gnbbench.measurement.scored_predictions import scored_predictions
from gnbbench.splits import Split


@dataclass(frozen=True)
class Answers:
    """What one implementation said, keyed by the place of the run in its batch."""

    name: str  # Of the implementation
    said: dict[int, Predictions] = field(default_factory=dict)
    failed: dict[int, RunError] = field(default_factory=dict)  # Of the runs that failed
    # Messages of the runs with a warning
    warned: dict[int, str] = field(default_factory=dict)

    def places(self, *needed: str) -> list[int]:
        """Return where it gave labels and whatever is named, in order."""
        return [
            place
            for place, one in sorted(self.said.items())
            if all(getattr(one, name) is not None for name in needed)
        ]

    def stacked(self, what: str, places: Sequence[int]) -> NDArray[Any]:
        """Return one array over these runs, the runs along its first axis."""
        return np.stack([getattr(self.said[place], what) for place in places])


def answers(
    sample: Sample, splits: Sequence[Split], entry: Implementation, *, alone: bool = False
) -> Answers:
    """Return what fresh models of an implementation say of these runs."""
    found = Answers(entry.name)
    if alone and entry.together is not None:
        found.said.update(predictions_together(entry, sample, splits))
    elif entry.posterior is not None:
        found.said.update(scored_predictions(entry, sample, splits))
    for place, one in enumerate(splits):
        if place not in found.said:
            _ask(found, place, entry, sample, one)
    return found


def _ask(
    found: Answers, place: int, entry: Implementation, sample: Sample, one: Split
) -> None:
    """Add what the implementation says of one run, or why it says nothing."""
    X_train, X_test = sample.X[one.train], sample.X[one.test]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found.said[place] = predictions(
                entry, X_train, sample.y[one.train], X_test, sample.classes
            )
        except RunError as error:
            found.failed[place] = error
    if caught:
        texts = dict.fromkeys(str(warning.message) for warning in caught)
        found.warned[place] = "warned: " + "; ".join(texts)
