"""A variant of Gaussian naive Bayes as a setting of knobs, each with its cause."""

from dataclasses import dataclass, replace
from typing import Literal

from gnbbench.diagnosis.findings import (
    CANCELLATION,
    CLASS_ORDER,
    DENSITY_FLOOR,
    DIVISOR,
    FEATURE_ORDER,
    NO_SMOOTHING,
    PRECISION,
    PRIOR,
    SMOOTHING_RULE,
    UNDERFLOW,
)

SMOOTHING_RULES: dict[str, str] = {
    "largest": "variance + {:.4g} × the largest feature variance",
    "mean": "variance + {:.4g} × the mean of the feature variances",
    "feature": "variance + {:.4g} × the variance of the same feature over all samples",
    "class": "variance + {:.4g} × the largest variance within the class",
    "absolute": "variance + {:.4g}",
    "floor": "max(variance, {:.4g})",
    "zero": "{:.4g} in place of variances that are zero",
    "deviation": "(standard deviation + {:.4g})²",
}
VARIANCE_FORMULAS: dict[str, str] = {
    "two-pass": "mean of squared deviations",
    "mean": "E[x²] - E[x]²",
    "sum": "(Σx² - (Σx)²/n)/n",
    "mean, by columns": "E[x²] - E[x]², summed column by column",
    "sum, by columns": "(Σx² - (Σx)²/n)/n, summed column by column",
}
NEGATIVES: dict[str, str] = {
    "kept": "",
    "zero": ", negative ones set to zero",
    "absolute": ", without sign",
}
SPACES: dict[str, str] = {
    "log": "sums of log-densities",
    "log of density": "logarithms of densities that underflow one by one",
    "product": "densities multiplied",
    "multivariate": "the density of a diagonal covariance matrix",
}
FLOORS: dict[str, str] = {
    "add": "log(density + {:.3g}) of each feature",
    "clip": "log(max(density, {:.3g})) of each feature",
    "total": "log(density + {:.3g}) of all features together",
}


@dataclass(frozen=True)
class Amount:
    """A rule that takes a number: of smoothing, or of a floor under densities."""

    rule: str
    amount: float


@dataclass(frozen=True)
class Setting:
    """Which variant of each step an implementation takes; defaults are scikit-learn's."""

    dtype: Literal["float64", "float32"] = "float64"
    formula: str = "two-pass"  # A key of `VARIANCE_FORMULAS`
    # A key of `NEGATIVES`: what becomes of variances that cancel to below zero
    negatives: str = "kept"
    # Of the variances; "throughout" also of those that the smoothing is relative to
    divisor: str = "n"
    # A key of `SMOOTHING_RULES` and its amount
    smoothing: Amount | None = Amount("largest", 1e-9)
    floor: Amount | None = None  # A key of `FLOORS` and its amount
    space: str = "log"  # A key of `SPACES`
    # "reordered" are the shares in `prior_order`; "free" is whatever suits the answers of
    # each run best, for estimating other knobs
    prior: str | tuple[float, ...] = "shares"
    # Class whose prior, label or probability column each class gets
    prior_order: tuple[int, ...] | None = None
    # Class whose prior, label or probability column each class gets
    label_order: tuple[int, ...] | None = None
    # Class whose prior, label or probability column each class gets
    column_order: tuple[int, ...] | None = None
    # Feature of the sample that each learned feature meets in predict
    feature_order: tuple[int, ...] | None = None
    # Whether a score that is NaN counts as the largest, as in NumPy's argmax
    nan_wins: bool = True


# Each knob is one idea and may be several fields; the order is that of Occam's razor:
# of two knobs that explain equally much, the earlier one is taken.
KNOBS: dict[str, tuple[str, ...]] = {
    "class order": ("label_order", "column_order"),
    "smoothing": ("smoothing",),
    "divisor": ("divisor",),
    "prior": ("prior", "prior_order"),
    "space": ("space",),
    "floor": ("floor",),
    "formula": ("formula", "negatives"),
    "dtype": ("dtype",),
    "feature order": ("feature_order",),
}
FITTED = 0.5
# A rarer form of a knob is taken only where it does better than the usual one.
RARER = 0.125
_CAUSES = {
    "class order": CLASS_ORDER,
    "divisor": DIVISOR,
    "prior": PRIOR,
    "space": UNDERFLOW,
    "floor": DENSITY_FLOOR,
    "formula": CANCELLATION,
    "dtype": PRECISION,
    "feature order": FEATURE_ORDER,
}


def moved(setting: Setting, base: Setting) -> tuple[str, ...]:
    """Return the knobs that stand differently in the two settings."""
    return tuple(
        knob
        for knob, names in KNOBS.items()
        if any(getattr(setting, name) != getattr(base, name) for name in names)
    )


def restored(setting: Setting, base: Setting, *knobs: str) -> Setting:
    """Return the setting with these knobs switched back to where `base` has them."""
    names = [name for knob in knobs for name in KNOBS[knob]]
    return replace(setting, **{name: getattr(base, name) for name in names})


def complexity(setting: Setting, base: Setting) -> float:
    """Return the number of knobs moved; one whose number was fitted counts for more."""
    knobs = moved(setting, base)
    fitted = {
        "smoothing": setting.smoothing is not None,
        "floor": True,
        "prior": isinstance(setting.prior, tuple),
    }
    rare = RARER * (setting.divisor == "n-1 throughout")
    return len(knobs) + FITTED * sum(fitted.get(knob, False) for knob in knobs) + rare


def is_noisy(setting: Setting) -> bool:
    """Return whether rounding is so large that another order of sums decides labels."""
    return setting.dtype != "float64" or setting.formula != "two-pass"


def cause_of(knob: str, setting: Setting) -> str:
    """Return the cause that a knob stands for where the setting has it."""
    if knob == "smoothing":
        return NO_SMOOTHING if setting.smoothing is None else SMOOTHING_RULE
    return _CAUSES[knob]


def estimate_of(knob: str, setting: Setting) -> float | str | None:
    """Return what was found for a knob: a number where it has one."""
    if knob == "smoothing":
        return float(setting.smoothing.amount) if setting.smoothing else None
    if knob == "floor":
        return float(setting.floor.amount) if setting.floor else None
    return words_of(knob, setting)


def words_of(knob: str, setting: Setting) -> str:
    """Return how a knob stands, in words."""
    smoothing, floor = setting.smoothing, setting.floor
    words = {
        "class order": _orders(setting),
        "smoothing": SMOOTHING_RULES[smoothing.rule].format(smoothing.amount)
        if smoothing
        else "nothing added to variances",
        "divisor": f"variances divided by {setting.divisor}",
        "prior": _prior(setting),
        "space": SPACES[setting.space],
        "floor": FLOORS[floor.rule].format(floor.amount) if floor else "no floor",
        "formula": VARIANCE_FORMULAS[setting.formula] + NEGATIVES[setting.negatives],
        "dtype": setting.dtype,
        "feature order": f"features in the order {_listed(setting.feature_order)}",
    }
    return words[knob]


def _orders(setting: Setting) -> str:
    parts = []
    if setting.label_order is not None:
        parts.append(f"labels in the order {_listed(setting.label_order)}")
    if setting.column_order is not None:
        parts.append(f"probability columns in the order {_listed(setting.column_order)}")
    return ", ".join(parts) or "classes in order"


def _prior(setting: Setting) -> str:
    if isinstance(setting.prior, tuple):
        return "priors " + ", ".join(f"{share:.4g}" for share in setting.prior)
    if setting.prior == "reordered":
        return f"priors swapped: shares in the order {_listed(setting.prior_order)}"
    return {
        "uniform": "uniform priors",
        "free": "any priors",
        "shares": "priors are the classes' shares",
        "add-one": "priors from counts plus one",
    }[setting.prior]


def _listed(order: tuple[int, ...] | None) -> str:
    if order is None:
        return "given"
    shown = ", ".join(str(place) for place in order[:12])
    return f"({shown}{', …' if len(order) > 12 else ''})"


def describe(setting: Setting, base: Setting) -> str:
    """Return the knobs that differ from `base`, in words."""
    knobs = moved(setting, base)
    if not knobs:
        return "as the reference"
    return "; ".join(words_of(knob, setting) for knob in knobs)


DEFAULT = Setting()
