"""Why an implementation's answers differ from the reference's: causes and a verdict."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, islice

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import changed_samples, findings, variants
from gnbbench.diagnosis.acceptance import NEGLIGIBLE, Identified, identified, identified_cut
from gnbbench.diagnosis.across_datasets import ComparedSides, reconciled
from gnbbench.diagnosis.changed_samples import OtherModel, Question
from gnbbench.diagnosis.family import contributions
from gnbbench.diagnosis.findings import Cause, Diagnosis, stated
from gnbbench.diagnosis.identification import DEPTH
from gnbbench.diagnosis.kept_parameters import explained
from gnbbench.diagnosis.moments import Batch, TrainedRun
from gnbbench.diagnosis.moves import not_shown, together
from gnbbench.diagnosis.observations import UNSEEN, Compared, Observation, observe
from gnbbench.diagnosis.reproduction import Search, labels_under, scores
from gnbbench.diagnosis.roundings import rounded, without_single
from gnbbench.diagnosis.tables import softmax
from gnbbench.diagnosis.variants import DEFAULT, WORDS, Variant, cause_of, describe, moved
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import NO_LABELS
from gnbbench.words import amount, count, counted, listing, plural, two_digits

MOST_SHOWN = 200
MOST_LISTED = 3  # Of labels
_ENOUGH_RUNS = 200
# After this many datasets that no variant reproduces, fewer knobs are moved.
ENOUGH_STRANGE = 2


@dataclass(frozen=True, eq=False)
class Trial:
    """Labelled samples, their splits, and answers that are known already."""

    X: ArrayLike
    y: ArrayLike
    splits: Sequence[tuple[CodeArray, CodeArray]]
    classes: ArrayLike | None = None
    expected: Sequence[Observation] = ()  # Of the reference on the first splits
    answers: Sequence[Observation] = ()  # Of the implementation on them

    def observed(
        self,
        entry: Implementation,
        known: Sequence[Observation] = (),
        n_splits: int | None = None,
        seconds: float = np.inf,
    ) -> list[Observation]:
        """Return an implementation's answers on the first splits, by default on all.

        None is begun after so many seconds.
        """
        classes = np.unique(self.y) if self.classes is None else np.asarray(self.classes)
        splits = [(np.asarray(train), np.asarray(test)) for train, test in self.splits]
        X, y = np.asarray(self.X, dtype=np.float64), np.asarray(self.y)
        if not (left := splits[len(known) : n_splits]):
            return list(known)
        asked = X, y, left, classes
        return [*known, *observe(entry, *asked, again=not known, seconds=seconds)]

    def question(self, reference: Implementation, entry: Implementation) -> Question:
        """Return both sides with their answers on all splits."""
        return Question(
            reference,
            entry,
            np.asarray(self.X, dtype=np.float64),
            np.asarray(self.y),
            [(np.asarray(train), np.asarray(test)) for train, test in self.splits],
            np.unique(self.y) if self.classes is None else np.asarray(self.classes),
            self.observed(reference, self.expected),
            self.observed(entry, self.answers),
        )


def diagnose(
    entry: Implementation,
    reference: Implementation,
    X: ArrayLike,
    y: ArrayLike,
    splits: Sequence[tuple[CodeArray, CodeArray]],
    *,
    classes: ArrayLike | None = None,
) -> Diagnosis:
    """Find the causes of all differences between an implementation and the reference.

    The textbook's formulas are evaluated with their knobs moved one at a time and together;
    the variant that gives the implementation's labels, probabilities and parameters with
    the fewest knobs moved is taken for what it does. The cause of a disagreement is the
    knob that restores the reference's label when it alone is switched back. If no variant
    reproduces the answers, or too few labels support one, no knob is named.
    """
    (diagnosis,) = diagnose_each(entry, reference, [Trial(X, y, splits, classes)])
    return diagnosis


def diagnose_each(
    entry: Implementation, reference: Implementation, trials: Sequence[Trial]
) -> list[Diagnosis]:
    """Find the causes on each of several datasets, the most revealing ones first.

    A variant proved on one dataset is taken wherever it leaves nothing to explain. Of two,
    the later one is: the earlier did not fit where the later was proved.
    """
    known = Known(entry, reference)
    for trial in trials:
        known.compared.append(_compared_on(trial, known))
    sides = without_single(known.sides, known.proved)
    sides = reconciled(sides, known.proved, len(known.compared) - len(sides))
    final = iter(explained(entry, rounded(sides)))
    return [
        side if isinstance(side, Diagnosis) else _diagnosed(entry.name, next(final))
        for side in known.compared
    ]


@dataclass(eq=False)
class Known:
    """What the datasets compared so far, and made samples, show of an implementation."""

    entry: Implementation
    reference: Implementation
    proved: list[Variant] = field(default_factory=list)
    compared: list[ComparedSides | Diagnosis] = field(default_factory=list)

    @property
    def sides(self) -> list[ComparedSides]:
        """The datasets on which both gave answers."""
        return [side for side in self.compared if isinstance(side, ComparedSides)]

    @cached_property
    def other_model(self) -> OtherModel:
        """What samples with correlated features show."""
        return changed_samples.other_model(self.reference, self.entry)

    @cached_property
    def of_whole_numbers(self) -> OtherModel:
        """What samples of whole numbers show."""
        return changed_samples.of_whole_numbers(self.reference, self.entry)

    @property
    def depths(self) -> tuple[int, int]:
        """How many knobs to move for probabilities, and for labels only.

        If two datasets fit no variant and not as many fit one, only one; two if only labels
        are offered.
        """
        sides = self.sides
        results = [side.result for side in sides if side.answers.log_posterior is not None]
        if not results:
            labelled = [side.result for side in sides if not side.result.is_constant]
            is_over = sum(r.outcome == "stranger" for r in labelled) >= ENOUGH_STRANGE
            is_open = not is_over or any(result.is_proved for result in labelled)
            return DEPTH, DEPTH if is_open else 2
        strange = [result for result in results if result.outcome == "stranger"]
        # Nothing better than the reference's formulas was found, and they are not it.
        left = [
            r
            for r in results
            if r.probabilities_left
            or (r.fit and r.fit.variant == DEFAULT and not r.fit.is_settled)
        ]
        others = [result for result in results if result not in (*strange, *left)]
        n_found = sum(r.variant != DEFAULT and not r.is_shown for r in others)
        n_strange = len({*map(id, (*strange, *left))}), len(strange)
        by_tables, by_labels = (
            DEPTH if n < max(ENOUGH_STRANGE, n_found + 1) else 1 for n in n_strange
        )
        return by_tables, by_labels


def _compared_on(trial: Trial, known: Known) -> ComparedSides | Diagnosis:
    """Compare both sides on one dataset, and add the variant that it proves."""
    question = trial.question(known.reference, known.entry)
    expected, answers = question.expected, question.answers
    both = [
        place
        for place, sides in enumerate(zip(expected, answers, strict=True))
        if all(not side.failure or (side.labels >= 0).any() for side in sides)
    ]
    failures = findings.failures_of(answers)
    if not both:
        name = known.entry.name
        verdict = f"{name}: no run could be compared, because the reference failed."
        if failures:
            verdict = f"{name} fails: {failures[0].summary}"
        return Diagnosis(verdict, same=False, causes=tuple(failures))
    batch = _batch(question, both)
    first, second = (
        Compared.of(batch, [side[place] for place in both]) for side in (expected, answers)
    )
    base = identified(DEFAULT, first)
    how = question.roundings()
    is_usual = how is None or base.variant != DEFAULT
    other = OtherModel() if is_usual else known.other_model
    result = shown = other.taken_for(_strange(Search(DEFAULT, second)), second)
    if not (other.shown[0] and shown.is_of_model(first.labels, second.labels)):
        contrary = next((seen.contrary for seen in answers if seen.contrary), "")
        depths = _limited(known.depths, answers[0].changed, contrary)
        likely = [*known.proved, together(known.proved)]
        second, result = identified_cut(base.variant, second, likely, depths)
        failures = findings.with_cut(failures, second.cut) if second.cut else failures
        whole = Search(base.variant, second)
        is_rounded = bool(how) and not second.is_one_label  # Which any rounding may give
        result = changed_samples.asked_otherwise(
            result,
            whole,
            question,
            [side.result.instead for side in known.sides],
            lambda: known.of_whole_numbers,
            is_rounded=is_rounded,
        )
        is_sound = bool(contrary) and first.has_shares_of(second)
        if is_sound and "class order" not in moved(result.variant, base.variant):
            is_normal = all(cause.cause != findings.UNNORMALISED for cause in failures)
            whose = "Its" if is_normal else "Normalised, its"
            contrary += f" {whose} probabilities are scikit-learn's."
            result = replace(_strange(whole), instead=(findings.CONTRADICTION, contrary))
            failures = [c for c in failures if c.cause != findings.CONTRADICTION]
        result = shown if other.shown[0] and result.outcome != "reproduced" else result
    if both[0] == 0 and _only_rounding(answers[0].changed, result, batch):
        failures = [cause for cause in failures if cause.cause != findings.STATEFUL]
    if result.is_proved and base.variant == DEFAULT and result.variant not in known.proved:
        known.proved.append(result.variant)
    return ComparedSides(
        numbers=np.array(both),
        reference=first,
        answers=second,
        base=base,
        result=result,
        failures=failures,
        truths=question.y,
        classes=question.classes,
        roundings=how,
    )


def _batch(question: Question, places: Sequence[int]) -> Batch:
    """Return the training and test samples of some splits."""
    X, classes = question.X, question.classes
    codes = np.searchsorted(classes, question.y)
    return Batch.of(
        [
            TrainedRun(X[train], codes[train], X[test], len(classes), test)
            for train, test in (question.splits[place] for place in places)
        ]
    )


def _limited(depths: tuple[int, int], changed: CodeArray, contrary: str) -> tuple[int, int]:
    """Return how many knobs to move where answers contradict themselves.

    Only an order of classes explains both; changing labels fit no setting for long.
    """
    if len(changed):
        return 1, 1
    if contrary:
        return min(2, depths[0]), depths[1]
    return depths


def _strange(search: Search) -> Identified:
    """Return that no variant was found."""
    plain = search.fit(DEFAULT)
    return Identified(DEFAULT, "stranger", plain, plain)


def _only_rounding(changed: CodeArray, result: Identified, batch: Batch) -> bool:
    """Return whether labels of the first run changed, and only where two scores tie."""
    if not len(changed):
        return False
    rows, first, second = changed[np.argsort(changed[:, 0])].T
    asked = batch.rows(np.isin(np.arange(len(batch.samples)), rows))
    return bool(_margins(result.variant, asked, first, second)[1].all())


def _diagnosed(name: str, compared: ComparedSides) -> Diagnosis:
    """Return the diagnosis that follows from a comparison."""
    base, result, answers = compared.base, compared.result, compared.answers
    failures = compared.failures
    is_stateful = findings.changes_labels(failures)
    reproduces = result.outcome == base.outcome == "reproduced"
    reproduces = reproduces and not (is_stateful and result.probabilities_left)
    rows, of_rows, margins = _explained(compared, reproduces=reproduces)
    counts = Counter(cause for row in of_rows for cause in set(row))
    n_disagreements, n_predictions = len(rows), len(answers.raw_labels)
    causes = [*failures, *_oddities(compared)]
    if "class order" in moved(result.variant, base.variant):  # Says the same, and more
        causes = [cause for cause in causes if cause.cause != findings.CONTRADICTION]
    if base.outcome != "reproduced":
        causes.append(_no_variant(base, counts, "of the reference "))
    elif reproduces or not is_stateful:
        causes += _of_answers(compared, counts)
    if is_stateful and base.outcome == "reproduced":
        # What changes from call to call may be the amount itself.
        amounts = [cause for cause in causes if cause.interval is not None]
        n = sum(cause.explained for cause in amounts) if reproduces else n_disagreements
        causes = [
            replace(cause, explained=n) if cause.cause == findings.STATEFUL else cause
            for cause in causes
            if cause not in amounts
        ]
    if counts.get(findings.TIE):
        text = "Both labels score equally under the reference's formulas, up to rounding."
        causes.append(stated(findings.TIE, counts[findings.TIE], text))
    causes.sort(key=lambda cause: -cause.explained)
    offered = answers.log_posterior is not None
    explained = zip(rows.tolist(), of_rows, margins, strict=True)
    return Diagnosis(
        verdict=findings.verdict_of(name, causes, n_disagreements, n_predictions),
        same=not causes and n_disagreements == 0,
        causes=tuple(causes),
        n_disagreements=n_disagreements,
        n_predictions=n_predictions,
        unexplained=sum(not row for row in of_rows),
        reproduced_share=result.fit.share if result.fit else 0.0,
        largest_remaining_difference=result.probabilities_left
        or (answers.cut.left if answers.cut else result.fit.largest_difference)
        if result.fit and offered and result.n_undefined < n_predictions
        else None,
        setting=findings.setting_of(result),
        disagreements=tuple(islice(_in_full(compared, explained), MOST_SHOWN)),
        rivals=result.rivals if causes and reproduces and not offered else (),
        not_shown=() if offered else not_shown(base.variant, answers.batch),
    )


def _oddities(compared: ComparedSides) -> Iterator[Cause]:
    """Yield causes for unseen labels, NaN, and probabilities that nothing reproduces."""
    result, answers = compared.result, compared.answers
    unseen = answers.raw_labels[answers.labels == UNSEEN].tolist()
    if unseen and not result.explains_unseen:
        foreign = {*unseen} - {*NO_LABELS.values(), ""}
        shown = ", ".join(sorted(map(repr, foreign))[:5])
        text = f"{plural(len(unseen), 'label')} were not among those trained on: {shown}."
        if not foreign:
            text = f"{plural(len(unseen), 'answer')} were no labels, but None, text or "
            text += "other numbers."
        unlabelled = "Print the scores of a row that gets None: look for NaN, 0 and -inf."
        remedy = unlabelled if None in foreign else "Return elements of `np.unique(y)`."
        yield stated(findings.UNSEEN_CLASS, len(unseen), text, remedy, shown)
    if result.n_undefined:
        text = f"The probabilities of {plural(result.n_undefined, 'row')} contain NaN."
        remedy = "Add log-densities; before np.exp, subtract the largest of a row's sums."
        yield stated(findings.NAN, result.n_undefined, text, remedy)
    n_numbers = int((compared.reference.undefined & ~answers.undefined).sum())
    if n_numbers and answers.log_posterior is not None:
        text = f"It gives probabilities for {plural(n_numbers, 'row')}, the reference NaN."
        yield stated(findings.PROBABILITIES, 0, text)
    contradicting = {findings.PROBABILITIES, findings.CONTRADICTION}
    contradicted = any(cause.cause in contradicting for cause in compared.failures)
    if result.probabilities_left > NEGLIGIBLE and not contradicted:
        text = "A setting gives its labels, but not its probabilities"
        if not compared.differs.any():
            text = "Its labels are the reference's, its probabilities are not"
        remedy = WORDS["remedy"]["probabilities"]
        if result.factor != 1.0:
            is_mean = np.isclose(result.factor * answers.batch.samples.shape[1], 1.0)
            by = "divided by the number of features"
            by = by if is_mean else f"multiplied by {amount(result.factor)}"
            text = f"Its probabilities are those of log-scores {by}"
            remedy = WORDS["remedy"]["factor"]
        text += f": they differ by up to {two_digits(result.probabilities_left)}."
        yield stated(findings.PROBABILITIES, 0, text, remedy)


def _of_answers(compared: ComparedSides, counts: Counter[str]) -> list[Cause]:
    """Return the causes that lie in the formulas."""
    result, answers = compared.result, compared.answers
    n = int(compared.differs.sum())
    cause, words = result.instead
    if cause:
        text = WORDS["does"][cause].format(words=words)
        remedy = WORDS["remedy"][cause].format(words=words, **WORDS["code"])
        other = stated(cause, counts[cause], text, remedy, words)
        if result.of_model is None:
            return [other]
        alike = int((result.of_model == answers.labels).sum())
        given = counted(alike, len(answers.labels), "label")
        return [replace(other, evidence=f"On these data such a model gives {given}.")]
    # Answers that are no labels are told apart.
    foreign = answers.labels == UNSEEN
    if result.is_constant:
        return [] if foreign.any() else [_constant(answers, n)]
    if result.outcome == "stranger":
        return [] if foreign.all() else [_of_stranger(compared, counts)]
    if result.outcome == "undecided":
        return [_undecided(compared, n)]
    causes = _knob_causes(compared, counts, n)
    if result.unproven:
        causes.append(_undecided(compared, counts[findings.UNDECIDED]))
    fit = result.fit
    is_open = fit and not fit.is_settled and not result.probabilities_left
    if not causes and fit and is_open and fit.largest_difference > NEGLIGIBLE:
        largest = two_digits(fit.largest_difference)
        what = f"Probabilities differ by up to {largest}"
        text, kind = f"{what}, which no setting tried explains.", findings.UNEXPLAINED
        causes.append(stated(findings.PROBABILITIES, 0, text, estimate=what, kind=kind))
    return causes


def _constant(answers: Compared, n: int) -> Cause:
    """Report that all rows get one label, and what their probabilities show."""
    labels, table = list(dict.fromkeys(answers.raw_labels.tolist())), answers.log_posterior
    text = f"It gives the label {labels[0]!r} to all {count(len(answers.labels))} rows"
    if len(labels) > 1:
        text = "It gives one label to all rows of a run"
    remedy = "Print the scores of two rows: look for NaN, and for scores that never differ."
    if answers.undefined.all():
        text += ", with NaN for probabilities"
        remedy = "Print the scores of one row: look for 0/0, a variance of zero, log(0)."
    elif table is not None and np.array_equal(table, np.tile(table[:, :1], table.shape[1])):
        text += ", with equal probabilities for all classes"
        remedy = "Print the scores of one row: equal ones are all zero, infinite or unset."
    return stated(findings.CONSTANT, n, f"{text}.", remedy, str(labels[0]))


def _of_stranger(compared: ComparedSides, counts: Counter[str]) -> Cause:
    """Return the cause that no variant fits, noting if most labels are never predicted."""
    cause = _no_variant(compared.result, counts, "")
    remedy = "Score every class of np.unique(y); if you do, see why the others never win."
    if compared.for_two:
        text = "It is made for two classes: of more it gives only the first two."
        if compared.for_two == "half" and (halves := compared.halves):
            yes, no = map(repr, compared.classes[[*halves]].tolist())
            text = f"It is made for two classes: it gives {yes} to rows where that label "
            text += f"has a probability of at least 1/2, and {no} to all others."
        return replace(cause, summary=text, remedy=remedy, evidence="")
    codes = np.setdiff1d(compared.answers.labels, [UNSEEN])
    others = np.setdiff1d(compared.reference.labels, codes)
    n, n_given = len(compared.classes), len(codes)
    if not len(others) or n_given > max(2, n // 2):
        return cause
    few = listing([*map(repr, compared.classes[codes].tolist())], MOST_LISTED)
    text = f"It gives only {n_given} of the {n} labels: {few}."
    return replace(cause, summary=f"{text} {cause.summary}", remedy=remedy)


def _knob_causes(compared: ComparedSides, counts: Counter[str], n: int) -> list[Cause]:
    """Return a cause for each knob that the answers support."""
    result, base = compared.result, compared.base.variant
    pooled = compared.answers.batch.moments().pooled
    largest_variance = float(np.median(pooled.max(axis=1)))
    knobs = [k for k in moved(result.variant, base) if k not in result.unproven]
    # By how much the reproduction worsens with a knob switched back.
    knobs.sort(key=lambda knob: -result.without[knob].loss)
    n_of = {knob: (counts[cause_of(knob, result.variant)], n) for knob in knobs}
    return [
        findings.cause_of_knob(knob, result, base, n_of[knob], largest_variance)
        for knob in knobs
    ]


def _no_variant(result: Identified, counts: Counter[str], whose: str) -> Cause:
    nearest = describe(result.variant, DEFAULT) if result.variant != DEFAULT else ""
    summary = "No setting of the textbook's formulas that was tried gives these answers"
    summary += " and those on other data." if result.is_doubted else "."
    summary += result.kept_right
    fit = result.fit
    n = max(round((1.0 - fit.share) * len(fit.labels)), fit.errors) if fit else 0
    evidence = f"The nearest setting{f' ({nearest})' if nearest else ', as scikit-learn,'} "
    evidence += f"misses {plural(n, 'answer')} {whose}".rstrip()
    evidence += " here, and more elsewhere." if result.is_doubted else "."
    return Cause(findings.NOT_GNB, counts[findings.NOT_GNB], None, evidence, summary)


def _undecided(compared: ComparedSides, n: int) -> Cause:
    """Return the cause that too few labels differ, and what would help."""
    result = compared.result
    knobs = result.unproven or moved(result.variant, compared.base.variant)
    causes = list(dict.fromkeys(cause_of(knob, result.variant) for knob in knobs))
    if result.outcome == "reproduced":
        words = " and ".join(findings.CAUSES[cause] for cause in causes)
        others = [findings.CAUSES[rival] for rival in result.rivals if rival not in causes][
            :2
        ]
        likely = "most likely" if n > 2 and len(causes) == 1 and not others else "perhaps"
        rest = f", perhaps {' or '.join(others)}" if others else ""
        few = f"{plural(n, 'label')} {'is' if n == 1 else 'are'} too few to tell"
        summary = f"{few if n else 'No label can tell'}; {likely} {words}{rest}."
    else:
        wrong = result.fit.errors if result.fit else 0
        summary = f"The nearest setting misses {wrong} of {plural(n, 'disagreement')}: too "
        summary += "few to tell whether another gives all."
    runs = max(_ENOUGH_RUNS, 10 * len(compared.numbers))
    remedy = f"Try more runs (--runs {runs}), or data on which more labels differ."
    return stated(findings.UNDECIDED, n, summary, remedy)


def _explained(
    compared: ComparedSides, *, reproduces: bool
) -> tuple[CodeArray, list[tuple[str, ...]], FloatArray]:
    """Return the rows of all disagreements, their causes and margins.

    A knob is a cause where switching it back alone restores the reference's label, two
    knobs where only both do. A margin is the lead of the reference's label under its own
    formulas.
    """
    result, base = compared.result, compared.base.variant
    rows = np.flatnonzero(compared.differs)
    if not len(rows):
        return rows, [], np.zeros(0)
    batch = compared.answers.batch.rows(compared.differs)
    first, second = compared.reference.labels[rows], compared.answers.labels[rows]
    margins, is_tie = _margins(base, batch, first, second)
    back = _switched_back(batch, base, result.variant) if reproduces else {}
    shown = moved(result.variant, base) if result.is_shown else ()
    by_model = second if result.of_model is None else result.of_model[rows]
    causes: list[tuple[str, ...]] = []
    for at, (wanted, label) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        if label == UNSEEN and not (reproduces and result.explains_unseen):
            causes.append((findings.UNSEEN_CLASS,))
        elif is_tie[at]:
            causes.append((findings.TIE,))
        elif by_model[at] != label:
            causes.append(())
        elif not reproduces or result.is_constant:
            causes.append((findings.cause_of_all(result, compared.failures),))
        elif back[()][at] != label:
            causes.append(tuple(cause_of(k, result.variant) for k in shown))
        else:
            restoring = [knobs for knobs in back if back[knobs][at] == wanted]
            alone = tuple(knobs[0] for knobs in restoring if len(knobs) == 1)
            knobs = alone or next((knobs for knobs in restoring if len(knobs) > 1), ())
            names = (
                findings.UNDECIDED
                if knob in result.unproven
                else cause_of(knob, result.variant)
                for knob in knobs
            )
            causes.append(tuple(dict.fromkeys(names)))
    return rows, causes, margins


def _switched_back(
    batch: Batch, base: Variant, best: Variant
) -> dict[tuple[str, ...], CodeArray]:
    """Return the labels with no, one, two and all knobs switched back."""
    knobs = moved(best, base)
    sets = [chosen for n in (0, 1, 2) for chosen in combinations(knobs, n)]
    return {
        chosen: labels_under(variants.restored(best, base, *chosen), batch)
        for chosen in dict.fromkeys([*sets, knobs])
    }


def _margins(
    base: Variant, batch: Batch, first: CodeArray, second: CodeArray
) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return the leads of the reference's labels, and whether rounding may decide them."""
    plain, rows = scores(base, batch), np.arange(len(first))
    known = (first >= 0) & (second >= 0)
    with np.errstate(all="ignore"):
        margins: FloatArray = plain.joint[rows, first] - plain.joint[rows, second]
        slack = plain.rounding[rows, first] + plain.rounding[rows, second]
        margins = np.where(known, margins, np.nan)
        return margins, np.abs(margins) <= slack


def _in_full(
    compared: ComparedSides, explained: Iterator[tuple[int, tuple[str, ...], float]]
) -> Iterator[findings.ExplainedDisagreement]:
    """Yield each disagreement with all that is known about it."""
    reference, answers, batch = compared.reference, compared.answers, compared.answers.batch
    starts = np.searchsorted(batch.of_run, batch.of_run)
    for row, causes, margin in explained:
        first, second = int(reference.labels[row]), int(answers.labels[row])
        run = int(batch.of_run[row])
        sample = int(batch.runs[run].test[row - starts[row]])
        known = first >= 0 and second >= 0
        yield findings.ExplainedDisagreement(
            int(compared.numbers[run]),
            sample,
            compared.truths[sample],
            compared.classes[first] if first >= 0 else reference.raw_labels[row],
            answers.raw_labels[row],
            causes,
            float(margin),
            batch.samples[row],
            _posterior(reference, row),
            _posterior(answers, row),
            *(
                contributions(side.variant, batch, row, first, second)
                if known
                else np.full(batch.samples.shape[1], np.nan)
                for side in (compared.base, compared.result)
            ),
        )


def _posterior(seen: Compared, row: int) -> FloatArray | None:
    table = seen.log_posterior
    return None if table is None else np.asarray(softmax(table[[row]])[0])
