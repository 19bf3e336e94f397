"""What a report of the two assumptions is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import pandas as pd

from gnbbench.assumptions.costs import MARGIN, MODELS, QDA, YEO_JOHNSON
from gnbbench.assumptions.findings import Assumptions
from gnbbench.report.lookup import Lookup
from gnbbench.statistics.summary import DatasetDescription

Correlation = Literal["pearson", "spearman"]

# Assumption -> the model without it.
WITHOUT = {"naive": QDA, "normal": YEO_JOHNSON}

_INDEPENDENCE = (
    "max_abs_r",
    "mean_abs_r",
    "max_abs_spearman",
    "mean_abs_spearman",
    "total_correlation",
    "p_holm",
)
_NORMALITY = ("qq_correlation", "skewness", "excess_kurtosis", "p_holm")


@dataclass(frozen=True, eq=False)
class AssumptionsSummary:
    """Everything a report may show of the assumptions; a report reads nothing else."""

    study: ClassVar[str] = "assumptions"
    implementations: ClassVar[tuple[str, ...]] = tuple(model.name for model in MODELS)
    margin: ClassVar[float] = MARGIN
    timing_regime: ClassVar[str] = "Nothing is timed."

    findings: Assumptions
    dataset: DatasetDescription
    # JSON-able; the environment as in `gnbbench.statistics.summary.Summary`
    plan: Mapping[str, Any]
    # JSON-able; the environment as in `gnbbench.statistics.summary.Summary`
    environment: Mapping[str, Any]
    command: str  # What repeats the study
    correlation: Correlation  # Which one the heat maps show

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader must see, one sentence each."""
        return self.findings.notes

    @property
    def headline(self) -> str:
        """Both grades and whether they cost anything, in one sentence."""
        naive, normal = (verdict.grade for verdict in self.findings.verdicts)
        if naive == normal == "not tested":
            grades = "Neither assumption is tested"
        elif naive == normal:
            grades = f"Both assumptions are {naive}"
        else:
            grades = f"The naive assumption is {naive}, the normal one {normal}"
        return f"{grades}; {self._price()}."

    @property
    def runs(self) -> pd.DataFrame:
        """One row a run and model."""
        return self.findings.runs

    def frame(self) -> pd.DataFrame:
        """Return one row a number, for a notebook."""
        found = self.findings
        parts = [
            _long("naive", found.independence, ["class_name"], _INDEPENDENCE),
            _long("normal", found.normality, ["class_name", "feature"], _NORMALITY),
            _models("cost", found.costs),
            _models("difference from GNB", found.differences),
        ]
        columns = ["about", "class_name", "feature", "model", "measure", "value"]
        table = pd.concat(parts, ignore_index=True)[[*columns, "low", "high"]]
        named = ["class_name", "feature", "model"]
        return table.assign(**{name: table[name].fillna("") for name in named})

    def _price(self) -> str:
        outcomes = Lookup(self.findings.differences, "implementation", "metric")
        costly = [
            name
            for name, model in WITHOUT.items()
            if outcomes.text("outcome", model, "log_loss") == "different"
            and outcomes.number("mean", model, "log_loss") < 0
        ]
        return {
            (): "no cost is shown",
            ("naive",): "breaking the naive one costs log loss",
            ("normal",): "breaking the normal one costs log loss",
        }.get(tuple(costly), "breaking either costs log loss")


def _long(
    about: str, table: pd.DataFrame, keys: list[str], measures: tuple[str, ...]
) -> pd.DataFrame:
    long = table.melt(keys, list(measures), "measure", "value")
    empty = {name: "" for name in ("feature", "model") if name not in keys}
    nothing = {"low": float("nan"), "high": float("nan")}
    return long.assign(about=about, **empty, **nothing)


def _models(about: str, table: pd.DataFrame) -> pd.DataFrame:
    names = {"implementation": "model", "metric": "measure", "mean": "value"}
    return table.rename(columns=names).assign(about=about, class_name="", feature="")
