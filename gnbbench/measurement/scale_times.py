"""Times of fit and predict at one point of a grid, beside one read of the samples."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.measurement.operations import ImplementationTimings
from gnbbench.measurement.rounds import Call, CallFailedError, Preparation
from gnbbench.measurement.scale_samples import scale_samples
from gnbbench.measurement.timing import TimingPlan, Timings, measure_prepared
from gnbbench.records import NULL_COMPETITOR, READ_COMPETITOR


def time_point(
    makers: Mapping[str, Callable[[], Any]],
    sizes: tuple[int, int, int],
    seed: int,
    *,
    reference: str,
    plan: TimingPlan,
) -> ImplementationTimings:
    """Return the times of fit and predict of all, and of one read of the samples.

    The read takes the largest of all values of X: whatever looks at every value takes at
    least as long on one thread.
    """
    samples = scale_samples(*sizes, seed=seed)
    X, y, X_test = samples.X_train, samples.y_train, samples.X_test
    skipped: dict[str, str] = {}
    models = _models(makers, X, y, skipped)
    sound = partial(_sound, reference=reference, plan=plan, skipped=skipped)
    fits = {name: partial(_fit, makers[name], X, y) for name in models}
    timed = {"fit": sound("fit", fits, X)}
    predicts = {
        name: partial(partial, model.predict, X_test)
        for name, model in models.items()
        if name not in skipped
    }
    timed["predict"] = sound("predict", predicts, X_test)
    found = {name: one for name, one in timed.items() if one is not None}
    return ImplementationTimings(found, skipped, plan)


def _models(
    makers: Mapping[str, Callable[[], Any]],
    X: NDArray[np.float64],
    y: NDArray[np.int64],
    skipped: dict[str, str],
) -> dict[str, Any]:
    """Return a fitted model of each; libraries are loaded with them, outside of times."""
    models = {}
    for name, make in makers.items():
        try:
            model = make()
            fitted = model.fit(X, y)
        except Exception as error:  # noqa: BLE001  foreign code may raise anything
            skipped[name] = f"fit {CallFailedError(name, error).reason}"
        else:
            models[name] = model if fitted is None else fitted
    return models


def _fit(make: Callable[[], Any], X: NDArray[Any], y: NDArray[Any]) -> Call:
    """Return the fit of a fresh estimator, not yet called."""
    return partial(make().fit, X, y)


def _sound(
    operation: str,
    calls: Mapping[str, Preparation],
    X: NDArray[np.float64],
    *,
    reference: str,
    plan: TimingPlan,
    skipped: dict[str, str],
) -> Timings | None:
    """Return the times of those that do not raise, and of the read, if there are any."""
    left = {name: call for name, call in calls.items() if name not in skipped}
    if not left:
        return None
    present = reference if reference in left else None
    try:
        competitors: dict[str, Preparation] = {
            **left,
            READ_COMPETITOR: partial(_reading, X),
        }
        return measure_prepared(competitors, plan, reference=present)
    except CallFailedError as error:
        failed = reference if error.name == NULL_COMPETITOR else error.name
        skipped[failed] = f"{operation} {error.reason}"
    return _sound(operation, left, X, reference=reference, plan=plan, skipped=skipped)


def _reading(X: NDArray[np.float64]) -> Call:
    """Return the call that looks once at every value."""
    return X.max
