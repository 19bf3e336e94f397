"""The setting of an implementation, and whether it truly reproduces it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gnbbench.diagnosis.family import TrainedRun
from gnbbench.diagnosis.fits import Fit, Search
from gnbbench.diagnosis.observations import UNSEEN, Observation
from gnbbench.diagnosis.reproduction import (
    EXPLAINED_SHARE,
    NOISY_SHARE,
    REPRODUCED_SHARE,
)
from gnbbench.diagnosis.restriction import restricted
from gnbbench.diagnosis.rivals import rivals
from gnbbench.diagnosis.search import identify
from gnbbench.diagnosis.settings import Setting, complexity, is_noisy, moved, restored

# With labels alone, so many disagreements are needed for each number that is fitted:
# fewer could be met by chance.
DISAGREEMENTS_PER_NUMBER = 6


@dataclass(frozen=True, eq=False)
class Identified:
    """The best setting found, and whether it reproduces the answers."""

    setting: Setting
    reproduces: bool
    fit: Fit | None  # None where there was nothing to reproduce
    plain: Fit | None  # The fit of the setting that the search started from
    without: Mapping[str, Fit]  # Knob moved -> the fit with it alone switched back
    n_undefined: int  # Rows whose NaN no setting reproduces; they were left out
    rivals: tuple[str, ...] = ()  # Other causes that would reproduce the answers as well

    @property
    def share(self) -> float:
        """Share of predictions reproduced; 0 where there was nothing to reproduce."""
        return self.fit.reproduction.share if self.fit else 0.0

    def effect(self, knob: str) -> float:
        """Return how much the reproduction worsens with a knob switched back."""
        return self.without[knob].loss

    def evidence(self, knob: str, words: str) -> str:
        """Return what speaks for a knob, in one sentence."""
        back = self.without[knob].reproduction
        text = f"With {words}, {self.share:.2%} of {back.n_predictions} predictions are "
        text += f"reproduced; without, {back.mismatches} labels differ"
        if back.largest_difference > 0.0:
            text += f" and posteriors by up to {back.largest_difference:.2g}"
        return text + "."


def identified(
    base: Setting, runs: Sequence[TrainedRun], observed: Sequence[Observation]
) -> Identified:
    """Return what an implementation does, as a setting.

    Rows with a label that was never seen are left out. If nothing reproduces the rest,
    rows without probabilities are left out too; if labels and probabilities follow two
    settings, the labels' is taken.
    """
    known = [seen.labels != UNSEEN for seen in observed]
    found = _attempt(base, *restricted(runs, observed, known), n_undefined=0)
    n_undefined = sum(int(seen.undefined.sum()) for seen in observed)
    if not found.reproduces and n_undefined:
        defined = [
            rows & ~seen.undefined for rows, seen in zip(known, observed, strict=True)
        ]
        again = _attempt(
            base, *restricted(runs, observed, defined), n_undefined=n_undefined
        )
        found = again if again.reproduces or again.fit is None else found
    return found


def _attempt(
    base: Setting,
    runs: list[TrainedRun],
    observed: list[Observation],
    *,
    n_undefined: int,
) -> Identified:
    if not runs:
        return Identified(base, True, None, None, {}, n_undefined)  # noqa: FBT003
    whole = Search(base, runs, observed)
    plain = whole.fit(base)
    fit = identify(base, runs, observed)
    reproduces = accepted(fit, plain, observed)
    return Identified(
        fit.setting,
        reproduces,
        fit,
        plain,
        {
            knob: whole.fit(restored(fit.setting, base, knob))
            for knob in moved(fit.setting, base)
        },
        n_undefined,
        rivals(whole, whole.fit(fit.setting)) if reproduces else (),
    )


def _is_constant(observed: Sequence[Observation]) -> bool:
    """Return whether one label is given throughout: what any setting does, overdone."""
    return len(np.unique(np.concatenate([seen.labels for seen in observed]))) == 1


def _can_flatten(setting: Setting, knobs: Sequence[str], *, by_labels: bool) -> bool:
    """Return whether a knob, turned far enough, makes any model give one label."""
    smoothed = "smoothing" in knobs and setting.smoothing is not None
    return smoothed or "floor" in knobs or (by_labels and "prior" in knobs)


def accepted(fit: Fit, plain: Fit, observed: Sequence[Observation]) -> bool:
    """Return whether a setting reproduces the answers well enough to name its knobs."""
    mine, base = fit.reproduction, plain.reproduction
    if mine.share < REPRODUCED_SHARE:
        return False
    if fit.errors > (1.0 - EXPLAINED_SHARE) * plain.errors:
        return False
    knobs = moved(mine.setting, base.setting)
    by_labels = all(seen.log_posterior is None for seen in observed)
    if _is_constant(observed) and (
        _can_flatten(mine.setting, knobs, by_labels=by_labels)
        or (len(knobs) > 1 and mine.n_compared == 0)
    ):
        return False
    if is_noisy(mine.setting):
        allowed = (1.0 - NOISY_SHARE) * mine.n_predictions
        return mine.n_differing <= min(allowed, 0.5 * base.n_differing + allowed / 10)
    n_numbers = round(2 * (complexity(mine.setting, base.setting) - len(knobs)))
    if isinstance(mine.setting.prior, tuple):
        n_numbers += len(mine.setting.prior) - 2
    by_parameters = fit.parameters < plain.parameters
    return (
        not by_labels
        or by_parameters
        or base.mismatches >= DISAGREEMENTS_PER_NUMBER * n_numbers
    )
