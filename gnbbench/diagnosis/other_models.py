"""Models beside the textbook's: full covariances, other estimates, other densities."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import product
from math import lgamma
from typing import Any

import numpy as np

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis.findings import COVARIANCES, ESTIMATES, FORM
from gnbbench.diagnosis.moments import Batch, TrainedRun
from gnbbench.diagnosis.observations import UNSEEN
from gnbbench.words import plural

Groups = Sequence[FloatArray]  # The samples of each class, (n, n_features)
# Of the samples of a class: its centre; and of these, its centre and the numbers of samples
# of all classes, squares of deviations.
Centre = Callable[[FloatArray], Any]
Spread = Callable[[FloatArray, FloatArray, Sequence[int]], Any]
Estimates = tuple[Centre, Spread]
Matrices = tuple[Callable[[Groups], FloatArray], float, float]  # With ridge and weight
# Variances and the samples of each class -> smoothed variances.
Smooth = Callable[[FloatArray, Groups], FloatArray]
RIDGES = (0.0, *(10.0**n for n in range(-9, 2)))
LOSSES = ("determinants", "densities")  # What underflows, these with their determinants
SAME_PRIOR = "the same prior for all classes"


@dataclass(frozen=True, eq=False)
class Model:
    """A model, the cause it stands for, and what it does in words; none for the usual."""

    cause: str
    words: tuple[str, ...]
    log_densities: Callable[..., FloatArray]  # Of the samples of each class, and of others
    has_prior: bool = True
    has_variances: bool = True  # Which may be smoothed
    ridge: float = 0.0  # What is added on the diagonals of covariance matrices

    def with_one_prior(self) -> "Model":
        """Return the model with the same prior for all classes."""
        return replace(self, words=(*self.words, SAME_PRIOR), has_prior=False)

    def labels(self, densities: FloatArray, groups: Groups) -> CodeArray:
        """Return the class codes that score best."""
        sizes = np.array([len(rows) for rows in groups])
        joint = densities + np.log(sizes / sizes.sum()) if self.has_prior else densities
        return np.asarray(joint.argmax(axis=1))

    def of_run(self, run: TrainedRun) -> CodeArray:
        """Return the labels of a run, none if a class is absent or a matrix singular."""
        groups = [run.X_train[run.codes == code] for code in range(run.n_classes)]
        if all(map(len, groups)):
            with np.errstate(all="ignore"), suppress(np.linalg.LinAlgError):
                return self.labels(self.log_densities(groups, run.X_test), groups)
        return np.full(len(run.X_test), UNSEEN)

    def varied(self) -> "Iterator[Model]":
        """Yield the model with what samples may be too few to show: amounts, underflow."""
        name, ways = ("smooth", SMOOTHINGS) if self.has_variances else ("lost", LOSSES)
        for way in ways:
            log_densities = partial(self.log_densities, **{name: way})
            yield replace(self, log_densities=log_densities)

    def of_runs(self, batch: Batch) -> CodeArray:
        """Return the labels of all runs."""
        return np.concatenate([self.of_run(run) for run in batch.runs])


@cache
def other_models() -> tuple[Model, ...]:
    """Return all models; the one without words is the usual one."""
    return (*_correlated(), *_estimated(), *_students())


def _correlated() -> Iterator[Model]:
    """Yield models with full covariance matrices, with and without a ridge."""
    for (words, matrices, weight), lost, ridge in product(MATRICES, (0, 1), RIDGES):
        of = partial(matrices, lost=lost)
        log_densities = partial(_with_covariances, (of, ridge, weight))
        yield Model(COVARIANCES, (words,), log_densities, has_variances=False, ridge=ridge)


def _of_each(groups: Groups, lost: int) -> FloatArray:
    return np.stack([np.cov(rows.T, ddof=lost) for rows in groups])


def _mean_of_each(groups: Groups, lost: int) -> FloatArray:
    return np.asarray(_of_each(groups, lost).mean(axis=0))


def _within(groups: Groups, lost: int) -> FloatArray:
    """Return the covariances about the means of classes; `lost`: divided by n - K."""
    scatter = sum(len(rows) * np.cov(rows.T, bias=True) for rows in groups)
    n = sum(map(len, groups)) - lost * len(groups)
    return np.asarray(scatter / n)


def _of_all(groups: Groups, lost: int) -> FloatArray:
    return np.asarray(np.cov(np.concatenate(groups).T, ddof=lost))


# Whose covariances, in words, the matrices, with so many degrees of freedom lost, and the
# part of the logarithms of their determinants; common ones change no label.
MATRICES = (
    ("for each class", _of_each, 0.5),
    ("for each class without its determinant", _of_each, 0.0),
    ("for all classes together", _within, 0.0),
    ("for all classes together", _of_all, 0.0),
    ("for all classes together", _mean_of_each, 0.0),
)


def _with_covariances(
    matrices: Matrices, groups: Groups, X: FloatArray, lost: str = ""
) -> FloatArray:
    of, ridge, weight = matrices
    gaps = X[:, np.newaxis] - np.stack([rows.mean(axis=0) for rows in groups])
    full = np.zeros((len(groups), 1, 1)) + of(groups) + ridge * np.eye(X.shape[1])
    squared = ((gaps.swapaxes(0, 1) @ np.linalg.inv(full)).swapaxes(0, 1) * gaps).sum(-1)
    spread = np.log(np.linalg.det(full)) if lost else np.linalg.slogdet(full)[1]
    density = np.log(np.exp(-0.5 * squared)) if lost == "densities" else -0.5 * squared
    return np.asarray(density - weight * spread if weight else density)


def _trimmed(rows: FloatArray, percent: int) -> FloatArray:
    """Return means without so many of the smallest and of the largest numbers."""
    n = percent * len(rows) // 100
    return np.asarray(np.sort(rows, axis=0)[n : len(rows) - n].mean(axis=0))


def _rounded(of: Callable[..., Any], digits: int, power: int = 1) -> Callable[..., Any]:
    """Return a function that takes the power of a rounded estimate."""
    return lambda rows, *_: of(rows, axis=0).round(digits) ** power


def _off(rows: FloatArray) -> FloatArray:
    """Return median distances from the medians."""
    return np.asarray(np.median(np.abs(rows - np.median(rows, axis=0)), axis=0))


def _about(lost: int, rows: FloatArray, centre: FloatArray, _: Any) -> FloatArray:
    return np.asarray(((rows - centre) ** 2).sum(axis=0) / (len(rows) - lost))


# Estimates in words; usual ones have none.
CENTRES: dict[str, Centre] = {
    "": lambda rows: rows.mean(axis=0),
    "medians for means": lambda rows: np.median(rows, axis=0),
    "sums divided by n − 1 for means": lambda r: r.sum(axis=0) / (len(r) - 1),
    "means rounded down": lambda rows: np.floor(rows.mean(axis=0)),
    **{
        f"means without the {n} % smallest and largest numbers": partial(
            _trimmed, percent=n
        )
        for n in (5, 10, 20, 25)
    },
    **{f"means rounded to {plural(n, 'decimal')}": _rounded(np.mean, n) for n in range(2)},
}
SPREADS: dict[str, Spread] = {
    "": lambda rows, *_: rows.var(axis=0),
    "squared median distances for variances": lambda rows, *_: _off(rows) ** 2,
    "squares of 1.4826 × median distances for variances": (
        lambda rows, *_: (1.4826 * _off(rows)) ** 2
    ),
    "squared mean distances for variances": (
        lambda rows, centre, _: np.abs(rows - centre).mean(axis=0) ** 2
    ),
    "variances divided by n − the number of classes": (
        lambda rows, _, sizes: rows.var(axis=0) * len(rows) / (len(rows) - len(sizes))
    ),
    "variances divided by the number of all samples": (
        lambda rows, _, sizes: rows.var(axis=0) * len(rows) / sum(sizes)
    ),
    "squared quarters of ranges for variances": lambda r, *_: (np.ptp(r, axis=0) / 4) ** 2,
    **{
        f"variances rounded to {plural(n, 'decimal')}": _rounded(np.var, n)
        for n in range(2)
    },
    **{
        f"deviations rounded to {plural(n, 'decimal')}": _rounded(np.std, n, 2)
        for n in range(2)
    },
}
# Variances beside the usual ones that go with another centre, which no words tell apart.
ABOUT_OTHERS: tuple[Spread, ...] = (
    lambda rows, *_: rows.var(axis=0, ddof=1),
    partial(_about, 0),
    partial(_about, 1),
)


def _estimated() -> Iterator[Model]:
    """Yield models with other estimates, and with a Laplace density of them."""
    for (of_centres, centre), (of_spreads, spread) in product(
        CENTRES.items(), SPREADS.items()
    ):
        words = tuple(filter(None, (of_centres, of_spreads)))
        others = ABOUT_OTHERS if of_centres and not of_spreads else ()
        for of in (spread, *others):
            yield Model(ESTIMATES, words, partial(_normal, (centre, of)))
            for share in (0.5, 1.0):
                log_densities = partial(_laplace, (centre, of), share)
                yield Model(FORM, ("the Laplace density", *words), log_densities)


def _added(amount: float, var: FloatArray, _: Groups) -> FloatArray:
    return var + amount


def _added_to_deviations(amount: float, var: FloatArray, _: Groups) -> FloatArray:
    return np.asarray((np.sqrt(var) + amount) ** 2)


def _share_added(var: FloatArray, groups: Groups) -> FloatArray:
    """Add scikit-learn's amount."""
    return np.asarray(var + 1e-9 * np.concatenate(groups).var(axis=0).max())


_AMOUNTS = (1e-12, 1e-10, 1e-9, 1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2)
UNSMOOTHED: Smooth = partial(_added, 0.0)
SMOOTHINGS: tuple[Smooth, ...] = (
    _share_added,
    *(partial(of, a) for of in (_added, _added_to_deviations) for a in _AMOUNTS),
)


def _gaps_and_squares(
    of: Estimates, groups: Groups, X: FloatArray, smooth: Smooth
) -> tuple[FloatArray, FloatArray]:
    """Return distances from the centres, and the squares of deviations of each class."""
    centre, spread = of
    centres = np.stack([centre(rows) for rows in groups])
    pairs = zip(groups, centres, strict=True)
    sizes = [len(rows) for rows in groups]
    squares = np.stack([spread(rows, middle, sizes) for rows, middle in pairs])
    return X[:, np.newaxis] - centres, smooth(squares, groups)


def _normal(
    of: Estimates, groups: Groups, X: FloatArray, smooth: Smooth = UNSMOOTHED
) -> FloatArray:
    gaps, var = _gaps_and_squares(of, groups, X, smooth)
    return np.asarray(-0.5 * (np.log(var) + gaps**2 / var).sum(axis=-1))


def _laplace(
    of: Estimates, share: float, groups: Groups, X: FloatArray, smooth: Smooth = UNSMOOTHED
) -> FloatArray:
    gaps, var = _gaps_and_squares(of, groups, X, smooth)
    scale = np.sqrt(share * var)
    return np.asarray(-(np.log(scale) + np.abs(gaps) / scale).sum(axis=-1))


# Of the numbers of samples: factors of the variances, the last that of a posterior
# predictive, and degrees of freedom.
FACTORS: tuple[Callable[[FloatArray], Any], ...] = (
    np.ones_like,
    lambda n: n / (n - 1.0),
    lambda n: (n + 1.0) / (n - 1.0),
)
DEGREES: tuple[Callable[[FloatArray], FloatArray], ...] = (
    np.ones_like,
    lambda n: n - 1.0,
    lambda n: n,
)


def _students() -> Iterator[Model]:
    """Yield models with Student's t density, with one degree of freedom or nearly n."""
    for pair in product(FACTORS, DEGREES):
        yield Model(FORM, ("Student's t density",), partial(_student, *pair))


def _student(
    factor: Callable[[FloatArray], Any],
    degrees_of: Callable[[FloatArray], FloatArray],
    groups: Groups,
    X: FloatArray,
    smooth: Smooth = UNSMOOTHED,
) -> FloatArray:
    n = np.array([float(len(rows)) for rows in groups])[:, np.newaxis]
    gaps, var = _gaps_and_squares((CENTRES[""], SPREADS[""]), groups, X, smooth)
    degrees, of = degrees_of(n), np.vectorize(lgamma)
    scale = degrees * factor(n) * var
    logs = of((degrees + 1) / 2) - of(degrees / 2) - 0.5 * np.log(scale)
    joint = logs - (degrees + 1) / 2 * np.log1p(gaps**2 / scale)
    return np.asarray(joint.sum(axis=-1))


@cache
def counting_models() -> tuple[Model, ...]:
    """Return models of counts and of zeros."""
    kinds = {
        "the multinomial distribution": _multinomial,
        "the Bernoulli distribution": _bernoulli,
    }
    return tuple(
        Model(FORM, (words,), partial(of, added), has_prior, has_variances=False)
        for added, (words, of), has_prior in product(ADDED, kinds.items(), (True, False))
    )


ADDED = (1.0, 1e-9, 0.01, 0.1, 0.5)  # To counts


def _multinomial(added: float, groups: Groups, X: FloatArray) -> FloatArray:
    sums = np.stack([rows.sum(axis=0) for rows in groups]) + added
    return np.asarray(X @ np.log(sums / sums.sum(axis=1, keepdims=True)).T)


def _bernoulli(added: float, groups: Groups, X: FloatArray) -> FloatArray:
    counts = np.stack([(rows > 0).sum(axis=0) for rows in groups]) + added
    sizes = np.array([len(rows) for rows in groups])[:, np.newaxis]
    share = counts / (sizes + 2.0 * added)
    return np.asarray((X > 0) @ np.log(share).T + (X <= 0) @ np.log1p(-share).T)
