"""From Python: compare implementations, then look at tables, figures and files."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from gnbbench.datasets.arrays import from_arrays
from gnbbench.datasets.dataset import Dataset
from gnbbench.datasets.loading import load
from gnbbench.errors import OptionError
from gnbbench.implementations import implementations
from gnbbench.report.figures.catalogue import draw_all
from gnbbench.report.figures.drawing import Drawing
from gnbbench.report.files import replace_file, write
from gnbbench.report.page import page
from gnbbench.statistics import summarize
from gnbbench.statistics.summary import Summary
from gnbbench.studies.compare import Setting, measure, setting
from gnbbench.studies.directory import opened
from gnbbench.studies.plan import ComparePlan
from gnbbench.studies.progress import Progress, Silence
from gnbbench.studies.store import FILE_NAME, Store


class Figures(Mapping[str, Figure]):
    """The figures of a study by name; drawn when the first one is asked for.

    Parameters
    ----------
    details : Summary
        What is drawn.
    """

    def __init__(self, details: Summary) -> None:
        self._details = details

    @cached_property
    def drawings(self) -> Mapping[str, Any]:
        """Every drawing, or absence, with its caption, alt text and data."""
        return {drawing.name: drawing for drawing in draw_all(self._details)}

    @cached_property
    def _drawn(self) -> dict[str, Figure]:
        found = self.drawings.items()
        return {name: one.figure for name, one in found if isinstance(one, Drawing)}

    def __getitem__(self, name: str) -> Figure:
        return self._drawn[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._drawn)

    def __len__(self) -> int:
        return len(self._drawn)


class Study:
    """A study that was carried out.

    Parameters
    ----------
    details : Summary
        Every figure of the report, as tables.
    database : bytes
        The records, as an SQLite file.

    Attributes
    ----------
    details : Summary
    figures : mapping of str to matplotlib.figure.Figure
        Such as ``figures["accuracy"]``.
    """

    def __init__(self, details: Summary, database: bytes) -> None:
        self.details = details
        self.figures = Figures(details)
        self._database = database

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row for each implementation and number, see `Summary.frame`."""
        return self.details.frame()

    @property
    def runs(self) -> pd.DataFrame:
        """One row for each run and implementation, with the metrics of that run."""
        return self.details.runs

    def save(self, directory: str | Path) -> Path:
        """Write the page, the figures, the tables and the records.

        Parameters
        ----------
        directory : str or Path
            Made if it does not exist; files of an earlier report are replaced.

        Returns
        -------
        Path
            Of ``index.html``.

        Raises
        ------
        ResultsError
            If the directory cannot be written.
        """
        target = Path(directory)
        index = write(self.details, target, tuple(self.figures.drawings.values()))
        if not (target / FILE_NAME).exists():
            replace_file(target / FILE_NAME, self._database)
        return index

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, for a notebook."""
        text = page(self.details, tuple(self.figures.drawings.values()))
        source = text.replace("&", "&amp;").replace('"', "&quot;")
        return (
            '<iframe title="gnbbench report" style="width:100%;height:80vh;border:0" '
            f'srcdoc="{source}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Study: {self.details.headline}>"


def compare(
    data: Any,
    y: Any = None,
    *,
    against: Any = ("numpy",),
    reference: Any = "sklearn",
    runs: int = 100,
    test_size: float = 0.3,
    stratify: bool = True,
    seed: int = 42,
    margin: float = 0.01,
    features: tuple[str, ...] | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    budget_seconds: float = 1.0,
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
    against : str, estimator, or a list or mapping of them, default=("numpy",)
        What is compared with the reference: names, classes or objects with ``fit`` and
        ``predict``.
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
    features : tuple of str, default=None
        Two features for the decision regions, or ("pca",); the best pair when None.
    jobs : int, default=None
        Worker processes for the evaluation; judged by the work when None.
    out : str or Path, default=None
        Results directory; an interrupted study resumes there. In memory when None.
    overwrite : bool, default=False
        Whether records of another plan in `out` are replaced.
    budget_seconds : float, default=1
        Time for the timing of all implementations.
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
        features=features,
    )
    return carried_out(
        made,
        jobs=jobs,
        out=out,
        overwrite=overwrite,
        budget_seconds=budget_seconds,
        progress=progress,
    )


def prepared(
    data: Any,
    y: Any = None,
    *,
    against: Any = ("numpy",),
    reference: Any = "sklearn",
    **options: Any,
) -> Setting:
    """Return a study that is settled and possible, with nothing measured or written yet.

    Parameters
    ----------
    data, y, against, reference
        As in `compare`.
    **options : object
        Fields of `gnbbench.studies.plan.ComparePlan`, such as ``runs``.

    Returns
    -------
    Setting

    Raises
    ------
    GnbBenchError
        If the data or an option cannot be used.
    """
    dataset = _dataset(data, y)
    entries = implementations(reference, against)
    plan = ComparePlan(
        dataset=dataset.name,
        sha256=dataset.sha256,
        dataset_options=dict(dataset.parameters),
        reference=entries[0].name,
        against=tuple(entry.name for entry in entries[1:]),
        **options,
    )
    return setting(dataset, entries, plan)


def carried_out(
    made: Setting,
    *,
    jobs: int | None = None,
    out: str | Path | None = None,
    overwrite: bool = False,
    budget_seconds: float = 1.0,
    command: str | None = None,
    progress: Progress | None = None,
) -> Study:
    """Return the study after whatever of its records was missing has been measured.

    Parameters
    ----------
    made : Setting
        From `prepared`.
    jobs, out, overwrite, budget_seconds, progress
        As in `compare`.
    command : str, default=None
        What the page names as the way to repeat the study; the Python call when None.

    Returns
    -------
    Study

    Raises
    ------
    ResultsError
        If the directory cannot be used.
    """
    listener = progress or Silence()
    repeat = command or _call(made.plan)
    with _store(out, overwrite=overwrite) as store:
        measure(
            made,
            store,
            command=repeat,
            progress=listener,
            jobs=jobs,
            budget_seconds=budget_seconds,
        )
        listener.begin("report")
        study = Study(summarize(store.records()), store.serialized())
    if out is not None:
        study.save(out)
    return study


def _dataset(data: Any, y: Any) -> Dataset:
    if not isinstance(data, Dataset | str | Path):
        return from_arrays(data, y)
    if y is not None:
        raise OptionError("y", "the dataset brings its own labels", "Leave y out.")
    return data if isinstance(data, Dataset) else load(data)


def _store(out: str | Path | None, *, overwrite: bool) -> Store:
    return Store() if out is None else opened(Path(out), overwrite=overwrite)


def _call(plan: ComparePlan) -> str:
    """Return the Python call that repeats the study."""
    options = f"runs={plan.runs}, test_size={plan.test_size}, seed={plan.seed}"
    stratify = "" if plan.stratify else ", stratify=False"
    return f"gnbbench.compare({plan.dataset!r}, {options}{stratify})"
