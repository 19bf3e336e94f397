"""Times of fit, as this machine has them."""

from functools import partial

import numpy as np

from gnbbench.claims.claim import Reading
from gnbbench.claims.result import Measured
from gnbbench.claims.rules import rules_of
from gnbbench.claims.samples import dataset_of
from gnbbench.implementations import Implementation, implementation
from gnbbench.measurement.rounds import Call
from gnbbench.measurement.sample import Sample
from gnbbench.measurement.timing import TimingPlan, Timings, measure_prepared
from gnbbench.records import NULL_COMPETITOR
from gnbbench.statistics.ratios import log_ratios, paired_ratio
from gnbbench.studies.steps import sample_of

REFERENCE = "sklearn"
CENTRAL = (0.025, 0.975)


class FitTimes:
    """Times of fit beside scikit-learn's, each pair measured once."""

    def __init__(self, plan: TimingPlan | None = None) -> None:
        self._plan = plan or TimingPlan()
        self._found: dict[tuple[Reading, str], Timings] = {}

    def seconds(self, reading: Reading, name: str) -> Measured:
        """Return the mean time of a call, with its spread and the central 95 % of calls."""
        timings = self._timings(reading, name)
        own = timings.seconds[:, timings.names.index(name)]
        low, high = np.quantile(own, CENTRAL)
        return Measured(
            reading,
            float(own.mean()),
            low=float(low),
            high=float(high),
            spread=float(own.std(ddof=1)),
            message=f"{len(own)} calls, 95 % of them from {low:.6f} to {high:.6f} s",
        )

    def ratio(self, reading: Reading, name: str) -> Measured:
        """The median ratio to scikit-learn's time, paired, with its 95 % interval."""
        timings = self._timings(reading, name)
        column = {each: timings.seconds[:, i] for i, each in enumerate(timings.names)}
        found = paired_ratio(log_ratios(column[name], column[REFERENCE]))
        floor = paired_ratio(log_ratios(column[NULL_COMPETITOR], column[REFERENCE]))
        told = (
            f"median of paired ratios, 95 % interval {found.low:.3f} to {found.high:.3f}; "
            f"sklearn against itself {floor.low:.3f} to {floor.high:.3f}"
        )
        return Measured(reading, found.ratio, low=found.low, high=found.high, message=told)

    def _timings(self, reading: Reading, name: str) -> Timings:
        key = (reading, name)
        if name == REFERENCE:
            # Its times stand beside another's already, where one was asked for.
            key = next((one for one in self._found if one[0] == reading), key)
        if key not in self._found:
            self._found[key] = _timed(reading, name, self._plan)
        return self._found[key]


def _timed(reading: Reading, name: str, plan: TimingPlan) -> Timings:
    sample = sample_of(dataset_of(reading))
    train = rules_of(reading)[0].cut(sample, 0).train
    own = Sample(sample.X[train], sample.y[train], sample.classes, sample.codes[train])
    preparations = {
        each: partial(_fit, implementation(each), own) for each in {REFERENCE: 0, name: 0}
    }
    return measure_prepared(preparations, plan, reference=REFERENCE)


def _fit(entry: Implementation, sample: Sample) -> Call:
    """Return the fit of a fresh model, which is made outside the clock."""
    return partial(entry.make().fit, sample.X, sample.y)
