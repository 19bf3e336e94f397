"""A published figure: who says it, of what, and how it was come by."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from gnbbench.claims.published import Published

Kind: TypeAlias = Literal["split", "splits", "folds", "whole", "certified", "times"]


@dataclass(frozen=True)
class Source:
    """Where figures were published."""

    key: str  # Short name, such as "A"
    title: str
    where: str
    year: int | None  # None where it is not known
    file: Path  # The table of its claims
    note: str = ""  # What holds for all its figures

    @property
    def citation(self) -> str:
        """Title, year and place in one line."""
        year = "year unknown" if self.year is None else str(self.year)
        return f"{self.title} ({year}), {self.where}"


@dataclass(frozen=True)
class Reading:
    """One way to carry a protocol out, with nothing left open."""

    # "split": one split of a known seed; "splits": many, of seeds that are not known;
    # "folds": cross-validation; "whole": trained and scored on the same rows; "certified":
    # parameters of one sample; "times": fit on the train side of a split
    kind: Kind
    dataset: str  # Of the catalogue, a certified sample, or "student-performance"
    test_size: float | None = None
    # Shares of training samples; several make a sweep
    train_fractions: tuple[float, ...] = ()
    # Whether every run has each train fraction, or one of them by turns
    fractions_per_run: str = "all"
    random_state: int = 0  # Of one split; of run 0 of several
    runs: int = 1  # Number of splits; 1 unless there are several
    stratify: bool = False
    folds: int = 0
    classes: tuple[int, ...] = ()  # Labels that are kept; all when empty
    # Of student-performance: "mat", "por" or "both"; "numeric" or "one-hot"
    subject: str = ""
    # Of student-performance: "mat", "por" or "both"; "numeric" or "one-hot"
    encoding: str = ""
    # Of student-performance: whether G1 and G2 are among the features
    earlier_grades: bool = True
    open: tuple[str, ...] = ()  # Names of what the source leaves open

    @property
    def words(self) -> str:
        """What tells this reading from the others, empty where there is one only."""
        said: Mapping[str, str] = {
            "dataset": self.dataset,
            "subject": {"mat": "mathematics", "por": "Portuguese"}.get(
                self.subject, "both subjects"
            ),
            "encoding": f"{self.encoding} features",
            "earlier_grades": "with G1 and G2" if self.earlier_grades else "without grades",
            "stratify": "stratified" if self.stratify else "not stratified",
            "fractions_per_run": f"{self.fractions_per_run} train fraction a run"
            if self.fractions_per_run == "one"
            else "all train fractions in each run",
        }
        return ", ".join(said[name] for name in said if name in self.open)

    @property
    def description(self) -> str:
        """How figures are come by, in words."""
        how = {
            "whole": "trained and scored on all rows",
            "folds": f"{self.folds}-fold cross-validation, stratified, in file order",
            "certified": "parameters of one class, smoothing off",
        }.get(self.kind)
        kept = f", classes {' and '.join(map(str, self.classes))}" if self.classes else ""
        return (how or self._splitting()) + kept

    def _splitting(self) -> str:
        if len(self.train_fractions) > 1:
            low, high = self.train_fractions[0], self.train_fractions[-1]
            size = f"train fractions {low:g} to {high:g}"
        elif self.train_fractions:
            size = f"train fraction {self.train_fractions[0]:g}"
        else:
            size = f"test_size {self.test_size:g}"
        seeds = f"random_state {self.random_state}"
        if self.runs > 1:
            seeds = f"{self.runs} seeds from {self.random_state}"
        parts = [size, seeds]
        if "stratify" not in self.open:
            parts.append("stratified" if self.stratify else "not stratified")
        return ", ".join(parts)


@dataclass(frozen=True)
class Protocol:
    """How figures were come by, as far as the source says."""

    name: str  # Unique within its source
    readings: tuple[Reading, ...]  # One, or each way to settle what the source leaves open
    # Whether the source says enough to tell a right figure from a wrong one
    is_stated: bool = True

    @property
    def kind(self) -> Kind:
        """Kind of all readings."""
        return self.readings[0].kind


@dataclass(frozen=True)
class Claim:
    """One published figure."""

    id: str  # Unique among all claims
    source: Source
    protocol: Protocol
    metric: str  # One of `gnbbench.claims.metrics.METRICS`
    published: Published
    # What it is a figure of, as `gnbbench.implementations.implementation` takes it
    implementation: str
    expected: str  # The verdict that was reached when the claim was entered
    contrasts: tuple[str, ...] = ()  # Implementations to measure beside it
    cause: str = ""  # What explains the figure where the contrasts differ from it
    note: str = ""
    slow: bool = False  # Whether it takes more than two seconds
