"""What each knob's position means: one sentence, and what to write instead."""

from gnbbench.diagnosis.acceptance import Identified
from gnbbench.diagnosis.variants import DEFAULT, Variant, moved, words_of
from gnbbench.words import amount, listing, plural

_DENSITY = "np.exp(-((x - mean) ** 2) / (2 * var)) / np.sqrt(2 * np.pi * var)"
_LOG_DENSITY = "-0.5 * (np.log(2 * np.pi * var) + (x - mean) ** 2 / var)"
_SMOOTHING = "var = var + 1e-9 * X.var(axis=0).max()"
# Knob -> what makes it scikit-learn's, and the line that does so.
_REMEDIES: dict[str, str] = {
    "class order": "Keep labels and columns in the order of `np.unique(y)`.",
    "divisor": "Divide by n: `var = rows.var(axis=0)`, which is ddof=0.",
    "prior": "Add the logarithm of the class's share: `np.log(np.mean(y == c))`.",
    "space": f"Add logarithms and never take them of a density: `{_LOG_DENSITY}`.",
    "form": f"Write the density as `{_DENSITY}`, or its logarithm: `{_LOG_DENSITY}`.",
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
_TIES = {
    "first": "the first class gets such rows",
    "last": "the last class gets such rows",
    "appearance": "the class that comes first in the training rows gets such rows",
    "last to appear": "the class that comes last in the training rows gets such rows",
    "none": "such rows get no label",
}


def summary_of(knob: str, found: Identified) -> str:
    """Return what an implementation does with a knob, in one sentence."""
    variant, interval = found.variant, found.intervals.get(knob)
    if knob == "smoothing" and variant.smoothing is None:
        most = interval[1] if interval else 0.0
        below = f", or less than about {amount(most)}" if most else ""
        return f"It adds nothing to the variances{below}."
    if knob in ("smoothing", "floor"):
        what = words_of(knob, variant)
        uses = f"It adds {what.removeprefix('variance + ')} to every variance"
        if not what.startswith("variance + "):
            uses = f"It uses {what}"
        return f"{uses}{_anything(interval)}."
    if knob == "prior" and isinstance(variant.prior, tuple):
        shares = listing([amount(share) for share in variant.prior])
        return f"It uses the priors {shares} in every run."
    if knob == "space":
        return f"{_SPACES[variant.space]}; {_TIES[variant.ties]}."
    if knob == "form" and variant.form == "nearest mean":
        return (
            "It gives the label of the nearest class mean, which is Gaussian naive Bayes "
            "with equal variances and uniform priors."
        )
    texts = {
        "divisor": "It divides variances by n − 1 instead of n.",
        "prior": _PRIORS.get(str(variant.prior), "It uses other priors."),
        "form": f"It uses {words_of('form', variant)}.",
        "formula": f"It computes variances as {words_of('formula', variant)}, where digits "
        "cancel.",
        "dtype": "It computes in single precision.",
        "class order": f"It has {words_of('class order', variant)}.",
        "feature order": "It mixes up features between fit and predict: it has "
        f"{words_of('feature order', variant)}.",
    }
    return texts[knob]


def _anything(interval: tuple[float, float] | None) -> str:
    """Return which other amounts do as well; nothing where the amount is certain."""
    if interval is None or interval[1] <= 1.05 * interval[0]:
        return ""
    return f"; anything from {amount(interval[0])} to {amount(interval[1])} does the same"


def remedy_of(knob: str, found: Identified, base: Variant, largest_variance: float) -> str:
    """Return what to write to agree with the reference."""
    if base != DEFAULT:
        return f"The reference has {words_of(knob, base)}."
    if knob == "smoothing":
        return (
            "scikit-learn adds 1e-9 × the largest feature variance, here "
            f"{amount(1e-9 * largest_variance)}: `{_SMOOTHING}`."
        )
    if knob == "form" and found.variant.form == "nearest mean":
        return f"Use each class's variances and priors: `np.log(prior) + ({_LOG_DENSITY})`."
    return _REMEDIES[knob]


def evidence_of(knob: str, found: Identified, explained: int, n_disagreements: int) -> str:
    """Return what speaks for a knob, in one sentence."""
    if n_disagreements:
        text = f"Undone alone, it gives the reference's label in {explained:,} of "
        text += plural(n_disagreements, "disagreement")
    else:
        back = found.without[knob].reproduction
        text = "It moves the parameters, not the answers"
        if back.largest_difference > 0.0:
            text = "Without it, probabilities differ by up to "
            text += f"{amount(back.largest_difference)}"
    others = same_knob(knob, found)
    return f"{text}; {' or '.join(others)} would do as well." if others else f"{text}."


def same_knob(knob: str, found: Identified) -> list[str]:
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
