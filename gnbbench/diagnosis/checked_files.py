"""Findings of a check: on each dataset, and on each file as a whole."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gnbbench.diagnosis import findings
from gnbbench.diagnosis.findings import PRECISION, UNEXPLAINED, Cause, Diagnosis, stated
from gnbbench.diagnosis.variants import WORDS
from gnbbench.words import count, listing, plural

SAME, DIFFERS, FAILED = "agrees", "differs", "cannot be run"
# Hard cases, or families of them, in which correct code in float64 gives right answers.
ORDINARY = frozenset(WORDS["cases"]["ordinary"].split("; "))
SIZES = ("classes", "features", "training rows")
FORMS = ("DataFrames", "lists of rows")  # Of samples, that code may ask for
COUNTED = ("labels", "difference", "rows")  # Units of what answers differ by
FRAMES = "data-frames"  # The hard case that limits what is certified to arrays
# Causes that change probabilities wherever they are compared.
ALL_ANSWERS = {
    *(findings.NOT_GNB, findings.PRECISION, findings.ROWS),
    *(findings.LEARNED, findings.LEFT_OUT),
}
OTHERS = "two-models"  # The hard case on memory that models share
MOST_NAMED = 3
MANY_IN_A_RUN = 8  # Labels that differ, of which the first run has some by chance as well
TRIED, HARD = "rows that code is tried out on", "hard cases"
AGREE = WORDS["remedy"][findings.CONTRADICTION]
TOO = "expected_failure"  # Of a check: whether scikit-learn fails it too


@dataclass(frozen=True)
class DataFindings:
    """The diagnosis of one file on one dataset."""

    dataset: str
    n_runs: int
    diagnosis: Diagnosis
    # Classes, features and training rows of a run; 0 in earlier studies
    sizes: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True)
class FileFindings:
    """The findings on one file: labels, causes, hard cases, times."""

    name: str  # The file's
    found: str  # The class or the functions in it
    error: str = ""  # Why it could not be loaded
    adaptations: tuple[str, ...] = ()  # How it was called, a sentence each
    parts: tuple[DataFindings, ...] = ()
    results: Sequence[Mapping[str, Any]] = ()  # Of the battery, as in a note
    times: Mapping[str, Any] | None = None  # ``dataset``, ``rows`` and ``notes``
    # Cause -> lines of the source, such as "my_gnb.py:14: var = rows.var()"
    places: Mapping[str, Sequence[str]] = field(default_factory=dict)
    contradictions: tuple[str, ...] = ()  # Between its own answers, a clause each
    # Tables of probabilities whose rows do not sum to 1, with a clause on each
    unnormalised: tuple[tuple[str, str], ...] = ()
    # Other code in it that gives answers, and lines that never ran
    not_judged: tuple[str, ...] = ()
    # The source after the first tested change that makes it agree, and the unified diff;
    # both empty if there is none
    patched: str = ""
    patch: str = ""
    backup: str = ""  # What the original became when the change was applied
    called: tuple[str, ...] = ()  # Names of its methods or functions
    remark: str = ""  # What it is, if no Gaussian naive Bayes

    def with_causes(self, change: Callable[[Cause], Cause]) -> "FileFindings":
        """Return the findings with each cause changed."""
        parts = (
            replace(part, diagnosis=replace(part.diagnosis, causes=tuple(causes)))
            for part in self.parts
            for causes in [map(change, part.diagnosis.causes)]
        )
        return replace(self, parts=tuple(parts))

    @property
    def n_predictions(self) -> int:
        """Labels compared, over all data and runs."""
        return sum(part.diagnosis.n_predictions for part in self.parts)

    @property
    def n_disagreements(self) -> int:
        """Labels that differ from scikit-learn's."""
        return sum(part.diagnosis.n_disagreements for part in self.parts)

    @property
    def causes(self) -> dict[str, list[tuple[str, Cause]]]:
        """The datasets on which each cause shows, by its name; the most important first.

        "Undecided" on one dataset is no cause if another dataset decides.
        """
        causes: dict[str, list[tuple[str, Cause]]] = {}
        for part in self.parts:
            for cause in part.diagnosis.causes:
                causes.setdefault(cause.cause, []).append((part.dataset, cause))
        contrary = () if findings.ORDER in causes else self.contradictions
        tried = [(findings.CONTRADICTION, text, AGREE) for text in contrary]
        for table, text in self.unnormalised:
            tried.append((findings.UNNORMALISED, text, WORDS["remedy"][table]))
        for name, text, remedy in tried if self.n_predictions else ():
            summary, method = f"{text[:1].upper()}{text[1:]}.", text.split("`")[1]
            cause = stated(name, 0, summary, remedy, method)
            causes.setdefault(name, []).append((TRIED, cause))
        if findings.changes_labels(c for _, c in causes.get(findings.STATEFUL, ())):
            _merge_into_stateful(causes)
        self._add_shown(causes)
        _settle(causes)
        if not set(causes) - {findings.TIE, findings.UNDECIDED} and self.wrong_cases:
            causes[findings.HARD_CASE] = [(HARD, self._of_hard_cases())]
        return dict(sorted(causes.items(), key=lambda item: -explained_by(item[1])))

    def _add_shown(self, causes: dict[str, list[tuple[str, Cause]]]) -> None:
        """Add the causes that single hard cases show."""
        for row in self._failed():
            shown = WORDS["shown"].get(row["check"]["id"], "")
            name, _, text = shown.partition(": ")
            # An exception shows nothing of this.
            if name and row["measured"] is not None and name not in causes:
                text = text.format(row["message"])
                remedies = WORDS["remedy"]
                remedy = remedies.get(row["check"]["id"], remedies[name])
                causes[name] = [(HARD, stated(name, 0, text, remedy))]
                if row["check"]["id"] == OTHERS and self._follows_others:
                    _merge_into_stateful(causes, amounts_too=False)

    @property
    def _follows_others(self) -> bool:
        """Whether labels that fit no setting show memory that models share.

        The first model of all has nothing to remember: where many labels differ in a run,
        none does in the first.
        """
        return any(
            part.diagnosis.n_disagreements >= MANY_IN_A_RUN * part.n_runs
            and all(label.run > 0 for label in part.diagnosis.disagreements)
            for part in self.parts
            if any(cause.cause == findings.NOT_GNB for cause in part.diagnosis.causes)
        )

    def _failed(self) -> list[Mapping[str, Any]]:
        """Return the hard cases that it fails and the reference passes."""
        failed = (row for row in self.results if row["outcome"] == "fail")
        # Earlier studies did not ask the reference.
        return [row for row in failed if row.get(TOO) is False]

    @property
    def wrong_cases(self) -> list[Mapping[str, Any]]:
        """Hard cases of ordinary data that only the reference passes, by wrong answers."""
        return [
            row
            for row in self._failed()
            if row["measured"] is not None
            and row["check"]["unit"] in COUNTED
            and {row["check"]["family"], row["check"]["id"]} & ORDINARY
            and row["check"]["id"] != FRAMES
        ]

    @property
    def wrong_frames(self) -> str:
        """How many labels differ in a hard case with DataFrames; empty if none.

        Labels that are not the same every time differ for that reason.
        """
        failed = [row for row in self._failed() if row["check"]["id"] == FRAMES]
        failed = [] if findings.STATEFUL in self.causes else failed
        return next((row["message"] for row in failed if row["measured"]), "")

    def _of_hard_cases(self) -> Cause:
        """Return that answers differ in hard cases, and in which."""
        wrong = self.wrong_cases
        named = [f"{row['check']['id']}, {row['message']}" for row in wrong[:MOST_NAMED]]
        named += [f"and {n} more"] if (n := len(wrong) - MOST_NAMED) > 0 else []
        text = (
            f"Its answers differ in {plural(len(wrong), 'hard case')}: {'; '.join(named)}."
        )
        is_small = all(row["check"]["id"].startswith("scale-1e-") for row in wrong)
        remedy = f"This must hold: {wrong[0]['check']['statement']}"
        remedy = WORDS["remedy"]["scale"] if is_small else remedy
        return stated(findings.HARD_CASE, 0, text, remedy)

    def called_in(self, file: str) -> str:
        """Return the class or the functions of a file that were called."""
        return " ".join(self.called) if self.found.startswith(file) else self.found

    def clearest(self, name: str) -> tuple[str, Cause]:
        """Return the dataset on which a cause explains most labels, and the cause there.

        Datasets on which it was only inferred from another come last.
        """
        return max(self.causes[name], key=by_evidence)

    @property
    def unexplained(self) -> int:
        """Labels that differ without a cause, or are too few to tell."""
        unexplained = sum(part.diagnosis.unexplained for part in self.parts)
        if findings.UNDECIDED in self.causes:
            return unexplained
        causes = [cause for part in self.parts for cause in part.diagnosis.causes]
        return unexplained + sum(
            c.explained for c in causes if c.cause == findings.UNDECIDED
        )

    @property
    def has_beside(self) -> bool:
        """Whether it is known which failures scikit-learn shares; old studies lack that."""
        return all(TOO in row for row in self.results)

    @property
    def n_missing(self) -> int:
        """Labels that are missing."""
        return explained_by(self.causes.get(findings.CRASH, ()))

    @property
    def offers_probabilities(self) -> bool:
        """Whether probabilities were compared wherever labels were."""
        return all(
            part.diagnosis.largest_remaining_difference is not None for part in self.parts
        )

    @property
    def covered(self) -> str:
        """The sizes of data on which its answers were compared, in words."""
        parts = [part.sizes for part in self.parts if part.diagnosis.n_predictions]
        texts = [
            f"{' to '.join(dict.fromkeys(map(count, (min(n), max(n)))))} {what}"
            for what, n in zip(SIZES, zip(*parts, strict=True), strict=False)
        ]
        passed = {row["check"]["id"] for row in self.results if row["outcome"] == "pass"}
        reached = [far for check, far in WORDS["reach"].items() if check in passed]
        texts += [f"in hard cases up to {listing(reached)}"] if reached else []
        called = "; ".join(self.adaptations)
        samples = next((form for form in FORMS if form in called), "arrays")
        text = f"{samples} with " if self.results else ""
        return text + ", ".join(texts) if any(map(any, parts)) else ""

    @property
    def not_shown(self) -> tuple[str, ...]:
        """Settings that could differ without changing a label on any of the data."""
        first, *others = [
            part.diagnosis.not_shown for part in self.parts if part.diagnosis.n_predictions
        ]
        return tuple(knob for knob in first if all(knob in other for other in others))

    @property
    def n_counted(self) -> int:
        """Labels that differ, each counted once per cause."""
        return sum(
            explained_by(shown)
            for name, shown in self.causes.items()
            if name not in {findings.CRASH, findings.NAN}
        )

    @property
    def status(self) -> str:
        """Whether its answers are scikit-learn's, except for labels that score equally."""
        if not self.n_predictions:
            return FAILED
        return DIFFERS if self.unexplained or set(self.causes) - {findings.TIE} else SAME


def in_double_precision(findings: FileFindings) -> FileFindings:
    """Lay unexplained probabilities to the single precision that a patch has removed."""

    def renamed(cause: Cause) -> Cause:
        if cause.kind != UNEXPLAINED:
            return cause
        text = f"{cause.estimate}, since numbers are in single precision."
        return stated(PRECISION, 0, text, WORDS["remedy"]["dtype"])

    return findings.with_causes(renamed)


def _settle(causes: dict[str, list[tuple[str, Cause]]]) -> None:
    """Leave out causes that others make needless."""
    if others := set(causes) - {findings.TIE, findings.UNDECIDED}:
        causes.pop(findings.UNDECIDED, None)
    if others & ALL_ANSWERS:
        causes.pop(findings.PROBABILITIES, None)  # They say so of these, too
    if findings.CLIPPED in causes:
        causes.pop(findings.UNNORMALISED, None)  # What is cut need not sum to 1
    left_out, forms = causes.get(findings.LEFT_OUT, []), {*WORDS["form"].values()}
    numbered = [cause for _, cause in left_out if cause.estimate not in forms]
    is_as_many = all(findings.AS_MANY in cause.summary for cause in numbered)

    def summary_of(cause: Cause) -> str:
        """Return what is said of a number of features, and of all but one nothing.

        Of three features, the first two are all but the last; and two are as many as the
        classes by chance, if other data show another number.
        """
        said = cause.summary if is_as_many else cause.summary.replace(findings.AS_MANY, "")
        return "" if cause.estimate in forms else said

    if numbered:
        causes[findings.LEFT_OUT] = [
            (data, replace(cause, summary=summary_of(cause))) for data, cause in left_out
        ]


def _merge_into_stateful(
    causes: dict[str, list[tuple[str, Cause]]], *, amounts_too: bool = True
) -> None:
    """Let changing labels be the cause of all amounts and of all that fits no setting."""
    shown = dict(causes[findings.STATEFUL])
    (first, *_) = shown.values()
    for name in [*causes]:
        amounts = amounts_too and any(c.interval is not None for _, c in causes[name])
        for where, cause in causes.pop(name) if name == findings.NOT_GNB or amounts else ():
            known = shown.get(where, replace(first, explained=0, summary=""))
            shown[where] = replace(known, explained=known.explained + cause.explained)
    causes[findings.STATEFUL] = [*shown.items()]


def by_evidence(shown: tuple[str, Cause]) -> tuple[bool, int]:
    """Return the key that sorts datasets where a cause was only inferred before others."""
    return bool(shown[1].summary), shown[1].explained


def explained_by(causes: Iterable[tuple[str, Cause]]) -> int:
    """Return how many labels the causes explain, over all datasets."""
    return sum(cause.explained for _, cause in causes)
