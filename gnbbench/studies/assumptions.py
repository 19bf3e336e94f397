"""The study of the two assumptions: how far a dataset is from what the model assumes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from gnbbench.assumptions import Assumptions, examine
from gnbbench.assumptions.costs import MODELS
from gnbbench.assumptions.examination import require_possible
from gnbbench.assumptions.findings import numbers, summarize_assumptions
from gnbbench.data.dataset import Dataset
from gnbbench.statistics.summary import DatasetDescription, Summary
from gnbbench.studies.option import study_function
from gnbbench.studies.options import AssumptionsOptions
from gnbbench.studies.plan import Plan, call_text, dataset_of, of_dataset
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import Kind, Progress, Study, require_noted, run, settled_plan

if TYPE_CHECKING:
    from gnbbench.report.blocks import Document

FINDINGS = "findings"


@dataclass(frozen=True, kw_only=True)
class AssumptionsPlan(Plan):
    """A plan to examine the assumptions; GNB is the reference of the other models."""

    study = "assumptions"

    runs: int = 20
    test_size: float = 0.3  # Share of the samples on the test side
    correlation: str = "pearson"  # Which one the heat maps show


@dataclass(frozen=True)
class PreparedAssumptions:
    """A plan together with the data that it is carried out on, found to be possible."""

    options: AssumptionsOptions
    plan: AssumptionsPlan
    dataset: Dataset


class ExamineAssumptions(Kind[AssumptionsOptions, PreparedAssumptions]):
    """Independence and normality within classes, and what each costs."""

    name = "assumptions"
    function = "examine_assumptions"
    kept = "nothing is kept of an examination that was not finished"

    def prepare(self, options: AssumptionsOptions) -> PreparedAssumptions:
        dataset = dataset_of(options)
        reference, *others = (model.name for model in MODELS)
        plan = AssumptionsPlan(
            **of_dataset(dataset),
            reference=reference,
            against=tuple(others),
            runs=options.runs,
            test_size=options.test_size,
            seed=options.seed,
            correlation=options.correlation,
        )
        require_possible(dataset, seed=plan.seed, test_size=plan.test_size)
        return PreparedAssumptions(options, plan, dataset)

    def measure(
        self, prepared: PreparedAssumptions, store: Store, progress: Progress
    ) -> None:
        if store.note(FINDINGS) is not None:
            return
        progress.begin("assumptions")
        plan = prepared.plan
        found = examine(
            prepared.dataset, n_runs=plan.runs, seed=plan.seed, test_size=plan.test_size
        )
        store.add({}, {FINDINGS: encoded(found)})

    def summarize(self, store: Store) -> Summary:
        found = require_noted(store, FINDINGS)
        plan, command = settled_plan(store)
        return summarize_assumptions(
            decoded(Assumptions, found),
            data=DatasetDescription.of(store.note("dataset")),
            plan=plan,
            environment=store.note("environment"),
            command=command,
        )

    def call(self, prepared: PreparedAssumptions) -> str:
        names = ("runs", "test_size", "seed", "correlation")
        options = {name: getattr(prepared.plan, name) for name in names}
        return call_text(self.function, prepared.plan.dataset, **options)

    def frame(self, summary: Summary) -> pd.DataFrame:
        return numbers(summary)

    def runs(self, summary: Summary) -> pd.DataFrame:
        return summary.table("runs")

    def report(self, summary: Summary) -> "Document":
        from gnbbench.report.assumptions import report

        return report(summary)


@study_function(AssumptionsOptions)
def assumptions(options: AssumptionsOptions) -> Study:
    """Return whether features are independent and normal within classes, and the cost.

    Verdicts go by Pearson's correlation, whichever one the heat maps show.

    Examples
    --------
    >>> study = assumptions("iris", runs=2)
    >>> [verdict.outcome for verdict in study.details.verdicts]
    ['strongly broken', 'strongly broken']
    """
    return run(options)
