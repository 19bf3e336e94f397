"""Samples drawn from a Gaussian naive Bayes model with known parameters."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from gnbbench.arrays import FloatArray
from gnbbench.data.dataset import Dataset
from gnbbench.errors import OptionError

NAME = "gaussians"
N_SAMPLES, N_FEATURES, N_CLASSES, SEED = 1000, 5, 3, 0
# Default parameters, by the key after the name.
USUAL = {"n": N_SAMPLES, "d": N_FEATURES, "k": N_CLASSES, "seed": SEED, "offset": "0"}


@dataclass(frozen=True, eq=False)
class TrueParameters:
    """The true parameters of generated samples."""

    # (n_classes, n_features): Means, drawn from a standard normal distribution, plus the
    # offset
    theta: FloatArray
    # (n_classes, n_features): Variances, log-uniform between exp(-1) and e
    var: FloatArray
    # (n_classes,): Class probabilities, within a factor of two of each other
    priors: FloatArray


def true_parameters(
    *,
    n_features: int = N_FEATURES,
    n_classes: int = N_CLASSES,
    seed: int = SEED,
    offset: float = 0.0,
) -> TrueParameters:
    """Return the true parameters behind `gaussians` with the same options, for any size."""
    _check("d", n_features, at_least=1)
    _check("k", n_classes, at_least=2)
    _check("seed", seed, at_least=0)
    _check_finite("offset", offset)
    generator = np.random.default_rng([seed, 0])
    shape = (n_classes, n_features)
    shares = generator.uniform(1.0, 2.0, n_classes)
    return TrueParameters(
        theta=generator.standard_normal(shape) + offset,
        var=np.exp(generator.uniform(-1.0, 1.0, shape)),
        priors=shares / shares.sum(),
    )


def gaussians(
    *,
    n_samples: int = N_SAMPLES,
    n_features: int = N_FEATURES,
    n_classes: int = N_CLASSES,
    seed: int = SEED,
    offset: float = 0.0,
) -> Dataset:
    """Return independent draws from `true_parameters`.

    Labels are drawn from the priors, then every feature from its class's normal
    distribution. An offset leaves all distances between samples unchanged, so in exact
    arithmetic it changes no label; it exposes implementations that lose digits.
    """
    _check("n", n_samples, at_least=2)
    truth = true_parameters(
        n_features=n_features, n_classes=n_classes, seed=seed, offset=offset
    )
    try:
        X = np.empty((n_samples, n_features))  # First, since it is what may be too much
        generator = np.random.default_rng([seed, 1])
        y = generator.choice(n_classes, size=n_samples, p=truth.priors)
        generator.standard_normal(out=X)
        X *= np.sqrt(truth.var)[y]
        X += truth.theta[y]
    except (MemoryError, ValueError) as error:  # More bytes than can be counted
        what = f"{n_samples} × {n_features} values do not fit into memory"
        raise OptionError(f"{NAME}?n", what, "Give a smaller number.") from error
    if len(np.unique(y)) < n_classes:
        what = f"{n_samples} samples left one of {n_classes} classes empty"
        raise OptionError(f"{NAME}?n", what, "Give more samples or fewer classes.")
    values: dict[str, Any] = {"n": n_samples, "d": n_features, "k": n_classes, "seed": seed}
    values["offset"] = _short(offset)
    query = "&".join(f"{k}={v}" for k, v in values.items() if v != USUAL[k])
    return Dataset(
        name=f"{NAME}, offset {_short(offset)}" if offset else NAME,
        X=X,
        y=y.astype(np.int64),
        feature_names=tuple(f"x{column}" for column in range(n_features)),
        class_names=tuple(f"class {code}" for code in range(n_classes)),
        target_name="class",
        origin=f"Drawn from independent normal distributions, seed {seed}",
        parameters={"source": f"{NAME}?{query}" if query else NAME},
    )


def _check(key: str, value: Any, *, at_least: int) -> None:
    """Raise unless the value is an integer of at least `at_least`."""
    broken = isinstance(value, bool) or not isinstance(value, int | np.integer)
    if broken or value < at_least:
        what = f"{value!r} is not a whole number from {at_least}"
        raise OptionError(f"{NAME}?{key}", what, f"Give a whole number from {at_least}.")


def _check_finite(key: str, value: Any) -> None:
    """Raise unless the value is a finite number."""
    if isinstance(value, bool) or not (isinstance(value, Real) and math.isfinite(value)):
        what = f"{value!r} is not a finite number"
        raise OptionError(f"{NAME}?{key}", what, "Give one, such as 1e6.")


def _short(number: float) -> str:
    """Format a number as one would type it, without losing digits."""
    mantissa, _, exponent = f"{number:g}".partition("e")
    text = f"{mantissa}e{int(exponent)}" if exponent else mantissa
    return text if float(text) == number else repr(float(number))
