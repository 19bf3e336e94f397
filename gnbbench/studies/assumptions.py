"""The study of the two assumptions: how far a dataset departs from them."""

from typing import Any, TypeAlias

import pandas as pd

from gnbbench.assumptions import findings
from gnbbench.assumptions.examination import examine, require_possible
from gnbbench.progress import Progress
from gnbbench.report.assumptions import report
from gnbbench.statistics.summary import DatasetDescription, Summary
from gnbbench.studies.kinds import run
from gnbbench.studies.option import study_function
from gnbbench.studies.options import AssumptionsOptions
from gnbbench.studies.plan import Prepared, dataset_of, of_dataset, plan_of_runs
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import Kind, Study, require_noted, settled

FINDINGS = "findings"
PreparedAssumptions: TypeAlias = Prepared[AssumptionsOptions]


class ExamineAssumptions(Kind):
    """Independence and normality within classes, and what violations cost."""

    name = "assumptions"
    function = "examine_assumptions"
    kept = "nothing is kept of an unfinished examination"
    report = staticmethod(report)

    def prepare(self, options: AssumptionsOptions) -> PreparedAssumptions:
        dataset = dataset_of(options)
        reference, *others = findings.DESCRIPTIONS
        entries: dict[str, Any] = {"reference": reference, "against": others}
        entries |= {"specifications": {}, "digests": {}}
        plan_options = ("test_size", "correlation")
        plan = plan_of_runs(self.name, options, entries, of_dataset(dataset), plan_options)
        require_possible(dataset, seed=options.seed, test_size=options.test_size)
        return Prepared(options=options, plan=plan, dataset=dataset)

    def measure(
        self, prepared: PreparedAssumptions, store: Store, progress: Progress
    ) -> None:
        if store.note(FINDINGS) is not None:
            return
        progress.begin("assumptions")
        options = prepared.options
        examined = examine(
            prepared.dataset,
            n_runs=options.runs,
            seed=options.seed,
            test_size=options.test_size,
        )
        store.add({}, {FINDINGS: encoded(examined)})

    def summarize(self, store: Store) -> Summary:
        examined = decoded(findings.Assumptions, require_noted(store, FINDINGS))
        data = DatasetDescription.of(store.note("dataset"))
        return findings.summarize_assumptions(examined, settled(store), data)

    def frame(self, summary: Summary) -> pd.DataFrame:
        return findings.numbers(summary)


@study_function(AssumptionsOptions)
def assumptions(options: AssumptionsOptions) -> Study:
    """Return whether features are independent and normal within classes, and the cost.

    Verdicts go by Pearson's correlation, whichever one the heat maps show.

    Examples
    --------
    >>> study = assumptions("iris", runs=2)
    >>> study.verdict.partition(";")[0]
    'Both assumptions are strongly broken'
    """
    return run(options)
