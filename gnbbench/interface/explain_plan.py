"""What a study of causes is to do: splits as in a comparison, and a time limit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gnbbench.data.dataset import Dataset
from gnbbench.errors import OptionError
from gnbbench.implementations import Implementation
from gnbbench.measurement.split_rules import SplitRule
from gnbbench.studies.options import ExplainOptions
from gnbbench.studies.plan import Plan

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

    def __post_init__(self) -> None:
        names = ("runs", "test_size", "seed")
        given: dict[str, Any] = {name: getattr(self, name) for name in names}
        ExplainOptions(data="", against="", **given)
        check_timeout(self.timeout_seconds)

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


def check_timeout(timeout_seconds: float | None) -> None:
    """Raise unless a limit is a time above zero, or there is none."""
    if timeout_seconds is not None and not 0.0 < timeout_seconds < float("inf"):
        what = f"{timeout_seconds:g} is no time limit"
        raise OptionError("--timeout", what, "Give seconds above 0.")


def explain_plan(
    dataset: Dataset, entries: Sequence[Implementation], **options: Any
) -> ExplainPlan:
    """Return a plan that is possible, with nothing fitted yet."""
    return ExplainPlan(
        dataset=dataset.name,
        sha256=dataset.sha256,
        dataset_options=dict(dataset.parameters),
        reference=entries[0].name,
        against=tuple(entry.name for entry in entries[1:]),
        specifications={
            entry.name: entry.specification
            for entry in entries
            if entry.specification not in ("", entry.name)
        },
        digests={entry.name: entry.digest for entry in entries if entry.digest},
        **options,
    )
