"""``gnbbench.assumptions``: how far a dataset is from what the model takes for granted."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from gnbbench.assumptions import examine
from gnbbench.assumptions.costs import MODELS
from gnbbench.data.dataset import Dataset, describe
from gnbbench.interface.inputs import call_text, dataset_of
from gnbbench.interface.study import Figures, Study
from gnbbench.measurement.environment import environment
from gnbbench.report.assumptions import report
from gnbbench.report.assumptions_documents import SCHEMA
from gnbbench.report.assumptions_summary import AssumptionsSummary, Correlation
from gnbbench.report.blocks import Document
from gnbbench.report.files import require_replaceable, write
from gnbbench.report.html import page
from gnbbench.report.terminal import terminal
from gnbbench.statistics.descriptions import dataset_description
from gnbbench.studies.options import AssumptionsOptions
from gnbbench.studies.plan import Plan
from gnbbench.studies.progress import Progress, Silence


@dataclass(frozen=True, kw_only=True)
class AssumptionsPlan(Plan):
    """A plan to examine the assumptions; GNB is the reference of the other models."""

    study = "assumptions"

    runs: int = 20
    test_size: float = 0.3  # Share of the samples on the test side
    correlation: Correlation = "pearson"  # Which one the heat maps show

    def __post_init__(self) -> None:
        names = ("runs", "test_size", "seed", "correlation")
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        AssumptionsOptions(data="", **given)


class AssumptionsStudy(Study):
    """The assumptions on one dataset, examined.

    Parameters
    ----------
    details : AssumptionsSummary
        Every figure of the report, as tables.

    Attributes
    ----------
    details : AssumptionsSummary
    figures : mapping of str to matplotlib.figure.Figure
        Such as ``figures["correlations"]``.
    """

    details: AssumptionsSummary

    def __init__(self, details: AssumptionsSummary) -> None:
        self.details = details
        self.figures = Figures(lambda: self.report.drawings)

    @cached_property
    def report(self) -> Document:
        """All that the report says."""
        return report(self.details)

    def _table(self) -> RenderableType:
        return terminal(self.report)

    def _write(self, directory: Path) -> Path:
        return write(self.report, directory)

    def _page(self) -> str:
        return page(self.report)


def assumptions(
    data: Any,
    y: Any = None,
    *,
    runs: int = 20,
    test_size: float = 0.3,
    seed: int = 42,
    correlation: Correlation = "pearson",
    out: str | Path | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> AssumptionsStudy:
    """Return whether features are independent and normal within classes, and the cost.

    Parameters
    ----------
    data : str, Path, Dataset or array-like of shape (n_samples, n_features)
        A name such as "iris", what `gnbbench.load_dataset` returned, or samples.
    y : array-like of shape (n_samples,), default=None
        Labels of the samples, where `data` is an array.
    runs : int, default=20
        Randomised splits over which costs are measured.
    test_size : float, default=0.3
        Share of the samples on the test side.
    seed : int, default=42
        Random state of run 0.
    correlation : {"pearson", "spearman"}, default="pearson"
        Which one the heat maps show; verdicts go by Pearson's.
    out : str or Path, default=None
        Results directory. In memory when None.
    overwrite : bool, default=False
        Whether a report of another plan in `out` is replaced.
    progress : Progress, default=None
        Is told how far the study is.

    Returns
    -------
    AssumptionsStudy

    Raises
    ------
    GnbBenchError
        If the data, an option or the directory cannot be used; nothing is written then.

    Examples
    --------
    >>> study = assumptions("iris", runs=2)
    >>> [verdict.grade for verdict in study.details.findings.verdicts]
    ['strongly broken', 'strongly broken']
    """
    dataset = dataset_of(data, y)
    plan = assumptions_plan(
        dataset, runs=runs, test_size=test_size, seed=seed, correlation=correlation
    )
    return examined(dataset, plan, out=out, overwrite=overwrite, progress=progress)


def assumptions_plan(dataset: Dataset, **options: Any) -> AssumptionsPlan:
    """Return a plan that is possible, with nothing examined yet."""
    reference, *others = (model.name for model in MODELS)
    return AssumptionsPlan(
        dataset=dataset.name,
        sha256=dataset.sha256,
        dataset_options=dict(dataset.parameters),
        reference=reference,
        against=tuple(others),
        **options,
    )


def examined(
    dataset: Dataset,
    plan: AssumptionsPlan,
    *,
    out: str | Path | None = None,
    overwrite: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> AssumptionsStudy:
    """Return the study of a dataset and a plan, written where a directory is given."""
    listener = progress or Silence()
    settled = plan.as_dict()
    if out is not None:
        require_replaceable(
            Path(out),
            ("runs.csv", "correlations.csv", "normality.csv"),
            (SCHEMA,),
            "of the assumptions",
            expected={} if overwrite else {"plan": settled},
            remedy="Choose another directory with --out, or replace it with --overwrite.",
        )
    listener.begin("assumptions")
    names = ("runs", "test_size", "seed", "correlation")
    options = {name: getattr(plan, name) for name in names}
    findings = examine(dataset, n_runs=plan.runs, seed=plan.seed, test_size=plan.test_size)
    details = AssumptionsSummary(
        findings=findings,
        dataset=dataset_description(describe(dataset)),
        plan=settled,
        environment=environment(),
        command=command or call_text("examine_assumptions", plan.dataset, **options),
        correlation=plan.correlation,
    )
    study = AssumptionsStudy(details)
    if out is not None:
        listener.begin("report")
        study.save(out)
    return study
