"""Claims, each held against what its protocol gives here."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from gnbbench.claims.claim import Claim, ClaimResult, Contrast, Measured, Reading
from gnbbench.claims.measurements import Evaluations, FitTimes, certified
from gnbbench.claims.metrics import METRICS
from gnbbench.claims.samples import DataNotGivenError
from gnbbench.claims.verdicts import explanation, share_reached, verdict_on
from gnbbench.studies.study import Progress


def examine(
    claims: Sequence[Claim],
    *,
    data: Path | None = None,
    most_runs: int | None = None,
    progress: Progress | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[ClaimResult]:
    """Yield the result of each claim, in order; what they share is measured once."""
    evaluations = Evaluations(claims, data=data, most_runs=most_runs, progress=progress)
    bench = _Bench(evaluations, FitTimes())
    for claim in claims:
        begin = clock()
        found = bench.result(claim)
        yield replace(found, seconds=clock() - begin)


class _Bench:
    """Measures claims of every kind."""

    def __init__(self, evaluations: Evaluations, times: FitTimes) -> None:
        self._evaluations, self._times = evaluations, times

    def result(self, claim: Claim) -> ClaimResult:
        readings = claim.protocol.readings
        try:
            measured = tuple(
                self._measured(claim, reading, claim.implementation) for reading in readings
            )
        except DataNotGivenError as error:
            return ClaimResult(claim, "not available", (), (), str(error))
        contrasts = tuple(
            self._contrast(claim, readings[0], name) for name in claim.contrasts
        )
        verdict = verdict_on(claim, measured)
        told = explanation(claim, verdict, measured, contrasts)
        cut = any(self._evaluations.is_cut(reading) for reading in readings)
        return ClaimResult(claim, verdict, measured, contrasts, told, is_cut=cut)

    def _measured(self, claim: Claim, reading: Reading, name: str) -> Measured:
        if claim.protocol.kind == "certified":
            return certified(reading, claim.metric, name)
        if claim.metric == "fit_seconds":
            return self._times.seconds(reading, name)
        if claim.metric == "fit_ratio":
            return self._times.ratio(reading, name)
        return self._evaluations.measured(reading, METRICS[claim.metric], name)

    def _contrast(self, claim: Claim, reading: Reading, name: str) -> Contrast:
        found = self._measured(claim, reading, name)
        same = share_reached(claim.published, found) == 1.0
        return Contrast(name, found.value, same)
