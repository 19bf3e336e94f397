"""What each knob's position means: one sentence, and what to write instead."""

from gnbbench.diagnosis.acceptance import Identified
from gnbbench.diagnosis.findings import Cause
from gnbbench.diagnosis.variants import (
    AMOUNTS,
    DEFAULT,
    Variant,
    cause_of,
    moved,
    words_of,
)
from gnbbench.words import amount, listing, plural

_DENSITY = "np.exp(-((x - mean) ** 2) / (2 * var)) / np.sqrt(2 * np.pi * var)"
_LOG_DENSITY = "-0.5 * (np.log(2 * np.pi * var) + (x - mean) ** 2 / var)"
# Knob -> what makes it scikit-learn's, and the line that does so.
_REMEDIES: dict[str, str] = {
    "class order": "Keep labels and columns in the order of `np.unique(y)`.",
    "smoothing": "scikit-learn adds 1e-9 × the largest feature variance, here {here}: "
    "`var = var + 1e-9 * X.var(axis=0).max()`.",
    "divisor": "Divide by n: `var = rows.var(axis=0)`, which is ddof=0.",
    "prior": "Add the logarithm of the class's share: `np.log(np.mean(y == c))`.",
    "space": f"Add logarithms and never take them of a density: `{_LOG_DENSITY}`.",
    "form": f"Write the density as `{_DENSITY}`, or its logarithm: `{_LOG_DENSITY}`.",
    "nearest mean": f"Use each class's variances and priors: `np.log(prior) + "
    f"({_LOG_DENSITY})`.",
    "floor": f"Compute the logarithm directly, without a floor: `{_LOG_DENSITY}`.",
    "formula": "Subtract the mean first: `((rows - rows.mean(axis=0)) ** 2).mean(axis=0)`.",
    "dtype": "Compute in double precision: `X = X.astype(np.float64)`.",
    "feature order": "Keep the columns in the same order in fit and predict.",
}
_PRIORS = {
    "uniform": "It gives all classes the same prior, or leaves priors out.",
    "add-one": "It takes (count + 1) / (n + number of classes) for a prior.",
    "each feature": "It counts the prior once for each feature.",
    "not logged": "It adds the prior itself to log-densities, not its logarithm.",
    "reordered": "It gives the classes each other's priors.",
}
_SPACES = {
    "product": "It multiplies densities, which underflow to zero",
    "log of density": "It takes logarithms of densities that have underflowed to zero",
    "multivariate": "It computes the density of a diagonal covariance matrix, which "
    "underflows to zero",
}
_EITHER = {"product", "log of density"}
_EITHER_TEXT = (
    "It multiplies densities, or takes their logarithms, when they have underflowed to zero"
)
_TIES = {
    "first": "the first class gets such rows",
    "last": "the last class gets such rows",
    "appearance": "the class that comes first in the training rows gets such rows",
    "last to appear": "the class that comes last in the training rows gets such rows",
    "none": "such rows get no label",
}


def cause_of_knob(
    knob: str,
    found: Identified,
    base: Variant,
    explained: tuple[int, int],
    largest_variance: float,
) -> Cause:
    """Return what is known of a knob that is moved.

    `explained` are the disagreements that it alone explains, and how many there are.
    """
    variant = found.variant
    estimate: float | str | None = None
    if knob not in AMOUNTS:
        estimate = words_of(knob, variant)
    elif getattr(variant, knob):
        estimate = float(getattr(variant, knob).amount)
    return Cause(
        cause_of(knob, variant),
        explained[0],
        estimate,
        _evidence_of(knob, found, *explained),
        summary_of(knob, found),
        remedy_of(knob, found, base, largest_variance),
        found.intervals.get(knob),
    )


def summary_of(knob: str, found: Identified) -> str:
    """Return what an implementation does with a knob, in one sentence."""
    variant, interval = found.variant, found.intervals.get(knob, (0.0, 0.0))
    words = words_of(knob, variant)
    if knob == "smoothing" and variant.smoothing is None:
        below = f", or less than about {amount(interval[1])}" if interval[1] else ""
        return f"It adds nothing to the variances{below}."
    if knob in AMOUNTS:
        low, high = interval
        span = f"; anything from {amount(low)} to {amount(high)} does the same"
        uses = f"It adds {words.removeprefix('variance + ')} to every variance"
        uses = uses if words.startswith("variance + ") else f"It uses {words}"
        return f"{uses}{span if high > 1.05 * low else ''}."
    if knob == "prior" and isinstance(variant.prior, tuple):
        shares = listing([amount(share) for share in variant.prior])
        return f"It uses the priors {shares} in every run."
    if knob == "form" and variant.form == "nearest mean":
        return (
            "It gives the label of the nearest class mean, which is Gaussian naive Bayes "
            "with equal variances and uniform priors."
        )
    spaces = {one.space for one in (variant, *found.equals) if one.space in _EITHER}
    space = _EITHER_TEXT if spaces == _EITHER else _SPACES.get(variant.space)
    texts = {
        "divisor": "It divides variances by n − 1 instead of n.",
        "prior": _PRIORS.get(str(variant.prior), "It uses other priors."),
        "space": f"{space}; {_TIES[variant.ties]}.",
        "form": f"It uses {words}.",
        "formula": f"It computes variances as {words}, where digits cancel.",
        "dtype": "It computes in single precision.",
        "class order": f"It has {words}.",
        "feature order": f"It mixes up features between fit and predict: it has {words}.",
    }
    return texts[knob]


def remedy_of(knob: str, found: Identified, base: Variant, largest_variance: float) -> str:
    """Return what to write to agree with the reference."""
    if base != DEFAULT:
        return f"The reference has {words_of(knob, base)}."
    if knob == "smoothing":
        return _REMEDIES[knob].format(here=amount(1e-9 * largest_variance))
    is_nearest = knob == "form" and found.variant.form == "nearest mean"
    return _REMEDIES["nearest mean" if is_nearest else knob]


def _evidence_of(knob: str, found: Identified, explained: int, n_disagreements: int) -> str:
    """Return what speaks for a knob, in one sentence."""
    left = found.without[knob].largest_difference
    if explained:
        text = f"Undone alone, it gives the reference's label in {explained:,} of "
        text += plural(n_disagreements, "disagreement")
    elif left > 0.0:
        text = f"Without it, probabilities differ by up to {amount(left)}"
    elif n_disagreements:
        text = "It decides labels only together with what else is named"
    else:
        text = "It moves the parameters, not the answers"
    others = _same_knob(knob, found)
    return f"{text}; {' or '.join(others)} would do as well." if others else f"{text}."


def _same_knob(knob: str, found: Identified) -> list[str]:
    """Return two other positions of a knob that give the same answers, in words."""
    base = found.plain.variant if found.plain else found.variant
    given = words_of(knob, found.variant)
    words = {
        words_of(knob, other): None
        for other in found.equals
        if moved(other, base) == moved(found.variant, base)
        and _rule(knob, other) != _rule(knob, found.variant)
        and not (knob == "prior" and isinstance(other.prior, tuple))
    }
    # A relative amount that happens to do as well is no news beside an absolute one.
    alike = (text for text in words if text != given and ("×" in given or "×" not in text))
    return [*alike][:2]


def _rule(knob: str, variant: Variant) -> object:
    given = getattr(variant, knob, None)
    return getattr(given, "rule", given)
