"""A variant of Gaussian naive Bayes: how each of its knobs stands, and for which cause."""

from dataclasses import dataclass, replace
from typing import Literal

from gnbbench.diagnosis import findings

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
class Variant:
    """Which variant of each step an implementation takes; defaults are scikit-learn's."""

    dtype: Literal["float64", "float32"] = "float64"
    formula: str = "two-pass"  # A key of `VARIANCE_FORMULAS`
    negatives: str = "kept"  # A key of `NEGATIVES`, for variances that cancel below zero
    divisor: str = (
        "n"  # "n-1 throughout": also where the smoothing is relative to variances
    )
    smoothing: Amount | None = Amount("largest", 1e-9)  # By a key of `SMOOTHING_RULES`
    floor: Amount | None = None  # By a key of `FLOORS`
    space: str = "log"  # A key of `SPACES`
    # "reordered" are the shares in `prior_order`; "free" is whatever suits the answers of
    # each run best, for estimating other knobs
    prior: str | tuple[float, ...] = "shares"
    # Class whose prior, label or probability column each class gets
    prior_order: tuple[int, ...] | None = None
    label_order: tuple[int, ...] | None = None
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
# A fitted number makes a knob count for so much more.
FITTED = 0.5
# A rarer form of a knob is taken only where it does better than the usual one.
RARER = 0.125
_CAUSES = {
    "class order": findings.CLASS_ORDER,
    "divisor": findings.DIVISOR,
    "prior": findings.PRIOR,
    "space": findings.UNDERFLOW,
    "floor": findings.DENSITY_FLOOR,
    "formula": findings.CANCELLATION,
    "dtype": findings.PRECISION,
    "feature order": findings.FEATURE_ORDER,
}


def moved(variant: Variant, base: Variant) -> tuple[str, ...]:
    """Return the knobs that stand differently in the two variants."""
    return tuple(
        knob
        for knob, names in KNOBS.items()
        if any(getattr(variant, name) != getattr(base, name) for name in names)
    )


def restored(variant: Variant, base: Variant, *knobs: str) -> Variant:
    """Return the variant with these knobs switched back to where `base` has them."""
    names = [name for knob in knobs for name in KNOBS[knob]]
    return replace(variant, **{name: getattr(base, name) for name in names})


def complexity(variant: Variant, base: Variant) -> float:
    """Return the number of knobs moved; one whose number was fitted counts for more."""
    knobs = moved(variant, base)
    fitted = {
        "smoothing": variant.smoothing is not None,
        "floor": True,
        "prior": isinstance(variant.prior, tuple),
    }
    rare = RARER * (variant.divisor == "n-1 throughout")
    return len(knobs) + FITTED * sum(fitted.get(knob, False) for knob in knobs) + rare


def is_noisy(variant: Variant) -> bool:
    """Return whether rounding is so large that another order of sums decides labels."""
    return variant.dtype != "float64" or variant.formula != "two-pass"


def cause_of(knob: str, variant: Variant) -> str:
    """Return the cause that a knob stands for where the variant has it."""
    if knob == "smoothing":
        return findings.SMOOTHING_RULE if variant.smoothing else findings.NO_SMOOTHING
    return _CAUSES[knob]


def estimate_of(knob: str, variant: Variant) -> float | str | None:
    """Return what was found for a knob: a number where it has one."""
    if knob in ("smoothing", "floor"):
        given: Amount | None = getattr(variant, knob)
        return float(given.amount) if given else None
    return words_of(knob, variant)


def words_of(knob: str, variant: Variant) -> str:
    """Return how a knob stands, in words."""
    smoothing, floor = variant.smoothing, variant.floor
    words = {
        "class order": _orders(variant),
        "smoothing": SMOOTHING_RULES[smoothing.rule].format(smoothing.amount)
        if smoothing
        else "nothing added to variances",
        "divisor": f"variances divided by {variant.divisor}",
        "prior": _prior(variant),
        "space": SPACES[variant.space],
        "floor": FLOORS[floor.rule].format(floor.amount) if floor else "no floor",
        "formula": VARIANCE_FORMULAS[variant.formula] + NEGATIVES[variant.negatives],
        "dtype": variant.dtype,
        "feature order": f"features in the order {_listed(variant.feature_order)}",
    }
    return words[knob]


def _orders(variant: Variant) -> str:
    parts = []
    if variant.label_order is not None:
        parts.append(f"labels in the order {_listed(variant.label_order)}")
    if variant.column_order is not None:
        parts.append(f"probability columns in the order {_listed(variant.column_order)}")
    return ", ".join(parts) or "classes in order"


def _prior(variant: Variant) -> str:
    if isinstance(variant.prior, tuple):
        return "priors " + ", ".join(f"{share:.4g}" for share in variant.prior)
    if variant.prior == "reordered":
        return f"priors swapped: shares in the order {_listed(variant.prior_order)}"
    return {
        "uniform": "uniform priors",
        "free": "any priors",
        "shares": "priors are the classes' shares",
        "add-one": "priors from counts plus one",
    }[variant.prior]


def _listed(order: tuple[int, ...] | None) -> str:
    if order is None:
        return "given"
    shown = ", ".join(str(place) for place in order[:12])
    return f"({shown}{', …' if len(order) > 12 else ''})"


def describe(variant: Variant, base: Variant) -> str:
    """Return the knobs that differ from `base`, in words."""
    knobs = moved(variant, base)
    if not knobs:
        return "as the reference"
    return "; ".join(words_of(knob, variant) for knob in knobs)


DEFAULT = Variant()
