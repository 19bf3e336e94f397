"""The study of causes: why implementations disagree with the reference."""

from typing import TypeAlias

import numpy as np

from gnbbench.diagnosis import Diagnosis, diagnose
from gnbbench.implementations import implementations
from gnbbench.progress import Progress
from gnbbench.report.explain import report
from gnbbench.splits import SplitRule, sample_of
from gnbbench.statistics.explain import summarize_diagnoses
from gnbbench.statistics.summary import DatasetDescription, Summary
from gnbbench.studies.kinds import run
from gnbbench.studies.option import study_function
from gnbbench.studies.options import ExplainOptions
from gnbbench.studies.plan import Prepared, dataset_of, of_dataset, origins, plan_of_runs
from gnbbench.studies.schema import decoded, encoded
from gnbbench.studies.store import Store
from gnbbench.studies.study import Kind, Study, every_note, missing, require_noted, settled

# Keys of notes: what all diagnoses share, and the prefix of an implementation's name.
SHARED, DIAGNOSIS = "explained", "diagnosis of "
# Fields of a plan of runs that causes do not depend on.
IRRELEVANT = frozenset({"margin", "spot_checks"})

PreparedExplain: TypeAlias = Prepared[ExplainOptions]


class Explain(Kind):
    """The cause of every disagreement, implementation by implementation."""

    name = "explain"
    function = "explain"
    kept = "{done} of {total} implementations are kept in {directory}"
    frame_name = runs_name = "disagreements"
    report = staticmethod(report)

    def prepare(self, options: ExplainOptions) -> PreparedExplain:
        dataset = dataset_of(options)
        limit, data = options.timeout_seconds, (dataset.X, dataset.y)
        names = options.reference, options.against
        entries = implementations(
            *names, timeout_seconds=limit, data=data, keep=options.keep
        )
        plan_options = ("test_size", "timeout_seconds")
        fields = origins(entries), of_dataset(dataset), plan_options
        plan = plan_of_runs(self.name, options, *fields)
        plan = {name: plan[name] for name in plan if name not in IRRELEVANT}
        rule_of(options).cut(sample_of(dataset), 0)
        return Prepared(options=options, plan=plan, dataset=dataset, entries=entries)

    def measure(self, prepared: PreparedExplain, store: Store, progress: Progress) -> None:
        dataset, (reference, *others) = prepared.dataset, prepared.entries
        named, options = {entry.name: entry for entry in others}, prepared.options
        with missing(store, DIAGNOSIS, named, progress, "explain") as left:
            if not left:
                return
            cuts = rule_of(options).cuts(sample_of(dataset), range(options.runs))
            if store.note(SHARED) is None:
                sizes = {"n_train": len(cuts[0].train), "n_test": len(cuts[0].test)}
                store.add({}, {SHARED: {"classes": encoded(dataset.classes), **sizes}})
            samples = dataset.X, dataset.y, [(cut.train, cut.test) for cut in cuts]
            for name, entry in left.items():
                diagnosis = diagnose(entry, reference, *samples, classes=dataset.classes)
                store.add({}, {DIAGNOSIS + name: encoded(diagnosis)})
                progress.advance(1)

    def summarize(self, store: Store) -> Summary:
        shared, noted = require_noted(store, SHARED), settled(store)
        names = noted.plan["against"]
        notes = every_note(store, DIAGNOSIS, names)
        return summarize_diagnoses(
            {n: decoded(Diagnosis, note) for n, note in zip(names, notes, strict=True)},
            noted,
            data=DatasetDescription.of(store.note("dataset")),
            classes=decoded(np.ndarray, shared["classes"]),
            sizes=(shared["n_train"], shared["n_test"]),
        )


def rule_of(options: ExplainOptions) -> SplitRule:
    """Return the split rule of a comparison with the same options."""
    return SplitRule(options.seed, options.test_size, stratify=options.stratify)


@study_function(ExplainOptions)
def explain(options: ExplainOptions) -> Study:
    """Explain all differences between implementations and a reference.

    Run r is ``train_test_split(..., test_size=test_size, random_state=seed + r,
    stratify=y)``, as in `gnbbench.compare`.

    Examples
    --------
    >>> from gnbbench.implementations.textbook import TextbookGaussianNB
    >>> mine = TextbookGaussianNB(divisor="n-1", relative_smoothing=1e-9)
    >>> explain("iris", against=mine, runs=3).details.verdicts[0].outcome
    'variance-divisor'
    """
    return run(options)
