"""Means and variances that a fitted model keeps, and answers that follow from them."""

import contextlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import count, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnbbench.arrays import CodeArray, FloatArray
from gnbbench.diagnosis import findings
from gnbbench.diagnosis.acceptance import (
    LABELS_AGAINST,
    Identified,
    identified,
    reproduced,
    settled_by,
)
from gnbbench.diagnosis.across_datasets import ComparedSides
from gnbbench.diagnosis.changed_samples import ROWS_USED
from gnbbench.diagnosis.family import variances
from gnbbench.diagnosis.moments import ROUNDINGS, Batch, Moments, TrainedRun
from gnbbench.diagnosis.moves import together
from gnbbench.diagnosis.observations import UNSEEN, Compared
from gnbbench.diagnosis.parameters import (
    FACTORS,
    SAME,
    USUAL_DIVISORS,
    Relation,
    relation_to,
    rounding_of,
)
from gnbbench.diagnosis.reproduction import Search, labels_under
from gnbbench.diagnosis.variants import (
    DEFAULT,
    Amount,
    Variant,
    complexity,
    is_fitted,
    is_noisy,
    moved,
    restored,
    words_of,
)
from gnbbench.implementations import Implementation
from gnbbench.implementations.adapting import fitted_model
from gnbbench.implementations.isolation import IsolatedModel
from gnbbench.implementations.kept_numbers import (
    OPEN,
    KeptNumbers,
    KeptTable,
    Place,
    kept_numbers,
    tables_in,
)
from gnbbench.words import listing, two_digits

# Kept means are at most so many deviations from those of the classes, on average.
NEAR = 1.0
# Runs on which models are fitted again to see what is added.
FEW_RUNS = 3
# Labels that must differ from the reference's for numbers to be their cause.
ENOUGH = 12
# More answers that are no labels have another reason.
MOST_UNSEEN = 0.5
# Tables tried for the variances, the most alike first, and knobs moved beside: fewer after
# this many datasets on which that was in vain.
MOST_TRIED, DEPTH, MOST_VAIN = 2, 2, 2
# Kept variances have been smoothed already, if at all.
BARE = replace(DEFAULT, smoothing=None)
# Power that makes variances of kept numbers -> what they are.
SPREADS = {1: "variances", 2: "standard deviations"}
# What rows may be changed to, also those to label, and all samples to learn from, in words.
OF_ROWS: dict[str, Callable[[FloatArray], Any]] = {
    "replaced by their absolute values": np.abs,
    "scaled to rows of length 1": lambda X: X / np.linalg.norm(X, axis=1)[:, np.newaxis],
    "replaced by their logarithms": np.log,
    "replaced by log(1 + x)": np.log1p,
}
CHANGES = {
    "standardised": lambda X: (X - X.mean(axis=0)) / X.std(axis=0),
    "divided by their standard deviations": lambda X: X / X.std(axis=0),
    "scaled to between 0 and 1": lambda X: (X - X.min(axis=0)) / np.ptp(X, axis=0),
    **OF_ROWS,
    **{f"rounded to {how}": rounded for how, rounded in ROUNDINGS.items()},
}


@dataclass(frozen=True, eq=False)
class Kept:
    """The means that all models of a dataset keep, and what may be their variances."""

    means: str  # Where they are
    theta: FloatArray  # (n_runs, n_classes, n_features)
    spreads: dict[str, FloatArray]  # Where each is -> the same, or one of its axes 1
    moments: Moments  # Those of the training samples, or of what they were changed to
    change: str = ""  # What was done to them first, a key of `CHANGES`

    @property
    def samples(self) -> str:
        """What the numbers are of, in words."""
        how = "in" if self.change in ROWS_USED else "once"
        return "each class's samples" + (f" {how} {self.change}" if self.change else "")

    @cached_property
    def is_centred(self) -> bool:
        """Whether the means are those of each class's samples."""
        slack = SAME * (np.abs(self.theta) + np.sqrt(self.moments.var))
        return bool((np.abs(self.theta - self.moments.theta) <= slack).all())

    @cached_property
    def related(self) -> list[tuple[str, int, Relation]]:
        """Where spreads are that follow from the classes', beside right means, and how."""
        pairs = product(self.spreads if self.is_centred else (), SPREADS)
        triples = ((*pair, self.relation(*pair)) for pair in pairs)
        return [(name, power, relation) for name, power, relation in triples if relation]

    @cached_property
    def usual(self) -> tuple[str, int, Relation] | None:
        """Where usual spreads are, beside right means, their power, and what is added."""
        usual = [one for one in self.related if one[-1].is_usual]
        usual.sort(key=lambda one: (not any(one[-1].added), one[-1].to != "variances"))
        return next(iter(usual), None)

    def shown_in(self, variant: Variant) -> Variant | None:
        """Return a variant with the amount and the divisor that usual spreads show."""
        if not self.usual or self.change:
            return None
        *_, relation = self.usual
        low, high = relation.added
        if low != high and not relation.of:
            return None
        rule = "absolute" if relation.to == "variances" else "deviation"
        added = relation.of or (Amount(rule, low) if low else None)
        return replace(variant, smoothing=added, divisor=USUAL_DIVISORS[relation.factor])

    @property
    def right(self) -> str:
        """Where right means are, and spreads, in a sentence, or what other means are."""
        means = f" The means in `{self.means}`"
        if not self.is_centred:
            return f"{means} are {self.means_of}." if self.means_of else ""
        if not self.related:
            text = f"{means} are those of {self.samples}, but no variances of them were "
            return text + "found: look at these, and at what is made of them."
        name, power, relation = self.usual or self.related[0]
        text = f"{means} and the {SPREADS[power]} in `{name}` are those of {self.samples}"
        text += f"{relation.words}: look at "
        is_odd = relation.added[1] and not relation.is_smoothed
        return text + ("this amount, and at " if is_odd else "") + "what is made of them."

    @cached_property
    def means_of(self) -> str:
        """What means are that are not those of the classes, in words, if that is known."""
        moments, scale = self.moments, _scale(self.moments)
        counts = moments.counts[..., np.newaxis]
        whole = (counts * moments.theta).sum(axis=1) / counts.sum(axis=1)
        options = {"those of all samples": whole[:, np.newaxis]}
        for words, factor in FACTORS.items():
            with np.errstate(all="ignore"):  # A class may have one row
                times = factor(counts, counts.sum(axis=1, keepdims=True))
            options[f"those of {self.samples}{words}"] = moments.theta * times
        alike = (w for w, m in options.items() if _are_same(self.theta, m, scale))
        how = rounding_of(self.theta, moments.theta)
        return next(alike, f"those of {self.samples}{how}" if how else "")

    @property
    def off(self) -> str:
        """How the means differ from those of the classes, in words, if they do."""
        if self.is_centred:
            return ""
        off = np.abs(self.theta - self.moments.theta) / _scale(self.moments)
        by = self.means_of or f"off by up to {two_digits(float(off.max()))} deviations"
        return f"means in `{self.means}` are {by}"

    def relation(self, name: str, power: int) -> Relation | None:
        """Return how kept numbers follow from the variances of classes, if they do."""
        theta = None if self.is_centred else self.theta
        return relation_to(self.spreads[name], power, self.moments, theta)

    def likely(self) -> list[tuple[str, int]]:
        """Return what may be variances, or deviations, and the power that makes them so."""
        with np.errstate(all="ignore"):
            unlike = {
                (name, power): (table.shape != self.theta.shape, np.std(np.log(ratio)))
                for name, table in self.spreads.items()
                for power in SPREADS
                for own, usual in [self.beside_variances(name)]
                for ratio in [own**power / usual]
            }
        # Those for each class and feature first
        return sorted(unlike, key=lambda one: unlike[one])[:MOST_TRIED]

    def beside_variances(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Return kept numbers and variances, both where there is a variance."""
        var, is_known = self.moments.var, self.moments.var > 0.0
        return np.broadcast_to(self.spreads[name], var.shape)[is_known], var[is_known]

    def words(self, proposal: "Proposal") -> str:
        """Return how the numbers differ from those of classes, and what follows."""
        spreads = f"{SPREADS[proposal.power]} that it keeps in `{proposal.name}` are "
        relation = self.relation(proposal.name, proposal.power)
        if relation:
            spreads += f"those of {self.samples}{relation.words}"
        else:
            own, usual = self.beside_variances(proposal.name)
            ratio = own / usual ** (1.0 / proposal.power)
            low, high = (two_digits(float(of(ratio))) for of in (np.min, np.max))
            times = low if low == high else f"{low} to {high}"
            spreads += f"{times} times those of {self.samples}"
        parts = [*filter(None, [spreads, self.off])]
        # First what is wrong
        is_usual = relation and (relation.about or relation.factor in USUAL_DIVISORS)
        parts = parts[::-1] if is_usual else parts
        text = f"The {', and the '.join(parts)}"
        knobs = [words_of(knob, proposal.variant) for knob in moved(proposal.variant, BARE)]
        asked = "that are changed alike" if proposal.is_both else "as they are given"
        knobs += [f"rows to label {asked}"] if self.change in CHANGES else []
        also = listing(["these numbers", *knobs]) + ("," if knobs else "")
        return f"{text}: with {also} the textbook's formulas give its labels."

    def answers(
        self, seen: Compared, name: str, power: int, *, is_both: bool = False
    ) -> Compared:
        """Return answers beside runs with these numbers in place of their moments."""
        var = np.broadcast_to(self.spreads[name] ** power, self.theta.shape)
        own = replace(self.moments, theta=self.theta, var=var)
        runs, samples, of_run = seen.batch.runs, seen.batch.samples, seen.batch.of_run
        with np.errstate(all="ignore"):
            samples = CHANGES[self.change](samples) if is_both else samples
        batch = Batch(runs, samples, of_run, {("float64", "two-pass"): own})
        return replace(seen, batch=batch, parameters={}, _distances={})


@dataclass(frozen=True)
class Proposal:
    """That kept numbers and a variant give the answers."""

    name: str  # Where the variances are
    power: int  # What makes variances of them
    variant: Variant
    is_both: bool = False  # Whether rows to label are changed as those learned from

    def labels(self, kept: Kept, seen: Compared) -> CodeArray:
        """Return the labels that follow, none where such numbers are not kept."""
        is_odd = self.is_both and kept.change not in OF_ROWS
        if is_odd or self.name not in kept.spreads:
            return np.full(len(seen.labels), UNSEEN)
        batch = kept.answers(seen, self.name, self.power, is_both=self.is_both).batch
        return labels_under(self.variant, batch)


def _places(table: KeptTable, moments: Moments, run: int) -> dict[str, int]:
    """Return the class whose means each row is nearest to, or its place, by its key."""
    gaps = np.abs(table.numbers[:, np.newaxis] - moments.theta[run]) / _scale(moments)[run]
    nearest = gaps.mean(axis=-1).argmin(axis=1).tolist()
    is_clear = len({*nearest}) == len(nearest)
    return dict(zip(table.classes, nearest if is_clear else count(), strict=False))


def _scale(moments: Moments) -> FloatArray:
    """Return the deviations of features, (n_runs, 1, n_features), above 0."""
    deviations = np.sqrt(moments.pooled)[:, np.newaxis]
    return np.asarray(deviations + np.finfo(np.float64).tiny)


def _are_same(means: FloatArray, others: FloatArray, scale: FloatArray) -> bool:
    return bool((np.abs(means - others) <= SAME * scale).all())


def _numbers_of(entry: Implementation, X: FloatArray, y: NDArray[Any]) -> KeptNumbers:
    """Return the numbers that a fresh model keeps after a fit; none if that fails."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        with contextlib.suppress(Exception):
            model = entry.make()
            model = fitted_model(model, model.fit(X, y))
            is_apart = isinstance(model, IsolatedModel)
            return model.kept_numbers() if is_apart else kept_numbers(model)
    return KeptNumbers([], np.zeros(0))


def kept_of(
    entry: Implementation, compared: ComparedSides, most: int | None = None
) -> Kept | None:
    """Return what models keep that are fitted again on each run; None without means."""
    batch = compared.answers.batch
    runs = batch.runs[:most]
    moments = batch.moments() if runs == batch.runs else Batch.of(runs).moments()
    shape = moments.theta.shape[1:]
    of_runs: list[dict[Place, KeptTable]] = []
    for run in runs if (moments.counts > 0).all() else ():
        kept = _numbers_of(entry, run.X_train, compared.classes[run.codes])
        of_runs.append({table.place: table for table in tables_in(kept, *shape)})
    shared = set.intersection(*(set(tables) for tables in of_runs)) if of_runs else ()
    tables = {place: [by[place] for by in of_runs] for place in sorted(shared)}
    plain = _kept_beside(tables, moments)
    if not tables or (plain is not None and plain.is_centred):
        return plain
    for words in (*CHANGES, *ROWS_USED):
        with np.errstate(all="ignore"):  # Of a feature that does not vary
            changed = [_changed(run, words) for run in runs]
            beside = _kept_beside(tables, Batch.of(changed).moments())
        varied = beside is not None and (beside.moments.pooled > 0.0) >= (
            moments.pooled > 0.0
        )
        if beside is not None and beside.is_centred and np.all(varied):
            return replace(beside, change=words)
    return plain


def _changed(run: TrainedRun, words: str) -> TrainedRun:
    """Return a run whose samples to learn from are changed, or some of them left out."""
    if words in CHANGES:
        return replace(run, X_train=CHANGES[words](run.X_train))
    places = ROWS_USED[words](run.X_train, run.codes)
    return replace(run, X_train=run.X_train[places], codes=run.codes[places])


def _kept_beside(
    tables: Mapping[Place, Sequence[KeptTable]], moments: Moments
) -> Kept | None:
    """Return which numbers are means, and what lies beside them; None without means."""
    means = _means_among(tables, moments)
    if means is None:
        return None
    orders = [_places(table, moments, n) for n, table in enumerate(tables[means])]
    numbers = {
        place: _in_order(own, orders)
        for place, own in tables.items()
        if own[0].is_beside(tables[means][0])
    }
    # With as many classes as features, numbers lie as the means do.
    others = sorted(numbers, key=lambda place: place[-1] == means[-1])
    spreads = {
        tables[place][0].name: numbers[place]
        for place in others
        if not _is_part(place[0], means[0])
        and ((numbers[place] > 0.0) & np.isfinite(numbers[place])).all()
    }
    return Kept(tables[means][0].name, numbers[means], spreads, moments)


def _is_part(path: Sequence[str], whole: Sequence[str]) -> bool:
    """Return whether a table's numbers are some of another's, or the same."""
    pairs = zip(path, whole, strict=False)
    return len(path) == len(whole) and all(of in (OPEN, key) for key, of in pairs)


def _in_order(
    tables: Sequence[KeptTable], orders: Sequence[Mapping[str, int]]
) -> FloatArray:
    """Return the numbers of all runs with each class in its place."""
    pairs = zip(tables, orders, strict=True)
    return np.stack([table.in_order(order) for table, order in pairs])


def _means_among(
    tables: Mapping[Place, Sequence[KeptTable]], moments: Moments
) -> Place | None:
    """Return the place of the numbers that are nearest to means of all classes."""
    least, nearest = NEAR, None
    for place, own in tables.items():
        if own[0].numbers.shape != moments.theta.shape[1:]:
            continue
        orders = [_places(table, moments, n) for n, table in enumerate(own)]
        gaps = np.abs(_in_order(own, orders) - moments.theta) / _scale(moments)
        if gaps.mean() < least:
            least, nearest = float(gaps.mean()), place
    return nearest


def explained(
    entry: Implementation, compared: Sequence[ComparedSides]
) -> list[ComparedSides]:
    """Say what models keep, where no variant of the usual moments gives their answers.

    One proposal, which gives most labels on all of these data, is taken where it gives
    nearly all that differ.
    """
    compared = [
        _added_where_kept(entry, _squares_where_kept(entry, side)) for side in compared
    ]
    known: dict[int, Kept] = {}
    for at, side in enumerate(compared):
        result = side.result
        is_open = result.outcome != "reproduced" or bool(result.unproven)
        is_open = is_open and not any(result.instead)
        is_open = is_open and bool(np.mean(side.answers.labels == UNSEEN) < MOST_UNSEEN)
        if is_open and (kept := kept_of(entry, side)) is not None:
            known[at] = kept
    usual = together([s.result.variant for s in compared if s.result.is_proved])
    usual = replace(usual, smoothing=None)
    strange = [at for at in known if compared[at].result.outcome == "stranger"]
    proposals = _together(_proposed([(known[at], compared[at]) for at in strange], usual))

    def score(proposal: Proposal) -> tuple[int, float]:
        """Return how many labels it gives on all data, and how usual the rest of it is."""
        alike = [
            int((proposal.labels(kept, seen) == seen.labels).sum())
            for at, kept in known.items()
            for seen in [compared[at].answers]
        ]
        return sum(alike), -complexity(proposal.variant, usual)

    best = max(proposals, key=score, default=None)
    return [
        _smoothed(side, known[at], usual) or _with(side, known[at], best)
        if at in known
        else side
        for at, side in enumerate(compared)
    ]


def _together(proposals: Iterable[Proposal]) -> list[Proposal]:
    """Return all proposals, and for the same numbers one with all their knobs moved."""
    single = list(dict.fromkeys(proposals))
    groups: dict[Any, list[Variant]] = {}
    for one in single:
        groups.setdefault((one.name, one.power, one.is_both), []).append(one.variant)
    return single + [
        Proposal(name, power, replace(together(alike), smoothing=None), is_both)
        for (name, power, is_both), alike in groups.items()
    ]


def _squares_where_kept(entry: Implementation, side: ComparedSides) -> ComparedSides:
    """Take what is kept for means of squares that labels suggest, if it gives them too."""
    result = side.result
    is_asked = result.is_reproduced and result.variant.pooling == "about zero"
    is_asked = is_asked and side.answers.log_posterior is None
    kept = kept_of(entry, side) if is_asked else None
    if kept is None or not kept.is_centred or kept.related:
        return side
    var = variances(result.variant, kept.moments)
    beside = {name: kept.spreads[name] ** power for name, power in kept.likely()}
    if any(np.allclose(own, var, rtol=SAME, atol=0.0) for own in beside.values()):
        return side
    proposal = next(_proposed_on(kept, side, DEFAULT, 1), None)
    strange = replace(side, result=replace(result, outcome="stranger"))
    return _with(strange, kept, proposal) if proposal else side


def _added_where_kept(entry: Implementation, side: ComparedSides) -> ComparedSides:
    """Take the amount that is kept for another that labels suggest, if that fits.

    It may be added once more where variances are used, or more, so that none is refuted.
    """
    variant = side.result.variant
    is_asked = "smoothing" in moved(variant, DEFAULT) and variant.smoothing is not None
    is_asked = is_asked and side.result.is_reproduced
    kept = kept_of(entry, side, FEW_RUNS) if is_asked else None
    proved = restored(variant, side.base.variant, *side.result.unproven)
    shown = kept.shown_in(proved) if kept else None
    if shown is None or shown.smoothing is None:
        return side
    if shown.smoothing == variant.smoothing:
        return _exactly(side, side.result)
    search = Search(side.base.variant, side.answers)
    once, wrong = shown.smoothing, search.fit(variant).errors
    twice = replace(shown, smoothing=replace(once, amount=2.0 * once.amount))
    fits = search.tried([shown, twice])
    sound = (fit for fit in fits if fit.errors - wrong < LABELS_AGAINST)
    fit = next(sound, None)
    return _exactly(side, reproduced(search, fit)) if fit else side


def _smoothed(side: ComparedSides, kept: Kept, usual: Variant) -> ComparedSides | None:
    """Return what usual spreads that are kept say, if that leaves nothing to explain."""
    if not (variant := kept.shown_in(usual)):
        return None
    search = Search(side.base.variant, side.answers)
    fit = settled_by([variant], search)
    return _exactly(side, reproduced(search, fit)) if fit else None


def _exactly(side: ComparedSides, result: Identified) -> ComparedSides:
    """Return a side with a result whose amount is known, whatever others do as well."""
    amount, known = result.variant.smoothing, result.intervals
    if amount and "smoothing" in known:
        known = {**known, "smoothing": (amount.amount,) * 2}
    return replace(side, result=replace(result, intervals=known))


def _with(side: ComparedSides, kept: Kept, proposal: Proposal | None) -> ComparedSides:
    """Add a proposal that gives most labels that differ, or that the numbers are right."""
    if proposal is not None and proposal.name in kept.spreads:
        labels = proposal.labels(kept, side.answers)
        shown = findings.LEARNED, kept.words(proposal)
        result = replace(side.result, instead=shown, of_model=labels)
        if result.is_of_model(side.reference.labels, side.answers.labels):
            return replace(side, result=result)
    return replace(side, result=replace(side.result, kept_right=kept.right))


def _proposed(
    sides: Sequence[tuple[Kept, ComparedSides]], usual: Variant
) -> Iterator[Proposal]:
    """Yield what gives all answers on some dataset, with several knobs moved if need be.

    Where that was in vain on some datasets, one knob is moved on the others.
    """
    n_vain = 0
    for kept, side in sides:
        own = list(_proposed_on(kept, side, usual, 1))
        if not own and n_vain < MOST_VAIN:
            own = list(_proposed_on(kept, side, usual, DEPTH))
            n_vain += not own
        yield from own


def _proposed_on(
    kept: Kept, side: ComparedSides, usual: Variant, depth: int
) -> Iterator[Proposal]:
    """Yield what gives all answers on one dataset, without a number that was fitted.

    Numbers that all features or classes share have to do so with nothing else changed.
    """
    is_silent = side.differs.sum() < ENOUGH or side.answers.is_one_label
    is_right = kept.usual is not None and not kept.change
    likely = () if is_right or is_silent else kept.likely()
    sides = (False, True) if kept.change in OF_ROWS else (False,)
    for (name, power), is_both in product(likely, sides):
        answers = kept.answers(side.answers, name, power, is_both=is_both)
        result = identified(BARE, answers, [usual], (depth, depth))
        variant, is_whole = result.variant, kept.spreads[name].shape == kept.theta.shape
        is_doubtful = is_fitted(variant) or is_noisy(variant) or result.unproven
        is_plain = is_whole or variant in (BARE, usual)
        # Other variances than those kept say nothing of these.
        is_plain &= variant.is_general and variant.pooling == BARE.pooling
        if result.is_reproduced and is_plain and not is_doubtful:
            yield Proposal(name, power, variant, is_both)
