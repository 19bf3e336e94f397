"""Train/test splits of the samples of a study."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import Array, BoolArray, FloatArray
from gnbbench.errors import DatasetError, OptionError

DEFAULT_SEED = 42
DEFAULT_TEST_SIZE = 0.3
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True)
class Sample:
    """The arrays that every run splits."""

    X: FloatArray  # (n_samples, n_features)
    y: Array  # (n_samples,): Labels as passed to the implementations
    classes: Array  # (n_classes,): The distinct labels, sorted
    codes: NDArray[np.intp]  # Position of each label among the classes
    name: str = "data"  # Name of the data in messages


def sample_of(dataset: Any) -> Sample:
    """Return the arrays of a dataset."""
    return Sample(dataset.X, dataset.y, dataset.classes, dataset.codes, dataset.name)


@dataclass(frozen=True, eq=False)
class Split:
    """The training and test rows of a run."""

    run: int  # Number of the run, from 0
    train: NDArray[np.int64]  # Row indices, in scikit-learn's order
    test: NDArray[np.int64]  # Row indices, in scikit-learn's order


def split(y: NDArray[Any], run: int, **options: Any) -> Split:
    """Return the split of one run, equal to one line of scikit-learn.

    It is ``train_test_split(np.arange(len(y)), test_size=test_size,
    train_size=train_size, random_state=seed + run, stratify=y or None)``. Codes that
    preserve the order of the labels give the same split as the labels; others do
    not. The options are those of `splits`.
    """
    return splits(y, [run], **options)[0]


def splits(
    y: NDArray[Any],
    runs: Sequence[int],
    *,
    seed: int = DEFAULT_SEED,
    test_size: float | int | None = None,
    train_size: float | int | None = None,
    stratify: bool = True,
    has_option: bool = True,
    name: str = "data",
    classes: NDArray[Any] | None = None,
) -> list[Split]:
    """Return the splits of several runs, five times as fast as `split`.

    Errors advise --no-stratify only where there is that option.
    """
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    if test_size is None and train_size is None:
        test_size = DEFAULT_TEST_SIZE
    _refuse_no_size("--test-size", test_size)
    _refuse_no_size("--train-fractions", train_size)
    for run in runs:
        if min(seed, run) < 0 or seed + run > LARGEST_SEED:
            what = f"seed {seed} + run {run} is not within 0 and {LARGEST_SEED}"
            raise OptionError("--seed", what, "Give a smaller one, from 0.")
    # As train_test_split does internally. One splitter draws all splits from a generator
    # that is reseeded before each, which avoids validating `y` every time.
    generator = np.random.RandomState()
    splitter = StratifiedShuffleSplit if stratify else ShuffleSplit
    shuffled = splitter(
        n_splits=len(runs),
        test_size=test_size,
        train_size=train_size,
        random_state=generator,
    ).split(np.zeros(len(y)), y)
    cuts = []
    try:
        for run in runs:
            generator.seed(seed + run)
            cuts.append(Split(run, *next(shuffled)))
    except ValueError as error:
        if stratify:
            _refuse_small_class(y, name, classes, has_option=has_option)
        option, size = "--train-fractions", train_size
        if train_size is None:
            option, size = "--test-size", test_size
        of_data = "" if has_option else name
        raise _unusable(option, size, y, str(error), of_data=of_data) from error
    return cuts


_ADVICE = "Leave small classes out, or add samples."  # Without --no-stratify


def _unusable(
    option: str, size: float | int | None, y: NDArray[Any], reason: str, *, of_data: str
) -> OptionError | DatasetError:
    """Return the error for an unusable size, by scikit-learn's reason.

    It is one of the data of this name if small classes can only be left out.
    """
    what = f"{size} is too large for {len(y)} samples"
    remedy = "Give another size, or more samples."
    if "number of classes" in reason:
        n_classes = len(np.unique(y))
        what = f"{size} of {len(y):,} samples: one side cannot hold {n_classes} classes"
        if of_data:
            return DatasetError(of_data, what, _ADVICE)
        remedy = "Give another size, or more samples, or --no-stratify."
    elif "empty" in reason:
        what = f"{size} of {len(y):,} samples: one side is empty"
    return OptionError(option, what, remedy)


def _refuse_small_class(
    y: NDArray[Any], name: str, classes: NDArray[Any] | None, *, has_option: bool
) -> None:
    """Raise if a class has a single sample; show its label instead of its code."""
    labels, counts = np.unique(y, return_counts=True)
    if counts.min(initial=2) < 2:
        label = labels[counts.argmin()]
        text = str(label if classes is None else classes[label])
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        what = f"class {shown!r} has one sample, too few for a stratified split"
        remedy = "Give --no-stratify, or leave that sample out."
        raise DatasetError(name, what, remedy if has_option else _ADVICE)


def _refuse_no_size(option: str, size: float | int | None) -> None:
    """Raise if this is neither a fraction nor a number of samples."""
    whole = isinstance(size, int | np.integer)
    if size is not None and not (size >= 1 if whole else 0 < size < 1):
        remedy = "Give a fraction such as 0.3, or a number of samples."
        raise OptionError(option, f"{size} is not between 0 and 1", remedy)


@dataclass(frozen=True)
class SplitRule:
    """A rule that splits the samples in every run."""

    seed: int  # Run r uses the random state seed + r
    # Fraction of the samples on that side; exactly one is set
    test_size: float | None = None
    train_size: float | None = None
    stratify: bool = True  # Whether both sides keep the class proportions
    has_option: bool = True  # Whether --no-stratify can be given

    def cut(self, sample: Sample, run: int) -> Split:
        """Return the split of one run."""
        return self.cuts(sample, [run])[0]

    def cuts(self, sample: Sample, runs: Sequence[int]) -> list[Split]:
        """Return the splits of several runs."""
        named = {"name": sample.name, "classes": sample.classes, **vars(self)}
        return splits(sample.codes, runs, **named)


# From splitmix64 (Steele, Lea and Flood 2014, figure 17): the golden ratio in 64 bits, and
# the finalising multipliers of Stafford's variant 13.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


@dataclass(frozen=True)
class SideRule:
    """A rule that splits the rows of a stream into training and test rows.

    A row is for training if a hash of the seed and its number is below a bound. The
    division into blocks or files has no influence, and no row needs to be stored.
    """

    seed: int  # From 0 to 2**64 - 1
    test_size: float  # Expected fraction of test rows, between 0 and 1

    def of_run(self, run: int) -> "SideRule":
        """Return the rule of a run."""
        return replace(self, seed=self.seed + run)

    def train_mask(self, first_row: int, n_rows: int) -> BoolArray:
        """Return a mask of the training rows among consecutive rows."""
        rows = np.arange(first_row, first_row + n_rows, dtype=np.uint64)
        # A fraction above 1 - 2**-64 does not fit.
        bound = min(round((1.0 - self.test_size) * 2.0**64), 2**64 - 1)
        return row_hashes(rows, self.seed) < np.uint64(bound)


def row_hashes(rows: NDArray[np.uint64], seed: int) -> NDArray[np.uint64]:
    """Return a 64-bit hash per row: element `row` of splitmix64's sequence from a seed.

    The sequence starts at the mixed seed, so that the sequences of consecutive seeds are
    not shifted copies of each other.
    """
    start = _mixed(np.array([seed], dtype=np.uint64))
    return _mixed(start + (rows + np.uint64(1)) * _GOLDEN)


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the values with their bits mixed."""
    mixed = (values ^ (values >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    return mixed ^ (mixed >> np.uint64(31))
