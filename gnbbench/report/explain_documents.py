"""What stands in ``summary.json`` of a study of causes, and its schema.

The document is one JSON object. Its fields, in order:

``schema``
    Always ``"gnbbench explain"``.
``schema_version``
    Whole number; it grows whenever a field is renamed, removed or changes its meaning.
``study``, ``command``, ``headline``
    Text.
``plan``, ``environment``, ``dataset``
    Objects, as in the document of a compare study.
``feature_names``, ``class_names``
    Lists of text: the order of the lists below.
``reference``
    Text.
``n_runs``, ``n_train``, ``n_test``
    Whole numbers.
``implementation``
    Text: which one the following fields are of.
``verdict``
    One sentence.
``same``
    Whether nothing differs beyond rounding in labels, probabilities and parameters.
``causes``
    List of objects with ``cause`` (a name out of `gnbbench.diagnosis.CAUSES`),
    ``explained`` (disagreements; missing predictions for ``"crash"``, rows without
    probabilities for ``"nan"``), ``estimate`` (number, text or null), ``evidence``; the
    most important one first.
``unexplained``, ``n_disagreements``, ``n_predictions``
    Whole numbers. Disagreements whose cause is ``"not-gnb"`` are not in ``unexplained``.
``reproduced_share``, ``largest_remaining_difference``
    Numbers; the latter is null where probabilities are not offered.
``setting``
    Text: the variant of Gaussian naive Bayes that was found.
``rivals``
    List of other causes that would give the same labels, where labels are all there is.
``disagreements``
    List of the first 200, objects with ``run``, ``row``, ``truth``, ``reference_label``,
    ``label``, ``cause`` (null where nothing explains it; joined by ``" + "`` where only
    several together do, or each alone), ``margin``, ``reference_confidence``,
    ``confidence``, and ``details``: null, or, for those that the page shows in full, an
    object with the lists ``features``, ``reference_posterior``, ``posterior``,
    ``reference_contributions`` and ``contributions``.
``implementations``
    Only where several were explained: a list of objects with the fields from
    ``implementation`` to ``disagreements`` for each of them. The fields of that name
    outside of the list are those of the first.
``remarks``
    List of text.

What there is no number for is null; an infinite number is the text ``"Infinity"`` or
``"-Infinity"``.
"""

from dataclasses import asdict
from typing import Any

from gnbbench.diagnosis import ExplainedDisagreement
from gnbbench.report.explain_contributions import examples
from gnbbench.report.explain_summary import Diagnosed, ExplainSummary, disagreement_fields
from gnbbench.statistics.documents import as_text, plain

SCHEMA = "gnbbench explain"
SCHEMA_VERSION = 1
VECTORS = (
    "features",
    "reference_posterior",
    "posterior",
    "reference_contributions",
    "contributions",
)
DIAGNOSIS_FIELDS = (
    "unexplained",
    "n_disagreements",
    "n_predictions",
    "reproduced_share",
    "largest_remaining_difference",
    "setting",
    "rivals",
)


def explain_document(summary: ExplainSummary) -> dict[str, Any]:
    """Return the summary as plain values that JSON can hold."""
    in_full = {id(example.disagreement) for example in examples(summary)}
    each = [_fields(summary, one, in_full) for one in summary.diagnosed]
    dataset = summary.dataset
    fields = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "study": summary.study,
        "command": summary.command,
        "headline": summary.headline,
        "plan": summary.plan,
        "environment": summary.environment,
        "dataset": dataset,
        "feature_names": summary.feature_names,
        "class_names": summary.dataset.class_names,
        "reference": summary.reference,
        "n_runs": summary.n_runs,
        "n_train": summary.n_train,
        "n_test": summary.n_test,
        **each[0],
        **({"implementations": each} if len(each) > 1 else {}),
        "remarks": summary.warnings,
    }
    return {key: plain(value) for key, value in fields.items()}


def explain_json_text(summary: ExplainSummary) -> str:
    """Return the document as indented JSON text that ends in a newline."""
    return as_text(explain_document(summary))


def _fields(summary: ExplainSummary, one: Diagnosed, in_full: set[int]) -> dict[str, Any]:
    found = one.diagnosis
    return {
        "implementation": one.implementation,
        "verdict": summary.verdict(one),
        "same": found.same and found.n_predictions > 0,
        "causes": [asdict(cause) for cause in found.causes],
        **{name: getattr(found, name) for name in DIAGNOSIS_FIELDS},
        "disagreements": [
            {
                **disagreement_fields(row),
                "cause": row.cause,
                "details": _details(row) if id(row) in in_full else None,
            }
            for row in found.disagreements
        ],
    }


def _details(row: ExplainedDisagreement) -> dict[str, Any]:
    vectors = {name: getattr(row, name) for name in VECTORS}
    return {
        name: None if values is None else values.tolist()
        for name, values in vectors.items()
    }
