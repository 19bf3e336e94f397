"""Settings tried on an implementation's answers, and which of two does better."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from gnbbench.diagnosis.family import TrainedRun
from gnbbench.diagnosis.observations import Observation
from gnbbench.diagnosis.parameters import parameter_distance
from gnbbench.diagnosis.reproduction import Reproduction, reproduce
from gnbbench.diagnosis.settings import Setting, is_noisy, moved, restored

# A label that is wrong weighs as much as log-odds off by this logarithm of roundings.
LABEL_WEIGHT = 30.0
# Parameters decide only where labels and probabilities do not.
PARAMETER_WEIGHT = 1e-4
# Where rounding is too large for log-odds to decide, posteriors still do.
NOISE_WEIGHT = 1.0
# Labels that rounding may decide under a setting and does not under the first one; more
# are no rounding but scores that the setting has made equal.
TIED_SHARE = 0.01
# What one knob must gain in distance, beyond its share: rounding alone moves it by less.
LEAST_GAIN = 0.02


@dataclass(frozen=True, eq=False)
class Fit:
    """A setting, how well it reproduces the answers, and the parameters' distance.

    `n_tied` counts the labels that rounding decides under the setting searched from.
    """

    reproduction: Reproduction
    parameters: float
    n_tied: int = 0

    @property
    def setting(self) -> Setting:
        """The setting tried."""
        return self.reproduction.setting

    @property
    def loss(self) -> float:
        """One number that is 0 where nothing differs beyond rounding."""
        found = self.reproduction
        return (
            found.distance
            + LABEL_WEIGHT * self.errors / max(found.n_predictions, 1)
            + PARAMETER_WEIGHT * self.parameters
            + (NOISE_WEIGHT * found.mean_difference if is_noisy(self.setting) else 0.0)
        )

    @property
    def errors(self) -> int:
        """Labels that are wrong; under large rounding also those that rounding excuses."""
        found = self.reproduction
        if is_noisy(self.setting):
            return found.n_differing
        excused = found.n_differing - found.mismatches
        allowed = self.n_tied + int(TIED_SHARE * found.n_predictions)
        return found.mismatches + max(0, excused - allowed)

    @property
    def is_settled(self) -> bool:
        """Whether there is nothing left for a further knob to explain."""
        found = self.reproduction
        if self.errors or found.distance > 0.0:
            return False
        return found.n_compared > 0 or self.parameters == 0.0

    @property
    def is_sufficient(self) -> bool:
        """Whether all predictions are reproduced, if not to the last digit."""
        return self.reproduction.share == 1.0 and self.reproduction.mismatches == 0

    def is_worse_than(self, other: "Fit") -> bool:
        """Return whether labels, log-odds or parameters are farther off, measurably."""
        mine, its = self.reproduction, other.reproduction
        if self.errors != other.errors:
            return self.errors > other.errors
        gain = its.distance * (1.0 + LEAST_GAIN) + LEAST_GAIN
        if mine.distance > gain:
            return True
        return self.parameters > other.parameters * (1.0 + LEAST_GAIN) + LEAST_GAIN


@dataclass
class Search:
    """Settings tried on some runs of an implementation; each is evaluated once."""

    base: Setting  # Where the search starts
    runs: Sequence[TrainedRun]
    observed: Sequence[Observation]
    fits: dict[Setting, Fit] = field(default_factory=dict)

    def fit(self, setting: Setting) -> Fit:
        """Return how well a setting does."""
        if setting not in self.fits:
            found = reproduce(setting, self.runs, self.observed)
            plain = found if setting == self.base else self.fit(self.base).reproduction
            self.fits[setting] = Fit(
                found,
                parameter_distance(setting, self.runs, self.observed),
                plain.n_differing - plain.mismatches,
            )
        return self.fits[setting]

    def tried(self, settings: Iterable[Setting]) -> list[Fit]:
        """Return how well each setting does."""
        return [self.fit(setting) for setting in settings]


def pruned(search: Search, base: Setting, best: Fit) -> Fit:
    """Return the fit without the knobs whose move back does not worsen it."""
    for knob in reversed(moved(best.setting, base)):
        without = search.fit(restored(best.setting, base, knob))
        if not without.is_worse_than(best):
            best = without
    for knob in reversed(moved(best.setting, base)):
        without = search.fit(restored(best.setting, base, knob))
        if not best.reproduction.is_exact and without.is_sufficient:
            best = without
    if best.setting.smoothing != base.smoothing and best.setting.smoothing is not None:
        # An amount too small to be seen is none.
        unsmoothed = search.fit(replace(best.setting, smoothing=None))
        if not unsmoothed.is_worse_than(best):
            best = unsmoothed
    return best
