"""A variant of Gaussian naive Bayes: the position of each knob, and its cause."""

import math
import re
import tomllib
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

from gnbbench.words import amount, significant

# Table -> position of a knob -> its name.
WORDS: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("words.toml").read_text(encoding="utf-8")
)
SMOOTHING_RULES, FLOORS, FORMS = WORDS["smoothing"], WORDS["floor"], WORDS["form"]
POOLINGS = WORDS["pooling"]
VARIANCE_FORMULAS, NEGATIVES = WORDS["formula"], WORDS["negatives"]
SPACES, TIES = WORDS["space"], WORDS["ties"]
TIED_FIRST = (
    "log",
    "determinant",
    "softmax",
)  # Those where the first of equal classes wins
PRIOR_RULES = [
    rule for rule in WORDS["prior"] if rule not in ("shares", "with its label", "free")
]
# Rules of priors that take no logarithm of them.
UNLOGGED = ("not logged", "multiplied")
# By how much labels are off that are numbers, a class after the other.
SHIFTS = {"one too high": 1, "one too low": -1}
# The label of the worst class, and of the second best.
SMALLEST = "of the smallest score, not of the largest"
SECOND = "of the second largest score, not of the largest"
HALVES = ("means", "means and variances")
# A density up to this counts as none.
NONE = 1e-200
# Rule of smoothing in the density alone -> how much a unit adds to the variance in the
# normaliser and in the exponent.
IN_DENSITY = {
    rule: (0.5 / math.pi if first == "1/2π" else float(first), float(second))
    for rule, text in WORDS["in_density"].items()
    for first, second in [text.split()]
}
# Poolings with one mean for all features of a class.
ONE_MEAN = {key for key, cause in WORDS["cause_of"].items() if cause == "one-mean"}
# Form -> powers of the variance in the normaliser and in the exponent.
POWERS = {f: tuple(map(float, text.split())) for f, text in WORDS["powers"].items()}
# Form -> factor of 2 × variance, by which squared distances are divided.
DIVISORS = {
    "no half": 0.5,
    "half twice": 2.0,
    "no minus": -1.0,
    "π in the exponent": math.pi,
    "divided outside": 0.5,
}
# Form -> weight of the normaliser's logarithm.
WEIGHTS = {form: float(weight) for form, weight in WORDS["weights"].items()}
# Form -> features that are left out of all scores.
LEFT_OUT = {"last left out": slice(-1, None), "first left out": slice(1)}
# Forms with distances that are not squared.
UNSQUARED = ("no square", "no square, deviation")
# Form -> the class whose variances all exponents are made of.
EXPONENTS = {"first exponent": slice(1), "last exponent": slice(-1, None)}
SHIFTED_EXPONENTS = {"previous exponent": 1, "next exponent": -1}
# Form -> features without a normaliser; pooling -> the feature that stands for all.
WITHOUT_NORMALISER = {
    "normaliser of the first feature": slice(1, None),
    "normaliser of the last feature": slice(-1),
}
OF_ONE_FEATURE = {"first feature": slice(1), "last feature": slice(-1, None)}
# Rule of a floor under variances -> the rule of what its amount is a share of.
FLOORS_OF = {r: r.removeprefix("floor of ") for r in SMOOTHING_RULES if "floor of" in r}
# Form that holds densities at 1; rules of priors -> what is added to each class's rows.
AT_MOST_ONE, ADDED_TO_COUNTS = "at most one", {"add-one": 1.0, "add-two": 2.0}
# Rules whose amount may be the square of one for standard deviations.
OF_DEVIATIONS = ("floor", "zero")
# Rules whose amount is a share of variances and so has no unit.
RELATIVE = (
    *("largest", "largest deviation", "feature", "mean", "smallest", "sum", "all", "range"),
    *("class", "class mean", "any class"),
    *FLOORS_OF,
)
# Those that only probabilities tell from others, and only as powers of ten.
RARE_RULES = ("smallest", "sum", "all")
# Those that are a power of ten: on data of one scale others do the same.
WHOLE_POWERS = (*RARE_RULES, "largest deviation")


@dataclass(frozen=True)
class Amount:
    """A rule that takes a number: of smoothing, or of a floor under densities."""

    rule: str
    amount: float


@dataclass(frozen=True)
class Variant:
    """Which variant of each step an implementation takes; defaults are scikit-learn's."""

    dtype: Literal["float64", "float32"] = "float64"
    half: str = ""  # What is kept in half precision, one of `HALVES`
    formula: str = "two-pass"  # A key of `VARIANCE_FORMULAS`
    negatives: str = "kept"  # A key of `NEGATIVES`, for variances that cancel below zero
    # "n-1 throughout": also where the smoothing is relative to variances; "max(n-1, 1)":
    # also where a class has one row
    divisor: str = "n"
    smoothing: Amount | None = Amount("largest", 1e-9)  # By a key of `SMOOTHING_RULES`
    pooling: str = "by class"  # A key of `POOLINGS`: of what means and variances are
    form: str = "normal"  # A key of `FORMS`
    floor: Amount | None = None  # By a key of `FLOORS`
    space: str = "log"  # A key of `SPACES`
    ties: str = "first"  # One of `TIES`
    # A key of the words of priors or the priors themselves; "reordered" are the shares in
    # `prior_order`, "free" is whatever fits the answers best
    prior: str | tuple[float, ...] = "shares"
    # Class whose prior, label or probability column each class gets; or the order in which
    # classes are listed that get labels or columns in their own
    prior_order: tuple[int, ...] | None = None
    label_order: tuple[int, ...] | str | None = None
    column_order: tuple[int, ...] | str | None = None
    # Means or variances, and the order in which they alone are listed
    listed: tuple[str, str] | None = None
    # Feature of the sample that predict uses for each learned feature
    feature_order: tuple[int, ...] | None = None
    # Whether a score that is NaN counts as the largest, as in NumPy's argmax; None: it does
    # not, and the class that appears first gets rows without a score
    nan_wins: bool | None = True

    def changed(self, **changes: Any) -> "Variant":
        """Return a copy with other values of some fields, sooner than `replace` does."""
        copy = object.__new__(Variant)
        copy.__dict__.update(self.__dict__, **changes)
        copy.__dict__.pop("_hash", None)
        return copy

    def __hash__(self) -> int:
        """Return the hash of the fields, computed once: searches ask for it often."""
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            known = self.__dict__["_hash"] = hash(_VALUES(self))
        return known

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: another process has other hashes."""
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    @property
    def has_odd_prior(self) -> bool:
        """Whether priors are others than shares, equal ones and (count + 1) / (n + k)."""
        return self.prior not in _USUAL_PRIORS

    @property
    def is_general(self) -> bool:
        """Whether every knob could have the same position on other data."""
        orders = self.prior_order, self.label_order, self.column_order, self.feature_order
        return not any(isinstance(one, tuple) for one in (self.prior, *orders))

    @property
    def means(self) -> str:
        """The pooling, if that changes what means are of."""
        return self.pooling if self.pooling in ONE_MEAN else ""

    @property
    def is_in_density(self) -> bool:
        """Whether something is added in the density, not to variances that are kept."""
        return self.smoothing is not None and self.smoothing.rule in IN_DENSITY


_VALUES = attrgetter(*(field.name for field in fields(Variant)))
# Each knob is one idea and may be several fields; the order is that of Occam's razor:
# of two knobs that explain equally much, the earlier one is taken.
KNOBS: dict[str, tuple[str, ...]] = {
    "class order": ("label_order", "column_order", "listed"),
    "smoothing": ("smoothing",),
    "divisor": ("divisor",),
    "prior": ("prior", "prior_order"),
    "space": ("space", "ties"),
    "pooling": ("pooling",),
    "form": ("form",),
    "floor": ("floor",),
    "formula": ("formula", "negatives"),
    "dtype": ("dtype", "half"),
    "feature order": ("feature_order",),
}
# Extra complexity of a fitted number, and of each digit beyond its first.
FITTED, DIGIT = 0.5, 0.02
# Extra complexity of a rarer form, which must do better than the usual one.
RARER, LARGEST_STAND_IN = 0.125, 0.01
# A larger amount in a density replaces its variances rather than adding to them.
LARGEST_IN_DENSITY = 1.0
# Pairs of variants whose difference is cached: a search needs it again and again.
MOST_CACHED = 20_000
_RARE = {"n-1 throughout", "max(n-1, 1)", "multivariate", "determinant", "softmax"}
_USUAL_PRIORS = ("shares", "uniform", "add-one")
# Knobs that take a number.
AMOUNTS = ("smoothing", "floor")


# Knob -> its positions, each with its place among them.
_RANKS = {
    knob: {position: place for place, position in enumerate(WORDS[knob])}
    for knob in ("form", "pooling", *AMOUNTS)
}


@lru_cache(MOST_CACHED)
def moved(variant: Variant, base: Variant) -> tuple[str, ...]:
    """Return the knobs that differ between two variants."""
    return tuple(
        knob
        for knob, names in KNOBS.items()
        if any(getattr(variant, name) != getattr(base, name) for name in names)
    )


def restored(variant: Variant, base: Variant, *knobs: str) -> Variant:
    """Return the variant with these knobs switched back to those of `base`."""
    names = [name for knob in knobs for name in KNOBS[knob]]
    return variant.changed(**{name: getattr(base, name) for name in names})


def numbers_fitted(variant: Variant, knob: str) -> int:
    """Return how many fitted numbers a knob has, which labels alone must support."""
    if knob == "prior":
        return len(variant.prior) - 1 if isinstance(variant.prior, tuple) else 0
    if knob == "feature order":
        return 1
    return int(knob in AMOUNTS and getattr(variant, knob) is not None)


def is_fitted(variant: Variant) -> bool:
    """Return whether a knob that is moved has a fitted number."""
    return any(numbers_fitted(variant, knob) for knob in moved(variant, DEFAULT))


@lru_cache(MOST_CACHED)
def complexity(variant: Variant, base: Variant) -> float:
    """Return the number of knobs moved; one whose number was fitted counts for more."""
    knobs = moved(variant, base)
    total = len(knobs) + FITTED * sum(numbers_fitted(variant, knob) for knob in knobs)
    total += RARER * (variant.prior not in _USUAL_PRIORS)
    total += RARER * len(_RARE & {variant.divisor, variant.space})
    total += RARER * (variant.ties not in ("first", "appearance"))
    total += DIGIT / 4 * _RANKS["form"][variant.form]
    total += RARER * (variant.pooling != DEFAULT.pooling)
    total += DIGIT / 4 * _RANKS["pooling"][variant.pooling]
    total += FITTED * (variant.pooling in ONE_MEAN or variant.form in LEFT_OUT)
    for knob in AMOUNTS:
        position = getattr(variant, knob)
        if position not in (None, base.smoothing, base.floor):
            rank = _RANKS[knob][position.rule]
            total += DIGIT * digits(position.amount) + DIGIT / 4 * rank
            # An amount in place of zero variance is small.
            total += RARER * (
                position.rule == "zero" and position.amount > LARGEST_STAND_IN
            )
            total += position.rule in IN_DENSITY and position.amount > LARGEST_IN_DENSITY
    return total


def digits(number: float) -> float:
    """Return the length of a number as people write it; powers of ten are shortest."""
    for length in range(1, 17):
        text = f"{number:.{length - 1}e}"
        if float(text) == number:
            return length - 0.5 * (length == 1 and text[0] == "1")
    return 17.0


def is_noisy(variant: Variant) -> bool:
    """Return whether rounding is so large that another order of sums decides labels."""
    return variant.dtype != "float64" or variant.formula != "two-pass"


def cause_of(knob: str, variant: Variant) -> str:
    """Return the cause that a knob of a variant stands for."""
    if knob == "smoothing" and not variant.smoothing:
        return "no-smoothing"
    causes = WORDS["cause_of"]
    place = getattr(variant, knob) if knob in ("form", "pooling") else knob
    return causes.get(place, causes[knob])


def words_of(knob: str, variant: Variant) -> str:
    """Return the position of a knob, in words."""
    smoothing, floor = variant.smoothing, variant.floor
    if isinstance(variant.prior, tuple):
        prior = "priors " + ", ".join(significant(share) for share in variant.prior)
    elif variant.prior == "reordered":
        prior = f"priors swapped: shares in the order {_listed(variant.prior_order)}"
    else:
        prior = WORDS["prior"][variant.prior]
    words = {
        "class order": _order_words(variant),
        "smoothing": _smoothing_words(smoothing, variant.form)
        if smoothing
        else "nothing added to variances",
        "divisor": f"variances divided by {variant.divisor.replace('n-1', 'n − 1')}",
        "prior": prior,
        "space": SPACES[variant.space],
        "pooling": POOLINGS[variant.pooling],
        "form": FORMS[variant.form],
        "floor": FLOORS[floor.rule].format(amount(floor.amount)) if floor else "no floor",
        "formula": VARIANCE_FORMULAS[variant.formula] + NEGATIVES[variant.negatives],
        "dtype": f"{variant.half} in float16" if variant.half else variant.dtype,
        "feature order": f"features in the order {_listed(variant.feature_order)}",
    }
    return words[knob]


def _order_words(variant: Variant) -> str:
    """Return in which order labels and probability columns are."""
    if variant.label_order in SHIFTS:
        return f"labels that are {variant.label_order}"
    if variant.label_order in (SMALLEST, SECOND):
        return f"the label {variant.label_order}"
    if variant.listed:
        what, order = variant.listed
        others = "variances" if what == "means" else "means"
        text = f"{what} {WORDS['order'][order]}, but {others} and priors in that of "
        return text + "`np.unique(y)`"
    orders = {"labels": variant.label_order, "probability columns": variant.column_order}
    ruled = [what for what, order in orders.items() if isinstance(order, str)]
    turned = [
        f"{what} in the order {_listed(order)}"
        for what, order in orders.items()
        if isinstance(order, tuple)
    ]
    if ruled:
        order = WORDS["order"][str(variant.label_order or variant.column_order)]
        turned.append(
            f"probability columns {order}"
            if variant.label_order is None
            else f"scores {order}, but {' and '.join(ruled)} in that of `np.unique(y)`"
        )
    return ", ".join(turned) or "classes in order"


def _smoothing_words(smoothing: Amount, form: str) -> str:
    """Return the smoothing in words, with the factor of the density's form."""
    number = amount(smoothing.amount) if smoothing.amount > NONE else "0"
    usual = DEFAULT.smoothing
    if usual and smoothing.rule == usual.rule and number == amount(usual.amount):
        number = amount(smoothing.amount, 5)  # It is not the usual one
    root = amount(math.sqrt(smoothing.amount))
    text = SMOOTHING_RULES[smoothing.rule].format(number, root)
    factor = {"no half": "", "half twice": "4 × "}.get(form, "2 × ")
    return text.replace("2 × ", factor) if smoothing.rule in IN_DENSITY else text


def _listed(order: tuple[int, ...] | None) -> str:
    if order is None:
        return "given"
    shown = ", ".join(str(place) for place in order[:12])
    return f"({shown}{', …' if len(order) > 12 else ''})"


def describe(variant: Variant, base: Variant) -> str:
    """Return the knobs that differ from `base`, in words."""
    knobs = (words_of(knob, variant) for knob in moved(variant, base))
    return "; ".join(knobs) or "as the reference"


DEFAULT = Variant()


def without_logs(summary: str) -> str:
    """Return a sentence on lost densities of code that takes no logarithm."""
    words = WORDS["does_with_space"]
    summary = summary.replace(words["log of density"], words["either"])
    summary = summary.replace(SPACES["log of density"], "densities that underflow to zero")
    return re.sub(r"\blog\((density[^()]*|max\([^()]*\))\)", r"\1", summary)
