"""The study of causes: why implementations disagree with a reference."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from gnbbench.data.dataset import Dataset
from gnbbench.diagnosis import Diagnosis, diagnose
from gnbbench.implementations import Implementation, implementations
from gnbbench.measurement.split_rules import SplitRule
from gnbbench.report.explain_summary import summarize_diagnoses
from gnbbench.statistics.summary import DatasetDescription, Summary
from gnbbench.studies.option import study_function
from gnbbench.studies.options import ExplainOptions
from gnbbench.studies.plan import (
    Plan,
    call_text,
    dataset_of,
    of_dataset,
    origins,
    sample_of,
)
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import (
    Kind,
    Progress,
    Study,
    require_noted,
    run,
    settled_plan,
    unfinished,
)

if TYPE_CHECKING:
    from gnbbench.report.blocks import Document

# Keys of notes: what all diagnoses share, and before the name of an implementation.
SHARED, DIAGNOSIS = "explained", "diagnosis of "
# Fields of every plan that causes do not depend on.
IRRELEVANT = frozenset({"margin", "spot_checks"})


@dataclass(frozen=True, kw_only=True)
class ExplainPlan(Plan):
    """A plan to name the causes of all disagreements over runs."""

    study = "explain"

    runs: int = 20
    test_size: float = 0.3  # Share of the samples on the test side
    # Limit of each call of others' code; None where it is called in this process
    timeout_seconds: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON knows it, the kind of study first."""
        fields = super().as_dict()
        return {name: value for name, value in fields.items() if name not in IRRELEVANT}

    @property
    def rule(self) -> SplitRule:
        """How runs are split: as those of a comparison with the same options."""
        return SplitRule(
            self.seed, test_size=self.test_size, stratify=self.stratify, name=self.dataset
        )


@dataclass(frozen=True)
class PreparedExplain:
    """A plan together with what it is carried out on, found to be possible."""

    options: ExplainOptions
    plan: ExplainPlan
    dataset: Dataset
    entries: tuple[Implementation, ...]  # The reference first


class Explain(Kind[ExplainOptions, PreparedExplain]):
    """The cause of every disagreement, implementation by implementation."""

    name = "explain"
    function = "explain"
    kept = "{done} of {total} implementations are kept in {directory}"

    def prepare(self, options: ExplainOptions) -> PreparedExplain:
        dataset = dataset_of(options)
        limit, data = options.timeout_seconds, (dataset.X, dataset.y)
        entries = implementations(
            options.reference, options.against, timeout_seconds=limit, data=data
        )
        plan = ExplainPlan(
            **of_dataset(dataset),
            **origins(entries),
            runs=options.runs,
            test_size=options.test_size,
            stratify=options.stratify,
            seed=options.seed,
            timeout_seconds=limit,
        )
        plan.rule.cut(sample_of(dataset), 0)
        return PreparedExplain(options, plan, dataset, tuple(entries))

    def measure(self, prepared: PreparedExplain, store: Store, progress: Progress) -> None:
        dataset, (reference, *others) = prepared.dataset, prepared.entries
        done = store.notes(DIAGNOSIS)
        missing = [entry for entry in others if entry.name not in done]
        progress.begin("explain", total=len(others), done=len(done))
        if not missing:
            return
        cuts = prepared.plan.rule.cuts(sample_of(dataset), range(prepared.plan.runs))
        if store.note(SHARED) is None:
            sizes = {"n_train": len(cuts[0].train), "n_test": len(cuts[0].test)}
            store.add({}, {SHARED: {"classes": encoded(dataset.classes), **sizes}})
        splits = [(cut.train, cut.test) for cut in cuts]
        for entry in missing:
            found = diagnose(
                entry, reference, dataset.X, dataset.y, splits, classes=dataset.classes
            )
            store.add({}, {DIAGNOSIS + entry.name: encoded(found)})
            progress.advance(1)

    def summarize(self, store: Store) -> Summary:
        shared, found = require_noted(store, SHARED), store.notes(DIAGNOSIS)
        plan, command = settled_plan(store)
        missing = [name for name in plan["against"] if name not in found]
        if missing:
            raise unfinished(store, f"{len(found)} of {len(plan['against'])}")
        return summarize_diagnoses(
            {name: decoded(Diagnosis, found[name]) for name in plan["against"]},
            data=DatasetDescription.of(store.note("dataset")),
            classes=decoded(np.ndarray, shared["classes"]),
            sizes=(shared["n_train"], shared["n_test"]),
            plan=plan,
            environment=store.note("environment"),
            command=command,
        )

    def call(self, prepared: PreparedExplain) -> str:
        plan = prepared.plan
        names = ("reference", "runs", "test_size", "stratify", "seed", "timeout_seconds")
        options = {name: getattr(plan, name) for name in names}
        typed = [plan.specifications.get(name, name) for name in plan.against]
        options["reference"] = plan.specifications.get(plan.reference, plan.reference)
        return call_text(self.function, plan.dataset, against=typed, **options)

    def frame(self, summary: Summary) -> pd.DataFrame:
        """Return one row for each disagreement that is kept."""
        return summary.table("disagreements")

    runs = frame

    def report(self, summary: Summary) -> "Document":
        from gnbbench.report.explain import report

        return report(summary)


@study_function(ExplainOptions)
def explain(options: ExplainOptions) -> Study:
    """Return the causes of all differences between implementations and a reference.

    Run r is ``train_test_split(..., test_size=test_size, random_state=seed + r,
    stratify=y)``, as in `gnbbench.compare`.

    Examples
    --------
    >>> from gnbbench.implementations.textbook import TextbookGaussianNB
    >>> mine = TextbookGaussianNB(divisor="n-1", relative_smoothing=1e-9)
    >>> found = explain("iris", against=mine, runs=3).details.verdicts[0]
    >>> found.outcome
    'variance-divisor'
    """
    return run(options)
