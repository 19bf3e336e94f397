"""``gnbbench.sweep_split``: the same comparison at several sizes of the train side."""

from pathlib import Path
from typing import Any

from gnbbench.implementations import implementations
from gnbbench.interface.inputs import (
    call_text,
    competitors_of,
    dataset_of,
    origins,
    store_of,
)
from gnbbench.interface.study import Study
from gnbbench.statistics import summarize_sweep
from gnbbench.studies.plan import DEFAULT_FRACTIONS, SweepPlan
from gnbbench.studies.progress import Progress, Silence
from gnbbench.studies.sweep_split import (
    SweepSetting,
    measure_sweep,
    sweep_records,
    sweep_setting,
)


def sweep_split(
    data: Any,
    y: Any = None,
    *,
    against: Any = None,
    reference: Any = "sklearn",
    runs: int = 100,
    train_fractions: tuple[float, ...] = DEFAULT_FRACTIONS,
    stratify: bool = True,
    seed: int = 42,
    margin: float = 0.01,
    spot_checks: int | None = None,
    timeout_seconds: float | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    budget_seconds: float = 1.0,
    progress: Progress | None = None,
) -> Study:
    """Return how implementations compare at several train fractions.

    Run r at fraction f is ``train_test_split(..., train_size=f, random_state=seed + r,
    stratify=y)``.

    Parameters
    ----------
    data, y, against, reference
        As in `gnbbench.compare`.
    runs : int, default=100
        Randomised splits at each fraction.
    train_fractions : tuple of float, default=(0.1, ..., 0.9)
        Shares of the samples on the train side, ascending.
    stratify, seed, margin, spot_checks, timeout_seconds, jobs, dask, out, overwrite
        As in `gnbbench.compare`.
    budget_seconds, progress
        As in `gnbbench.compare`.

    Returns
    -------
    Study
        Its ``details`` are a `gnbbench.statistics.sweep_summary.SweepSummary`.

    Raises
    ------
    GnbBenchError
        If the data, an option or the directory cannot be used; nothing is written then.

    Examples
    --------
    >>> study = sweep_split("iris", runs=3, train_fractions=(0.5, 0.8))
    >>> study.details.overall["exact_share"].tolist()
    [nan, 1.0]
    """
    made = sweep_prepared(
        data,
        y,
        against=against,
        reference=reference,
        runs=runs,
        train_fractions=tuple(train_fractions),
        stratify=stratify,
        seed=seed,
        margin=margin,
        spot_checks=spot_checks,
        timeout_seconds=timeout_seconds,
    )
    return sweep_carried_out(
        made,
        jobs=jobs,
        dask=dask,
        out=out,
        overwrite=overwrite,
        budget_seconds=budget_seconds,
        progress=progress,
    )


def sweep_prepared(
    data: Any,
    y: Any = None,
    *,
    against: Any = None,
    reference: Any = "sklearn",
    timeout_seconds: float | None = None,
    **options: Any,
) -> SweepSetting:
    """Return a sweep that is settled and possible, with nothing measured or written yet."""
    dataset = dataset_of(data, y)
    against, options["spot_checks"] = competitors_of(
        against, reference, options.get("runs", 100), options.get("spot_checks")
    )
    entries = implementations(reference, against, timeout_seconds=timeout_seconds)
    specifications, digests = origins(entries)
    plan = SweepPlan(
        dataset=dataset.name,
        sha256=dataset.sha256,
        dataset_options=dict(dataset.parameters),
        reference=entries[0].name,
        against=tuple(entry.name for entry in entries[1:]),
        specifications=specifications,
        digests=digests,
        **options,
    )
    return sweep_setting(dataset, entries, plan)


def sweep_carried_out(
    made: SweepSetting,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    budget_seconds: float = 1.0,
    command: str | None = None,
    progress: Progress | None = None,
) -> Study:
    """Return the sweep after whatever of its records was missing has been measured."""
    listener = progress or Silence()
    names = ("runs", "train_fractions", "stratify", "seed", "margin", "spot_checks")
    options = {name: getattr(made.plan, name) for name in names}
    repeat = command or call_text("sweep_split", made.plan.dataset, **options)
    with store_of(out, overwrite=overwrite) as store:
        measure_sweep(
            made,
            store,
            command=repeat,
            progress=listener,
            jobs=jobs,
            dask=dask,
            budget_seconds=budget_seconds,
        )
        listener.begin("report")
        summary = summarize_sweep(sweep_records(made, store))
        study = Study(summary, store.serialized())
        # The report is written while the store still keeps other processes away.
        if out is not None:
            study.save(out)
    return study
