"""``gnbbench.explain``: why implementations disagree with a reference, by cause."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import RenderableType

from gnbbench.data.dataset import Dataset, describe
from gnbbench.diagnosis import diagnose
from gnbbench.implementations import Implementation, implementations
from gnbbench.interface.explain_plan import ExplainPlan, check_timeout, explain_plan
from gnbbench.interface.inputs import call_text, dataset_of
from gnbbench.interface.shown import Shown
from gnbbench.interface.study import Figures
from gnbbench.measurement.environment import environment
from gnbbench.report import explain as explain_report
from gnbbench.report.blocks import Document
from gnbbench.report.explain_documents import SCHEMA, explain_document
from gnbbench.report.explain_summary import Diagnosed, ExplainSummary
from gnbbench.report.files import require_replaceable, write
from gnbbench.report.html import page
from gnbbench.report.terminal import terminal
from gnbbench.statistics.descriptions import dataset_description
from gnbbench.studies.progress import Progress, Silence
from gnbbench.studies.steps import sample_of


@dataclass(frozen=True, eq=False)
class ExplainSetting:
    """A plan together with what it is carried out on, found to be possible."""

    dataset: Dataset
    entries: tuple[Implementation, ...]  # The reference first
    plan: ExplainPlan


class Explanation(Shown):
    """Why implementations disagree with the reference.

    Parameters
    ----------
    details : ExplainSummary
        Every diagnosis, with what it was made from.

    Attributes
    ----------
    details : ExplainSummary
    figures : mapping of str to matplotlib.figure.Figure
        Empty: what features say in a disagreement is a table.
    """

    details: ExplainSummary

    def __init__(self, details: ExplainSummary) -> None:
        self.details = details
        self.figures = Figures(lambda: self.report.drawings)

    @cached_property
    def report(self) -> Document:
        """All that the report says."""
        return explain_report.report(self.details)

    def _table(self) -> RenderableType:
        return terminal(self.report)

    def frame(self) -> pd.DataFrame:
        """Return one row for each disagreement that is kept.

        Returns
        -------
        DataFrame
            As `gnbbench.report.explain_summary.ExplainSummary.frame` has it.
        """
        return self.details.frame()

    def document(self) -> dict[str, Any]:
        """Return what stands in ``summary.json``.

        Returns
        -------
        dict
            As `gnbbench.report.explain_documents` describes it.
        """
        return explain_document(self.details)

    def _write(self, directory: Path) -> Path:
        return write(self.report, directory)

    def _page(self) -> str:
        return page(self.report)


def explain(
    data: Any,
    y: Any = None,
    *,
    against: Any,
    reference: Any = "sklearn",
    runs: int = 20,
    test_size: float = 0.3,
    stratify: bool = True,
    seed: int = 42,
    timeout_seconds: float | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Explanation:
    """Return the causes of all differences between implementations and a reference.

    Run r is ``train_test_split(..., test_size=test_size, random_state=seed + r,
    stratify=y)``, as in `gnbbench.compare`.

    Parameters
    ----------
    data : str, Path, Dataset or array-like of shape (n_samples, n_features)
        A name such as "iris", what `gnbbench.load_dataset` returned, or samples.
    y : array-like of shape (n_samples,), default=None
        Labels of the samples, where `data` is an array.
    against : str, estimator, or a list or mapping of them
        What is explained: names, classes or objects with ``fit`` and ``predict``.
    reference : str or estimator, default="sklearn"
        What the others are held against.
    runs : int, default=20
        Number of randomised splits.
    test_size : float, default=0.3
        Share of the samples on the test side.
    stratify : bool, default=True
        Whether both sides keep the shares of the classes.
    seed : int, default=42
        Random state of run 0.
    timeout_seconds : float, default=None
        Code of others is called in processes of its own, each call within this time; when
        None, in this process.
    out : str or Path, default=None
        Results directory. Nothing is written when None.
    progress : Progress, default=None
        Is told how far the study is.

    Returns
    -------
    Explanation

    Raises
    ------
    GnbBenchError
        If the data, an option or the directory cannot be used; nothing is written then.

    Examples
    --------
    >>> from gnbbench.implementations.textbook import TextbookGaussianNB
    >>> mine = TextbookGaussianNB(divisor="n-1", relative_smoothing=1e-9)
    >>> found = explain("iris", against=mine, runs=3).details.diagnosed[0].diagnosis
    >>> [cause.cause for cause in found.causes], found.n_disagreements
    (['variance-divisor'], 0)
    """
    made = prepared(
        dataset_of(data, y),
        against=against,
        reference=reference,
        runs=runs,
        test_size=test_size,
        stratify=stratify,
        seed=seed,
        timeout_seconds=timeout_seconds,
    )
    return explained(made, out=out, progress=progress)


def prepared(
    dataset: Dataset,
    *,
    against: Any,
    reference: Any = "sklearn",
    timeout_seconds: float | None = None,
    **options: Any,
) -> ExplainSetting:
    """Return a study that is settled and possible, with nothing fitted or written yet."""
    check_timeout(timeout_seconds)
    entries = implementations(reference, against, timeout_seconds=timeout_seconds)
    plan = explain_plan(dataset, entries, timeout_seconds=timeout_seconds, **options)
    plan.rule.cut(sample_of(dataset), 0)
    return ExplainSetting(dataset, tuple(entries), plan)


def explained(
    made: ExplainSetting,
    *,
    out: str | Path | None = None,
    command: str | None = None,
    progress: Progress | None = None,
) -> Explanation:
    """Return the explanation of a settled study, written where a directory is given."""
    listener = progress or Silence()
    settled = made.plan.as_dict()
    if out is not None:
        expected = {"plan": settled}
        names = ("disagreements.csv",)
        require_replaceable(Path(out), names, (SCHEMA,), "of causes", expected=expected)
    reference, *others = made.entries
    cuts = made.plan.rule.cuts(sample_of(made.dataset), range(made.plan.runs))
    splits = [(cut.train, cut.test) for cut in cuts]
    listener.begin("explain", total=len(others))
    found = []
    for entry in others:
        found.append(_diagnosed(made, entry, splits))
        listener.advance(1)
    details = ExplainSummary(
        reference=reference.name,
        diagnosed=tuple(found),
        dataset=dataset_description(describe(made.dataset)),
        classes=made.dataset.classes,
        n_train=len(cuts[0].train),
        n_test=len(cuts[0].test),
        plan=settled,
        environment=environment(),
        command=command or _call(made.plan, others),
    )
    explanation = Explanation(details)
    if out is not None:
        listener.begin("report")
        explanation.save(out)
    return explanation


def _diagnosed(
    made: ExplainSetting, entry: Implementation, splits: Sequence[tuple[Any, Any]]
) -> Diagnosed:
    dataset = made.dataset
    diagnosis = diagnose(
        entry,
        made.entries[0],
        dataset.X,
        dataset.y,
        splits,
        classes=dataset.classes,
    )
    return Diagnosed(entry.name, diagnosis)


def _call(plan: ExplainPlan, others: Sequence[Implementation]) -> str:
    names = ("reference", "runs", "test_size", "stratify", "seed", "timeout_seconds")
    options = {name: getattr(plan, name) for name in names}
    options["reference"] = plan.specifications.get(plan.reference, plan.reference)
    against = [entry.specification or entry.name for entry in others]
    return call_text("explain", plan.dataset, against=against, **options)
