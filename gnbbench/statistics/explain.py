"""Summarise diagnoses: what differs and why, in one sentence and in tables."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from gnbbench import words
from gnbbench.arrays import Array, FloatArray
from gnbbench.diagnosis.findings import CAUSES, NAN, Diagnosis, ExplainedDisagreement
from gnbbench.statistics.schema import columns_of, fields_of, table_of
from gnbbench.statistics.summary import DatasetDescription, StudyNotes, Summary, Verdict

MOST_NAMED = 3
# Causes without a setting of the formulas: none was found or proved.
WITHOUT_SETTING = frozenset({"constant", "crash", "not-gnb", "stateful", "undecided"})
MOST_IN_FULL = 10
REST = "prior and the rest"
# With more rounding than this in a sum, the rest beside it is unknown.
MOST_ROUNDING = 1e-3
# Contributions that differ by less are the same, up to the order of summation.
ALIKE = 1e-9
_VECTORS = (
    *("features", "reference_posterior", "posterior"),
    *("reference_contributions", "contributions"),
)


def summarize_diagnoses(
    diagnoses: Mapping[str, Diagnosis],
    notes: StudyNotes,
    *,
    data: DatasetDescription,
    classes: Array,
    sizes: tuple[int, int],
) -> Summary:
    """Return everything a report may show of causes.

    ``classes`` are the labels in the order of posteriors and of the class names of the
    data, ``sizes`` those of the train and of the test side of a run.
    """
    plan = notes.plan
    reference = str(plan["reference"])
    names = words.short_names((reference, *diagnoses), 40)
    judged = {
        name: replace(
            diagnosis,
            verdict=_sentence(diagnosis, names[name], names[reference]),
            same=diagnosis.same and diagnosis.n_predictions > 0,
        )
        for name, diagnosis in diagnoses.items()
    }
    most = max(MOST_IN_FULL // len(judged), 1)
    in_full = {n: _in_full(d.disagreements, most) for n, d in judged.items()}
    features = [str(name) for name in data.features["feature"]]
    documents = [_fields(n, diagnosis, in_full[n]) for n, diagnosis in judged.items()]
    rows = [
        {"implementation": name, **disagreement_fields(row)}
        for name, diagnosis in judged.items()
        for row in diagnosis.disagreements
    ]
    by_name = {names[name]: diagnosis for name, diagnosis in judged.items()}
    return Summary(
        study="explain",
        headline=_headline(by_name, names[reference]),
        **vars(notes),
        reference=reference,
        implementations=(reference, *judged),
        tables={
            "points": pd.DataFrame(
                [(int(plan["runs"]), *sizes)], columns=["runs", "n_train", "n_test"]
            ),
            "disagreements": table_of("disagreements", rows, "explain"),
            "contributions": _contributions(judged, in_full, features, classes),
        },
        verdicts=tuple(
            Verdict(name, outcome_of(diagnosis), diagnosis.verdict, sureness(diagnosis))
            for name, diagnosis in judged.items()
        ),
        warnings=tuple(_remarks(by_name, int(plan["runs"]) * sizes[1])),
        data=data,
        details={
            **({"document": "explain several"} if len(judged) > 1 else {}),
            "feature_names": features,
            "class_names": data.class_names,
            **documents[0],
            "implementations": documents,
            "classes": classes,
            "diagnoses": judged,
            "silent": tuple(n for n, d in judged.items() if not d.n_predictions),
            "in_full": in_full,
        },
    )


def _fields(
    name: str, diagnosis: Diagnosis, in_full: Sequence[ExplainedDisagreement]
) -> dict[str, Any]:
    """Return the diagnosis of one implementation, by the columns of the schema."""
    rows = [
        {
            **disagreement_fields(row),
            "cause": row.cause,
            "details": {vector: getattr(row, vector) for vector in _VECTORS}
            if any(row is shown for shown in in_full)
            else None,
        }
        for row in diagnosis.disagreements
    ]
    values = {"implementation": name, **vars(diagnosis), "disagreements": rows}
    return fields_of("explain", "diagnoses", values)


def disagreement_fields(row: ExplainedDisagreement) -> dict[str, Any]:
    """Return a disagreement as one flat row; its cause is empty if there is none."""
    sides = {"reference_": row.reference_posterior, "": row.posterior}
    confidences = {
        f"{whose}confidence": float("nan") if posterior is None else float(posterior.max())
        for whose, posterior in sides.items()
    }
    values = {**vars(row), "cause": row.cause or "", **confidences}
    names = columns_of("explain", "disagreements")[1:]
    return {name: plain_label(values[name]) for name in names}


def plain_label(label: Any) -> Any:
    """Return a label as a Python object, without NumPy's type."""
    return label.item() if isinstance(label, np.generic) else label


def code_of(label: Any, classes: Array) -> int | None:
    """Return the position of a label among the classes; None for an unknown label."""
    known, value = classes.tolist(), plain_label(label)
    return known.index(value) if value in known else None


def _remarks(diagnoses: Mapping[str, Diagnosis], total: int) -> Iterable[str]:
    for name, diagnosis in diagnoses.items():
        kept = len(diagnosis.disagreements)
        if kept < diagnosis.n_disagreements:
            n = words.count(diagnosis.n_disagreements)
            yield f"{name}: all {n} disagreements are counted; the first {kept} are listed."
        missing = total - diagnosis.n_predictions
        if missing > 0 and diagnosis.n_predictions:
            yield (
                f"{name}: {words.counted(missing, total, 'prediction')} could not be "
                "compared, because a run of it or of the reference failed."
            )


def _sentence(diagnosis: Diagnosis, name: str, reference: str) -> str:
    """Return the verdict, or that there is none because no run has labels."""
    if diagnosis.n_predictions or diagnosis.causes:
        return f"{words.printable(diagnosis.verdict).removesuffix('.')}."
    return headline_of(name, diagnosis, reference)


def headline_of(name: str, diagnosis: Diagnosis, reference: str) -> str:
    """Return what differs and why, in one sentence."""
    n = diagnosis.n_disagreements
    total = words.plural(diagnosis.n_predictions, "prediction")
    # Where labels differ, only causes that explain some of them count.
    named = [cause.cause for cause in diagnosis.causes if cause.explained or not n]
    reasons = "; ".join(CAUSES[cause] for cause in named[:MOST_NAMED])
    beyond = len(named) - MOST_NAMED
    if beyond > 0:
        reasons += f"; and {words.plural(beyond, 'more cause')}"
    if not diagnosis.n_predictions:
        what = f"{name} gives no labels to compare" if reasons else "Nothing was compared"
        return f"{what}: {reasons or f'no run of {reference} has labels'}."
    if n:
        ending = f": {reasons}." if reasons else ", unexplained."
        return f"{name} differs from {reference} in {words.count(n)} of {total}{ending}"
    if reasons:
        return f"{name} gives the same labels as {reference}, but: {reasons}."
    return f"{name} gives the same answers as {reference} in {total}."


def _headline(diagnoses: Mapping[str, Diagnosis], reference: str) -> str:
    """Return how many implementations differ in labels or otherwise, in one sentence."""
    if len(diagnoses) == 1:
        return headline_of(*next(iter(diagnoses.items())), reference)
    groups: dict[str, list[str]] = {
        f"differ from {reference} in labels": [],
        "give the same labels but not the same probabilities or parameters": [],
        f"give the same answers as {reference}": [],
        "give no labels to compare": [],
    }
    labels, others, same, nothing = groups
    for name, diagnosis in diagnoses.items():
        if not diagnosis.n_predictions:
            groups[nothing].append(name)
        elif diagnosis.n_disagreements:
            groups[labels].append(name)
        else:
            groups[others if diagnosis.causes else same].append(name)
    parts = []
    for wording, names in groups.items():
        verb, _, rest = wording.partition(" ")
        if names:
            ending = "s" if len(names) == 1 else ""
            parts.append(f"{words.listing(names, MOST_NAMED)} {verb}{ending} {rest}")
    return "; ".join(parts) + "."


def outcome_of(diagnosis: Diagnosis) -> str:
    """Return the causes by name, the most important one first."""
    if diagnosis.causes:
        return words.listing([cause.cause for cause in diagnosis.causes])
    if not diagnosis.n_predictions:
        return "nothing compared"
    return "unexplained" if diagnosis.n_disagreements else "no difference"


def sureness(diagnosis: Diagnosis) -> str:
    """Return how well the fitted setting reproduces the implementation, in one sentence.

    Empty if no setting was found, as the causes say.
    """
    if not diagnosis.n_predictions:
        return "No prediction could be compared."
    if not _has_setting(diagnosis):
        return ""
    n_nan = sum(cause.explained for cause in diagnosis.causes if cause.cause == NAN)
    n_defined = diagnosis.n_predictions - n_nan
    labels = words.plural(diagnosis.n_predictions, "label")
    if n_nan and n_defined:
        labels = f"{words.plural(n_defined, 'label')} of rows without NaN"
    setting = words.printable(diagnosis.setting)
    largest = diagnosis.largest_remaining_difference
    text = f"{'Its probabilities are NaN' if n_nan else 'It offers no probabilities'}."
    if largest is not None:
        text = "Probabilities are equal to its own."
        if largest:
            text = (
                f"Probabilities differ from it by at most {words.significant(largest, 2)}."
            )
    if diagnosis.reproduced_share == 1.0:
        return f"All {labels} are those of one setting ({setting}). {text}"
    part = words.share(diagnosis.reproduced_share)
    what = f"{part} of {labels}"
    if largest is not None:
        what += ", each with its probabilities"
    return f"One setting ({setting}) gives {what}. {text}"


def _has_setting(diagnosis: Diagnosis) -> bool:
    """Return whether a setting of the formulas was found and proved."""
    causes = {cause.cause for cause in diagnosis.causes}
    return bool(diagnosis.setting) and not causes & WITHOUT_SETTING


def _in_full(
    rows: Sequence[ExplainedDisagreement], most: int
) -> tuple[ExplainedDisagreement, ...]:
    """Return the rows shown in full: the first ones, each cause at least once."""
    first_of_cause: dict[str | None, int] = {}
    for place, row in enumerate(rows):
        first_of_cause.setdefault(row.cause, place)
    leading = list(first_of_cause.values())[:most]
    others = [place for place in range(len(rows)) if place not in leading]
    return tuple(rows[place] for place in sorted(leading + others[: most - len(leading)]))


def _contributions(
    diagnoses: Mapping[str, Diagnosis],
    in_full: Mapping[str, Sequence[ExplainedDisagreement]],
    features: Sequence[str],
    classes: Array,
) -> pd.DataFrame:
    """Return the contributions of each feature to the disagreements shown in full."""
    columns = columns_of("explain", "contributions")
    tables = [pd.DataFrame(columns=columns)]
    for name, diagnosis in diagnoses.items():
        # Whether the implementation follows the fitted setting.
        is_reproduced = _has_setting(diagnosis)
        for row in in_full[name]:
            odds = _log_odds(row, classes) if is_reproduced else float("nan")
            table = contribution_table(row, features, odds)
            tables.append(table.assign(implementation=name, run=row.run, row=row.row))
    return pd.concat(tables[1:] or tables, ignore_index=True)[columns]


def contribution_table(
    row: ExplainedDisagreement, features: Sequence[str], odds: float
) -> pd.DataFrame:
    """Return each feature's part in the log-odds of the reference's label.

    The largest change comes first; the last row has the rest of the log-odds, NaN if that
    is unknown.
    """
    first, second = row.reference_contributions, row.contributions
    with np.errstate(invalid="ignore"):
        change = second - first
    table = pd.DataFrame(
        {
            "feature": features,
            "value": row.features,
            "reference_contribution": first,
            "contribution": second,
            "change": change,
        }
    )
    size = np.nan_to_num(np.abs(first), nan=0.0, posinf=np.inf)
    order = np.lexsort((-size, -changes(first, second)))
    table = table.iloc[order].reset_index(drop=True)
    rest = _beside(row.margin, first), _beside(odds, second)
    if np.isfinite(rest).any():
        values = [REST, np.nan, *rest, rest[1] - rest[0]]
        last = pd.DataFrame([values], columns=table.columns)
        table = pd.concat([table, last], ignore_index=True)
    return table


def changes(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return how much each part differs: 0 if alike, infinite if undefined."""
    with np.errstate(invalid="ignore"):
        size = np.abs(second - first)
    alike = np.isclose(second, first, rtol=ALIKE, atol=0.0, equal_nan=True)
    alike |= size <= ALIKE
    return np.where(alike, 0.0, np.where(np.isnan(size), np.inf, size))


def _log_odds(row: ExplainedDisagreement, classes: Array) -> float:
    """Return the log-odds of the reference's label over the other, from the posterior."""
    first, second = code_of(row.reference_label, classes), code_of(row.label, classes)
    if row.posterior is None or first is None or second is None:
        return float("nan")
    with np.errstate(all="ignore"):
        logs = np.log(row.posterior)
        odds = float(logs[first] - logs[second])
    return odds if np.isfinite(odds) else float("nan")


def _beside(odds: float, parts: FloatArray) -> float:
    with np.errstate(invalid="ignore", over="ignore"):
        rounding = len(parts) * np.finfo(np.float64).eps * float(np.abs(parts).sum())
        rest = odds - float(parts.sum())
    if not rounding <= MOST_ROUNDING:
        return float("nan")
    return 0.0 if abs(rest) <= max(4.0 * rounding, ALIKE) else rest
