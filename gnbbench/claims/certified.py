"""Means and standard deviations of samples for which NIST has certified them."""

import math

import numpy as np

from gnbbench.claims.claim import Reading
from gnbbench.claims.result import Measured
from gnbbench.conformance import certified_data as nist
from gnbbench.errors import UnknownNameError
from gnbbench.implementations import implementation

SAMPLES = {
    sample.name: sample
    for sample in (
        nist.LOTTERY,
        nist.MAVRO,
        nist.MICHELSO,
        nist.NUM_ACC_1,
        nist.NUM_ACC_2,
        nist.NUM_ACC_3,
        nist.NUM_ACC_4,
    )
}


def certified(reading: Reading, metric: str, name: str) -> Measured:
    """Return a parameter that an implementation learns from one sample, as one class."""
    if reading.dataset not in SAMPLES:
        raise UnknownNameError("certified sample", reading.dataset, SAMPLES)
    values = SAMPLES[reading.dataset].values
    n = len(values)
    model = implementation(name).make()
    model.fit(values[:, np.newaxis], np.zeros(n, dtype=np.int64))
    if metric == "mean":
        return Measured(reading, float(model.theta_[0, 0]))
    return Measured(reading, math.sqrt(float(model.var_[0, 0]) * n / (n - 1)))
