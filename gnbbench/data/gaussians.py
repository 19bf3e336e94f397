"""Samples drawn from the model itself, so that the truth is known."""

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.data.dataset import Dataset
from gnbbench.errors import OptionError

N_SAMPLES, N_FEATURES, N_CLASSES, SEED = 1000, 5, 3, 0


@dataclass(frozen=True, eq=False)
class TrueParameters:
    """What the samples are drawn from."""

    # (n_classes, n_features): Means, drawn from a standard normal distribution, plus the
    # offset
    theta: NDArray[np.float64]
    # (n_classes, n_features): Variances, log-uniform between exp(-1) and e
    var: NDArray[np.float64]
    # (n_classes,): Class probabilities; none is more than twice another
    priors: NDArray[np.float64]


def true_parameters(
    *,
    n_features: int = N_FEATURES,
    n_classes: int = N_CLASSES,
    seed: int = SEED,
    offset: float = 0.0,
) -> TrueParameters:
    """Return the parameters that `gaussians` draws from with the same options.

    They do not depend on the number of samples.
    """
    _check("--n-features", n_features, at_least=1)
    _check("--n-classes", n_classes, at_least=2)
    _check("--data-seed", seed, at_least=0)
    _check_finite("--offset", offset)
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

    Labels are drawn by the priors, then every feature from its class's normal
    distribution. An offset changes no distance between samples, so that exact arithmetic
    would give the same labels at any; it shows which implementation loses digits.
    """
    _check("--n-samples", n_samples, at_least=2)
    truth = true_parameters(
        n_features=n_features, n_classes=n_classes, seed=seed, offset=offset
    )
    try:
        generator = np.random.default_rng([seed, 1])
        y = generator.choice(n_classes, size=n_samples, p=truth.priors)
        X = generator.standard_normal((n_samples, n_features))
        X *= np.sqrt(truth.var)[y]
        X += truth.theta[y]
    except MemoryError as error:
        what = f"{n_samples} × {n_features} values do not fit into memory"
        raise OptionError("--n-samples", what, "Give a smaller number.") from error
    if len(np.unique(y)) < n_classes:
        what = f"{n_samples} samples left one of {n_classes} classes empty"
        raise OptionError("--n-samples", what, "Give more samples or fewer classes.")
    sizes = {"n_samples": n_samples, "n_features": n_features, "n_classes": n_classes}
    shift = {"offset": float(offset)} if offset else {}
    return Dataset(
        name=f"gaussians, offset {_short(offset)}" if offset else "gaussians",
        X=X,
        y=y.astype(np.int64),
        feature_names=tuple(f"x{column}" for column in range(n_features)),
        class_names=tuple(f"class {code}" for code in range(n_classes)),
        target_name="class",
        origin=f"Drawn from independent normal distributions, seed {seed}",
        parameters={"source": "gaussians", **sizes, "seed": seed, **shift},
    )


def _check(option: str, value: Any, *, at_least: int) -> None:
    """Refuse what is not a whole number from `at_least`."""
    broken = isinstance(value, bool) or not isinstance(value, int | np.integer)
    if broken or value < at_least:
        what = f"{value!r} is not a whole number from {at_least}"
        raise OptionError(option, what, f"Give a whole number from {at_least}.")


def _check_finite(option: str, value: Any) -> None:
    """Refuse what is not a finite number."""
    if isinstance(value, bool) or not (isinstance(value, Real) and math.isfinite(value)):
        raise OptionError(option, f"{value!r} is not a finite number", "Give one, as 1e6.")


def _short(number: float) -> str:
    """Return a number as it would be typed."""
    mantissa, _, exponent = f"{number:g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa
