"""``gnbbench.compare``: implementations held against a reference over randomised splits."""

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
from gnbbench.statistics import summarize
from gnbbench.studies.compare import Setting, measure, setting
from gnbbench.studies.plan import ComparePlan
from gnbbench.studies.progress import Progress, Silence
from gnbbench.studies.timing_options import TIMING_OPTIONS, TimingOptions


def compare(
    data: Any,
    y: Any = None,
    *,
    against: Any = None,
    reference: Any = "sklearn",
    runs: int = 100,
    test_size: float = 0.3,
    stratify: bool = True,
    seed: int = 42,
    margin: float = 0.01,
    spot_checks: int | None = None,
    timeout_seconds: float | None = None,
    features: tuple[str, ...] | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    budget_seconds: float | None = None,
    precision: float | None = None,
    processes: int = 1,
    regime: str = "warm",
    threads: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Return how implementations of Gaussian naive Bayes compare over randomised splits.

    Run r is ``train_test_split(..., test_size=test_size, random_state=seed + r,
    stratify=y)``; all implementations see the same arrays.

    Parameters
    ----------
    data : str, Path, Dataset or array-like of shape (n_samples, n_features)
        A name such as "iris", what `gnbbench.load_dataset` returned, or samples.
    y : array-like of shape (n_samples,), default=None
        Labels of the samples, where `data` is an array.
    against : str, estimator, or a list or mapping of them, default=None
        What is compared with the reference: names, classes or objects with ``fit`` and
        ``predict``. When None, "numpy", or "sklearn" where "numpy" is the reference.
    reference : str or estimator, default="sklearn"
        What the others are held against.
    runs : int, default=100
        Number of randomised splits.
    test_size : float, default=0.3
        Share of the samples on the test side.
    stratify : bool, default=True
        Whether both sides keep the shares of the classes.
    seed : int, default=42
        Random state of run 0.
    margin : float, default=0.01
        Differences of accuracy up to this count as equivalent.
    spot_checks : int, default=None
        Runs, drawn at random, in which the others are compared with the reference; in the
        rest the reference alone is evaluated. All when None, or a thousand at most where
        the reference is "numpy" and `against` is left open.
    timeout_seconds : float, default=None
        Code of others (what is not in the catalogue) is loaded and called in processes of
        its own, each call within this time: it may hang or crash. When None, all is called
        in the processes of the study.
    features : tuple of str, default=None
        Two features for the decision regions, or ("pca",); the best pair when None.
    jobs : int, default=None
        Worker processes for the evaluation; judged by the work when None.
    dask : str, default=None
        Address of a Dask scheduler that takes the evaluation instead.
    out : str or Path, default=None
        Results directory; an interrupted study resumes there. In memory when None.
    overwrite : bool, default=False
        Whether records of another plan in `out` are replaced.
    budget_seconds : float, default=None
        Time for the timing of all implementations. When None, 1, or 30 with a precision.
    precision : float, default=None
        Timing goes on until the 95 % interval of every ratio of times reaches at most this
        share of it to either side (0.01: 1 %), or the budget is spent, which is then told.
    processes : int, default=1
        Fresh processes in which the timing is repeated; 1: in this one.
    regime : {"warm", "interleaved"}, default="warm"
        Whether an untimed call goes before each timed one.
    threads : int, default=1
        Threads of BLAS and OpenMP while times are taken.
    progress : Progress, default=None
        Is told how far the study is.

    Returns
    -------
    Study

    Raises
    ------
    GnbBenchError
        If the data, an option or the directory cannot be used; nothing is written then.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> study = compare("iris", against=[GaussianNB(var_smoothing=0.5)], runs=5)
    >>> study.details.verdicts[0].outcome
    'cannot tell'
    """
    made = prepared(
        data,
        y,
        against=against,
        reference=reference,
        runs=runs,
        test_size=test_size,
        stratify=stratify,
        seed=seed,
        margin=margin,
        spot_checks=spot_checks,
        timeout_seconds=timeout_seconds,
        features=features,
        budget_seconds=budget_seconds,
        precision=precision,
        processes=processes,
        regime=regime,
        threads=threads,
    )
    return carried_out(
        made,
        jobs=jobs,
        dask=dask,
        out=out,
        overwrite=overwrite,
        progress=progress,
    )


def prepared(
    data: Any,
    y: Any = None,
    *,
    against: Any = None,
    reference: Any = "sklearn",
    timeout_seconds: float | None = None,
    **options: Any,
) -> Setting:
    """Return a study that is settled and possible, with nothing measured or written yet."""
    timing = TimingOptions(
        **{name: options.pop(name) for name in TIMING_OPTIONS if name in options}
    )
    dataset = dataset_of(data, y)
    against, options["spot_checks"] = competitors_of(
        against, reference, options.get("runs", 100), options.get("spot_checks")
    )
    entries = implementations(reference, against, timeout_seconds=timeout_seconds)
    specifications, digests = origins(entries)
    plan = ComparePlan(
        dataset=dataset.name,
        sha256=dataset.sha256,
        dataset_options=dict(dataset.parameters),
        reference=entries[0].name,
        against=tuple(entry.name for entry in entries[1:]),
        specifications=specifications,
        digests=digests,
        **options,
    )
    return setting(dataset, entries, plan, timing)


def carried_out(
    made: Setting,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> Study:
    """Return the study after whatever of its records was missing has been measured."""
    listener = progress or Silence()
    options = {**_options(made.plan), **made.timing.asked()}
    repeat = command or call_text("compare", made.plan.dataset, **options)
    with store_of(out, overwrite=overwrite) as store:
        measure(
            made,
            store,
            command=repeat,
            progress=listener,
            jobs=jobs,
            dask=dask,
        )
        listener.begin("report")
        study = Study(summarize(store.records()), store.serialized())
        # The report is written while the store still keeps other processes away.
        if out is not None:
            study.save(out)
    return study


def _options(plan: ComparePlan) -> dict[str, Any]:
    names = ("runs", "test_size", "stratify", "seed", "margin", "spot_checks", "features")
    return {name: getattr(plan, name) for name in names}
