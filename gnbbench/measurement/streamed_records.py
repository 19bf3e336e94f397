"""Two passes over a stream as records: one run of a compare study, and what they took."""

from typing import Any

from gnbbench.measurement.evaluation import Row, Tables
from gnbbench.measurement.learned import parameter_differences, variance_cause
from gnbbench.measurement.pass_results import PassSeconds
from gnbbench.measurement.streamed import Passes
from gnbbench.records import RUN_METRICS, TABLES


def run_tables(found: Passes) -> Tables:
    """Return the rows of every table, as `gnbbench.records.TABLES` has them."""
    tables: Tables = {name: [] for name in TABLES}
    counts = found.seen.train_counts
    n_train = int(counts.sum())
    sizes = (n_train, found.seen.n_rows - n_train, int(counts.min()))
    well = {model.name for model in found.models if model.failure is None}
    reference = found.models[0].name
    for model in found.models:
        metrics: list[float | None] = [None] * len(RUN_METRICS)
        if model.name in well:
            tally = found.scores.tallies[model.name]
            metrics = tally.metrics()
            _add(tables, tally.rows(model.name))
        key = (0, model.name, model.status, model.message)
        tables["runs"].append((*key, *sizes, *metrics))
    for name, pair in found.scores.pairs.items():
        if {name, reference} <= well:
            _add(tables, pair.rows(name, reference))
    # Several competitors may dispute a row; the reference voted on it once.
    tables["votes"] = list(dict.fromkeys(tables["votes"]))
    tables["timings"] = list(found.timings)
    return tables


def stream_note(found: Passes, n_features: int) -> dict[str, Any]:
    """Return what a streamed study has besides its tables, ready for JSON."""
    reference, *others = found.models
    own = reference.parameters(n_features)
    parameters, causes = [], []
    for model in others:
        theirs = model.parameters(n_features)
        for name, value in parameter_differences(theirs, own).items():
            parameters.append(
                {
                    "implementation": model.name,
                    "parameter": name,
                    "largest_relative_difference": value,
                }
            )
        cause = variance_cause(theirs, own)
        if cause is not None:
            causes.append({"implementation": model.name, **cause})
    return {
        "passes": [row for one in found.seconds for row in _rows(one, found.seen.n_rows)],
        "parameters": parameters,
        "variance_causes": causes,
        "remarks": [],
    }


def _add(tables: Tables, rows: dict[str, list[Row]]) -> None:
    for name, found in rows.items():
        tables[name] += found


def _rows(one: PassSeconds, n_rows: int) -> list[dict[str, Any]]:
    """Return what was done in a pass, by whom, on how many rows, and how long it took."""
    done = [
        ("reading", "", n_rows, one.reading_seconds),
        *(("calls", name, one.n_rows, taken) for name, taken in one.own_seconds.items()),
        ("whole pass", "", n_rows, one.seconds),
    ]
    return [
        {
            "stage": one.stage,
            "what": what,
            "implementation": name,
            "rows": rows,
            "seconds": taken,
        }
        for what, name, rows, taken in done
    ]
