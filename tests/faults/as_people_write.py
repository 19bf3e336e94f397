"""Gaussian naive Bayes as people write and publish it, each with its truth.

The sources stand in `people/` as text: manners of interface and of formula, crossed. What
their labels must be is worked out by `plain_bayes.py` from the formula alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from faults.plain_bayes import Formula

PEOPLE = Path(__file__).with_name("people")
NO_PACKAGE: Mapping[str, str] = {}


@dataclass(frozen=True, eq=False)
class Person:
    """What somebody wrote, on which data it shows, and what a right answer may say."""

    source: str  # A file in `people/`, without its suffix; the file's name as well
    where: str  # A dataset on which it shows
    runs: int
    # How it computes; None where it is no Gaussian naive Bayes, or draws labels.
    formula: Formula | None
    # Causes that labels prove here, then those that are true and move few labels or none.
    shows: frozenset[str] = frozenset()
    may: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()  # What may be said in place of all these
    amount: tuple[float, float] | None = None  # Interval of what is added to variances
    told: tuple[str, ...] = ()  # Words of every adaptation that a user is told
    select: str = ""  # What follows the file's path on the command line
    fails_in: str = ""  # Its line that cannot run with today's Python or NumPy
    beside: Mapping[str, str] = field(default_factory=lambda: NO_PACKAGE)
    path: str = ""  # Below the folder, where it is not the source's name

    @property
    def text(self) -> str:
        return _text(self.source)

    def write(self, folder: Path) -> str:
        """Write it and what stands beside it; return what a user types."""
        path = self.path or f"{self.source}.py"
        for place, source in {path: self.source, **self.beside}.items():
            file = folder / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(_text(source) if source else "")
        return f"{folder / path}{self.select}"


def _text(source: str) -> str:
    return (PEOPLE / f"{source}.txt").read_text()


def causes(*names: str) -> frozenset[str]:
    return frozenset(names)


NOTHING = ("none", 0.0)
NO_SMOOTHING, RULE, PRIOR = "no-smoothing", "smoothing-rule", "prior"
DIVISOR, UNDERFLOW, FLOOR = "variance-divisor", "underflow", "density-floor"
NOT_GNB, CONSTANT, STATEFUL = "not-gnb", "constant", "stateful"
FORMULA, NEAREST_MEAN = "density-formula", "nearest-mean"

BY_ROW, ENCODED = "row by row", "encoded"


def _added(amount: float, rule: str = "added") -> tuple[str, float]:
    return rule, amount


# Right but for formulas; arrays in, labels out.
PLAIN = (
    Person(
        "log_of_pdf",
        "breast_cancer",
        8,
        Formula(smoothing=NOTHING, space="log of density"),
        causes(NO_SMOOTHING),
        causes(UNDERFLOW),
    ),
    Person(
        "pinv",
        "breast_cancer",
        8,
        Formula(ddof=1, smoothing=NOTHING),
        causes(NO_SMOOTHING),
        causes(DIVISOR),
    ),
    Person("multivariate", "wine", 4, Formula(smoothing=NOTHING)),
    Person(
        "counts_distinct_labels",
        "made",
        6,
        Formula(smoothing=_added(1e-6), prior="none"),
        causes(PRIOR),
        causes(RULE, NO_SMOOTHING),
        amount=(0.0, 1.1e-5),
    ),
    Person(
        "product_on_pixels",
        "digits",
        2,
        Formula(smoothing=_added(1e-2, "if zero"), space="product"),
        causes(RULE),
        causes(UNDERFLOW),
        amount=(8e-3, 1.25e-2),
    ),
    Person(
        "log_of_pdf_and_eps",
        "digits",
        2,
        Formula(smoothing=_added(1e-2), floor=1e-9),
        causes(RULE, FLOOR),
        amount=(8e-3, 1.25e-2),
    ),
    Person(
        "share_of_all_variance",
        "breast_cancer",
        8,
        Formula(smoothing=_added(1e-9, "all entries")),
        causes(RULE),
        amount=(3.5e-5, 7e-5),
    ),
)
# Other ways to fit and to predict.
INTERFACES = (
    Person(
        "fit_says_done",
        "digits",
        2,
        Formula(smoothing=_added(1e-9)),
        causes(RULE),
        amount=(8e-10, 1.25e-9),
    ),
    Person(
        "fit_returns_accuracy",
        "breast_cancer",
        6,
        Formula(smoothing=_added(1e-2)),
        causes(RULE),
        amount=(7e-3, 1.4e-2),
    ),
    Person(
        "fit_returns_parameters",
        "made",
        6,
        Formula(smoothing=_added(1e-3, "at least")),
        causes(RULE),
        amount=(7e-4, 1.4e-3),
    ),
    Person(
        "one_row_label",
        "made",
        6,
        Formula(smoothing=_added(1e-4), prior="none"),
        causes(PRIOR, RULE),
        amount=(5e-5, 2e-4),
        told=(BY_ROW,),
    ),
    Person(
        "one_row_scores",
        "breast_cancer",
        6,
        Formula(ddof=1, smoothing=NOTHING, prior="none", space="product"),
        causes(NO_SMOOTHING),
        causes(DIVISOR, PRIOR, UNDERFLOW),
        told=(BY_ROW, "largest"),
    ),
    Person(
        "labels_and_probabilities",
        "digits",
        2,
        Formula(smoothing=_added(1e-6), prior="add-one"),
        causes(RULE),
        causes(PRIOR),
        amount=(7e-7, 1.4e-6),
        told=("tuple|first of",),
    ),
    Person(
        "frame_of_densities",
        "made",
        6,
        Formula(smoothing=_added(1e-3)),
        causes(RULE),
        amount=(7e-4, 1.4e-3),
        told=("largest|argmax",),
    ),
    Person("table_of_probabilities", "made", 6, Formula(), told=("largest|argmax",)),
    Person(
        "train_and_classify",
        "breast_cancer",
        6,
        Formula(smoothing=_added(1e-10), prior="none"),
        causes(NO_SMOOTHING),
        causes(RULE, PRIOR),
        amount=(0.0, 1e-9),
        told=("train", "classify"),
    ),
    Person(
        "learn_and_decide",
        "breast_cancer",
        6,
        Formula(smoothing=_added(1e-3)),
        causes(RULE),
        amount=(6e-4, 1.7e-3),
        select="?fit=aprender&predict=decidir",
    ),
    Person(
        "data_in_constructor",
        "digits",
        2,
        Formula(smoothing=_added(1e-4, "in the density")),
        causes(RULE),
        amount=(1.2e-5, 1.3e-4),
        told=("constructor|__init__|is made with",),
    ),
    Person(
        "label_in_last_column",
        "made",
        6,
        Formula(ddof=1, smoothing=NOTHING, prior="none", space="product"),
        causes(PRIOR),
        causes(NO_SMOOTHING, DIVISOR, UNDERFLOW),
        told=("last column",),
    ),
    Person(
        "wants_frames",
        "made",
        20,
        Formula(ddof=1, smoothing=NOTHING),
        causes(DIVISOR),
        causes(NO_SMOOTHING),
        told=("DataFrame",),
    ),
    Person(
        "groupby_product",
        "breast_cancer",
        4,
        Formula(ddof=1, smoothing=NOTHING, space="product"),
        causes(NO_SMOOTHING),
        causes(DIVISOR, UNDERFLOW),
        told=("DataFrame",),
    ),
    Person(
        "wants_lists",
        "digits",
        1,
        Formula(smoothing=_added(1e-6, "if zero")),
        causes(RULE),
        amount=(5e-7, 2e-6),
        told=("list",),
    ),
    Person(
        "labels_are_places",
        "made",
        6,
        Formula(smoothing=NOTHING, prior="none"),
        causes(PRIOR),
        causes(NO_SMOOTHING),
        told=(ENCODED,),
    ),
    Person(
        "answers_with_places",
        "made",
        6,
        Formula(smoothing=_added(0.05, "deviation")),
        causes(RULE),
        amount=(0.04, 0.0625),
        told=(ENCODED,),
    ),
    Person(
        "column_of_answers",
        "breast_cancer",
        6,
        Formula(ddof=1, smoothing=NOTHING, prior="none"),
        causes(NO_SMOOTHING),
        causes(DIVISOR, PRIOR),
    ),
    Person(
        "labels_as_text",
        "breast_cancer",
        4,
        Formula(smoothing=_added(0.1)),
        causes(RULE),
        amount=(0.08, 0.125),
    ),
    Person(
        "label_after_scores",
        "breast_cancer",
        4,
        Formula(smoothing=_added(1e-2)),
        causes(RULE),
        amount=(7e-3, 1.4e-2),
        told=(BY_ROW,),
    ),
    Person(
        "label_and_confidence",
        "breast_cancer",
        4,
        Formula(smoothing=_added(1e-2)),
        causes(RULE),
        amount=(7e-3, 1.4e-2),
        told=("number of classes",),
    ),
    Person(
        "summaries_first",
        "breast_cancer",
        4,
        Formula(ddof=1, smoothing=NOTHING, space="product"),
        causes(NO_SMOOTHING),
        causes(DIVISOR, UNDERFLOW),
        told=(BY_ROW,),
    ),
    Person("wraps_sklearn", "made", 6, Formula(), told=("train",)),
    Person(
        "several_in_one_file",
        "made",
        6,
        Formula(ddof=1, smoothing=_added(1e-2)),
        causes(RULE),
        causes(DIVISOR),
        amount=(7e-3, 1.4e-2),
        select=":GaussianNB",
    ),
)
# Functions, scripts and files that need their folder.
SCRIPTS = (
    Person(
        "two_functions",
        "breast_cancer",
        4,
        Formula(ddof=1, smoothing=NOTHING, space="product"),
        causes(NO_SMOOTHING),
        causes(DIVISOR, UNDERFLOW),
        told=("summarize", BY_ROW),
    ),
    Person(
        "summaries_of_dataset",
        "breast_cancer",
        6,
        Formula(smoothing=_added(1e-6)),
        causes(RULE),
        causes(NO_SMOOTHING),
        amount=(0.0, 2e-6),
        told=("summarize_by_class", BY_ROW, "left out"),
    ),
    Person(
        "one_function",
        "digits",
        2,
        Formula(smoothing=_added(1e-3, "deviation")),
        causes(RULE),
        amount=(7e-4, 1.4e-3),
    ),
    Person(
        "train_and_test_functions",
        "made",
        20,
        Formula(ddof=1, smoothing=NOTHING),
        causes(DIVISOR),
        causes(NO_SMOOTHING),
        told=("naive_bayes_train", "naive_bayes_predict"),
    ),
    Person(
        "globals",
        "breast_cancer",
        6,
        Formula(smoothing=_added(1e-2)),
        causes(RULE),
        amount=(7e-3, 1.4e-2),
    ),
    Person(
        "script_at_the_end",
        "breast_cancer",
        6,
        Formula(smoothing=NOTHING, space="product"),
        causes(NO_SMOOTHING),
        causes(UNDERFLOW),
        told=("left out",),
    ),
    Person(
        "in_a_package",
        "made",
        6,
        Formula(),
        path="mlkit/bayes/gaussian.py",
        beside={
            "mlkit/__init__.py": "",
            "mlkit/bayes/__init__.py": "",
            "mlkit/base.py": "in_a_package_base",
        },
    ),
    Person(
        "beside_html",
        "breast_cancer",
        4,
        Formula(smoothing=_added(1.0)),
        causes(RULE),
        amount=(0.7, 1.4),
        path="demo/bayes.py",
        beside={
            "demo/html.py": "beside_html_html",
            "demo/random.py": "beside_html_random",
        },
    ),
)
# What cannot run: the error names the line.
BROKEN = (
    Person(
        "needs_a_package",
        "iris",
        2,
        None,
        fails_in="from progresstracker_not_on_pypi import Ticker",
        told=("progresstracker_not_on_pypi", "pip install"),
    ),
    Person(
        "old_float",
        "iris",
        2,
        None,
        fails_in="self.means = np.zeros((k, d), dtype=np.float)",
        told=(r"np\.float",),
    ),
    Person(
        "print_statement",
        "iris",
        2,
        None,
        fails_in='print "trained on %d samples" % len(X)',
        told=("Python 2",),
    ),
    Person(
        "iteritems",
        "iris",
        2,
        None,
        fails_in="for label, rows in groups.iteritems():",
        told=("Python 2",),
    ),
    Person(
        "ragged_rows",
        "breast_cancer",
        2,
        None,
        fails_in="self.blocks = np.array([X[y == l] for l in self.labels])",
        told=("NumPy",),
    ),
)
# Mistakes that leave the family, and what never belonged to it.
STRANGERS = (
    Person(
        "variance_for_deviation",
        "made",
        6,
        Formula(smoothing=NOTHING, mistake="variance for deviation"),
        causes(FORMULA),
        causes(NO_SMOOTHING),
        other=causes(NOT_GNB),
    ),
    Person(
        "forgotten_brackets",
        "wine",
        6,
        Formula(smoothing=NOTHING, mistake="x - mu/sigma"),
        causes(FORMULA),
        other=causes(NOT_GNB),
    ),
    Person(
        "never_reset",
        "iris",
        6,
        Formula(smoothing=_added(1e-9), mistake="never reset"),
        causes(NOT_GNB),
    ),
    Person(
        "predict_changes_variances",
        "breast_cancer",
        4,
        Formula(smoothing=_added(1e-3, "grows with each row")),
        causes(STATEFUL),
        causes(RULE),
        amount=(1e-3, 1.0),
    ),
    Person("draws_labels", "made", 4, None, causes(STATEFUL)),
    Person("coin", "iris", 4, None, causes(STATEFUL)),
    Person("one_label_for_all", "breast_cancer", 4, None, causes(CONSTANT)),
    Person("majority", "breast_cancer", 4, None, causes(CONSTANT)),
    # The first class met in training, which differs from run to run.
    Person("constant_of_run", "breast_cancer", 4, None, causes(CONSTANT)),
    Person("pooled", "breast_cancer", 4, None, causes(NOT_GNB)),
    # A Gaussian of one variance for all features and classes.
    Person(
        "nearest_mean",
        "breast_cancer",
        4,
        None,
        causes(NEAREST_MEAN),
        other=causes(RULE, PRIOR),
    ),
    Person("full_covariance", "wine", 6, None, causes(NOT_GNB)),
    Person("five_neighbours", "wine", 6, None, causes(NOT_GNB)),
    Person("one_split", "wine", 6, None, causes(NOT_GNB)),
)
PERSONS = (*PLAIN, *INTERFACES, *SCRIPTS, *BROKEN, *STRANGERS)
