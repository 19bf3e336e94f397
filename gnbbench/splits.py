"""Which samples a run trains on and which it tests on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.errors import DatasetError, OptionError

DEFAULT_SEED = 42
DEFAULT_TEST_SIZE = 0.3
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True, eq=False)
class Split:
    """The two sides of one run."""

    run: int  # Number of the run, from 0
    train: NDArray[np.int64]  # Indices of samples, in the order scikit-learn gives them
    test: NDArray[np.int64]  # Indices of samples, in the order scikit-learn gives them


def split(y: NDArray[Any], run: int, **options: Any) -> Split:
    """Return the split that one line of scikit-learn gives for that run.

    It is ``train_test_split(np.arange(len(y)), test_size=test_size,
    train_size=train_size, random_state=seed + run, stratify=y or None)``. Codes that
    keep the order of the labels give the same split as the labels; another order does
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
    name: str = "data",
    classes: NDArray[Any] | None = None,
) -> list[Split]:
    """The splits of several runs, each as `split` gives it, in a fifth of the time."""
    from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

    if test_size is None and train_size is None:
        test_size = DEFAULT_TEST_SIZE
    _refuse_no_size("--test-size", test_size)
    _refuse_no_size("--train-fractions", train_size)
    for run in runs:
        if min(seed, run) < 0 or seed + run > LARGEST_SEED:
            what = f"seed {seed} + run {run} is not within 0 and {LARGEST_SEED}"
            raise OptionError("--seed", what, "Give a smaller one, from 0.")
    # What train_test_split does inside. One splitter draws all splits from one generator,
    # seeded anew before each: as many calls would do, without checking `y` every time.
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
            _refuse_small_class(y, name, classes)
        if train_size is None:
            raise _unusable("--test-size", test_size, y, str(error)) from error
        raise _unusable("--train-fractions", train_size, y, str(error)) from error
    return cuts


def _unusable(
    option: str, size: float | int | None, y: NDArray[Any], reason: str
) -> OptionError:
    """Return what is wrong with a size, for the reason that scikit-learn gives."""
    what = f"{size} is too large for {len(y)} samples"
    remedy = "Give another size, or more samples."
    if "number of classes" in reason:
        n_classes = len(np.unique(y))
        what = f"{size} of {len(y)} samples: one side cannot hold {n_classes} classes"
        remedy = "Give another size, or more samples, or --no-stratify."
    elif "empty" in reason:
        what = f"{size} of {len(y)} samples: one side is empty"
    return OptionError(option, what, remedy)


def _refuse_small_class(y: NDArray[Any], name: str, classes: NDArray[Any] | None) -> None:
    """Raise where a class has one sample; codes are shown as the labels they stand for."""
    labels, counts = np.unique(y, return_counts=True)
    if counts.min(initial=2) < 2:
        label = labels[counts.argmin()]
        text = str(label if classes is None else classes[label])
        shown = text if len(text) <= 40 else f"{text[:40]}…"
        what = f"class {shown!r} has one sample, too few for a stratified split"
        raise DatasetError(name, what, "Give --no-stratify, or leave that sample out.")


def _refuse_no_size(option: str, size: float | int | None) -> None:
    """Raise if this is neither a share nor a number of samples."""
    whole = isinstance(size, int | np.integer)
    if size is not None and not (size >= 1 if whole else 0 < size < 1):
        remedy = "Give a share such as 0.3, or a number of samples."
        raise OptionError(option, f"{size} is not between 0 and 1", remedy)
