"""The tables of the page of a matrix: the matrix itself, and one for each dataset."""

from dataclasses import dataclass

from gnbbench.report.lookup import Lookup
from gnbbench.report.matrix_wording import (
    accuracy_words,
    agreement_words,
    ratio_facts,
    ratio_words,
    tone,
    verdict_words,
)
from gnbbench.report.tables import Cell, Table, build, number_cell, text_cell
from gnbbench.statistics.matrix import Entry, Matrix, sentence, worst_outcome
from gnbbench.statistics.summary import Summary
from gnbbench.words import (
    DASH,
    count,
    decimal,
    printable,
    seconds,
    share,
    short_names,
    significant,
)


@dataclass(frozen=True)
class MatrixCell(Cell):
    """A cell of the matrix: the verdict, what it leads to, and the numbers behind it."""

    tone: str = ""  # "good", "unsure" or "bad"; empty for the name of a row
    link: str = ""  # Place on the page that tells of it
    # What is measured, its value, and its detail
    facts: tuple[tuple[str, str, str], ...] = ()
    message: str = ""  # Why runs failed


def place_of(matrix: Matrix, dataset: str, implementation: str = "") -> str:
    """Return the name of a place: a dataset's section, or a verdict within it."""
    number = matrix.datasets.index(dataset) + 1
    if not implementation:
        return f"dataset-{number}"
    return f"dataset-{number}-{matrix.implementations.index(implementation)}"


def matrix_table(matrix: Matrix) -> Table:
    """Every implementation against every dataset; sorts by the share that differs."""
    names = short_names(matrix.implementations, 28)
    cells = {
        (cell["implementation"], cell["dataset"]): cell
        for cell in matrix.cells.to_dict("records")
    }
    rows = []
    for name in matrix.competitors:
        row: list[Cell] = [text_cell(names[name])]
        for dataset in matrix.datasets:
            cell = cells[name, dataset]
            differing = 1.0 - float(cell["agreement"])
            row.append(
                MatrixCell(
                    verdict_words(cell),
                    number_cell(differing, "").key,
                    tone(cell),
                    f"#{place_of(matrix, dataset, name)}",
                    (
                        ("labels", _equal(agreement_words(cell)), ""),
                        ("accuracy", *_apart(accuracy_words(cell))),
                        ("fit", *ratio_facts(cell, "fit")),
                        ("predict", *ratio_facts(cell, "predict")),
                    ),
                    printable(cell["message"]),
                )
            )
        rows.append(row)
    columns = ("implementation", *short_names(matrix.datasets, 28).values())
    caption = f"Held against {names[matrix.reference]}; times are ratios to its own"
    return build(caption, columns, rows)


def implementation_verdicts(matrix: Matrix) -> list[dict[str, str]]:
    """Return what the list of verdicts says of each implementation over all datasets."""
    names = short_names(matrix.implementations, 60)
    found = []
    for name in matrix.competitors:
        worst = worst_outcome(matrix.cells, name)
        own = matrix.cells[matrix.cells["implementation"] == name]
        failed = int(own["failed_runs"].sum())
        told = f"; {count(failed)} of {count(own['runs'].sum())} runs failed"
        compared, differing = own["predictions"].sum(), own["disagreements"].sum()
        found.append(
            {
                "name": names[name],
                "outcome": worst,
                "tone": tone({"outcome": worst, "failed_runs": failed}),
                "sentence": printable(sentence(matrix.cells, name)),
                "detail": f"{count(differing)} of {count(compared)} predictions differ"
                f"{told if failed else ''}.",
            }
        )
    return found


def dataset_verdicts(matrix: Matrix, entry: Entry) -> list[dict[str, str]]:
    """Return the verdicts on one dataset, each under the name that its cell leads to."""
    names = short_names(matrix.implementations, 60)
    cells = matrix.cells[matrix.cells["dataset"] == entry.name]
    return [
        {
            "place": place_of(matrix, entry.name, cell["implementation"]),
            "name": names[cell["implementation"]],
            "outcome": verdict_words(cell),
            "tone": tone(cell),
            "sentence": printable(cell["sentence"]),
            "detail": printable(cell["detail"]),
        }
        for cell in cells.to_dict("records")
    ]


def dataset_table(summary: Summary) -> Table:
    """Numbers of one study, the reference first: labels, accuracy, times."""
    names = short_names(summary.implementations, 40)
    agreement = Lookup(summary.agreement, "implementation")
    metrics = Lookup(summary.metrics, "implementation", "metric")
    differences = Lookup(summary.differences, "implementation", "metric")
    times = Lookup(summary.timing, "implementation", "operation")
    ratios = Lookup(summary.ratios, "implementation", "operation")
    rows = []
    for name in summary.implementations:
        accuracy = metrics.number("mean", name, "test_accuracy")
        values, low, high = differences.triple("mean", name, "test_accuracy")
        compared = agreement.number("predictions", name)
        differing = agreement.number("disagreements", name)
        largest = agreement.number("max_probability_difference", name)
        change = {
            "accuracy_difference": values,
            "accuracy_low": low,
            "accuracy_high": high,
            "disagreements": differing,
        }
        row = [
            text_cell(names[name]),
            number_cell(differing, _of(differing, compared)),
            number_cell(agreement.number("agreement", name), _share(agreement, name)),
            number_cell(largest, significant(largest, 2)),
            number_cell(accuracy, decimal(accuracy)),
            number_cell(values, accuracy_words(change)),
        ]
        for operation in ("fit", "predict"):
            spent = times.number("median_seconds", name, operation)
            ratio, low, high = ratios.triple("ratio", name, operation)
            ends = {f"{operation}_ratio": ratio, f"{operation}_low": low}
            words = ratio_words({**ends, f"{operation}_high": high}, operation)
            row += [number_cell(spent, seconds(spent)), number_cell(ratio, words)]
        rows.append(row)
    columns = (
        "implementation",
        "predictions that differ",
        "agreement",
        "largest |Δp|",
        "test accuracy",
        "difference (95 %)",
        "fit",
        "fit over reference (95 %)",
        "predict",
        "predict over reference (95 %)",
    )
    reference = names[summary.reference]
    return build(
        f"Numbers of each; the first row is the reference, {reference}", columns, rows
    )


def _of(part: float, whole: float) -> str:
    return f"{count(part)} of {count(whole)}" if whole > 0 else count(float("nan"))


def _share(agreement: Lookup, name: str) -> str:
    return share(agreement.number("agreement", name))


def _equal(agreement: str) -> str:
    return agreement if agreement == DASH else f"{agreement} equal"


def _apart(text: str) -> tuple[str, str]:
    """Return a value and, without its brackets, what follows it."""
    value, _, rest = text.partition(" (")
    return value, rest.removesuffix(")")


def failure_table(summary: Summary) -> Table | None:
    """Errors by implementation and message; None where every run went well."""
    failed = summary.runs.loc[summary.runs["status"] != "ok"]
    if failed.empty:
        return None
    numbers = failed.groupby(["implementation", "message"], sort=False)["run"].count()
    rows = [
        [
            text_cell(row["implementation"]),
            text_cell(row["message"]),
            number_cell(row["run"], count(row["run"])),
        ]
        for row in numbers.reset_index().to_dict("records")
    ]
    return build("Runs that ended in an error", ("implementation", "message", "runs"), rows)
