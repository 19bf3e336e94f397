"""A published figure, its source and protocol, and its reproduction."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

_NUMBER = r"-?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_FORM = re.compile(
    rf"(?:(?P<above>>) )?(?P<number>{_NUMBER})"
    r"(?: ± (?P<spread>\d+(?:\.\d+)?))?(?P<percent> %)?(?: of (?P<total>\d+))?(?P<time> s)?"
)
_TABLE = re.compile(rf"\[*\s*{_NUMBER}(?:[\s,;\[\]]+{_NUMBER})*[\s\]]*")


@dataclass(frozen=True)
class Published:
    """A printed number or table of numbers, whose digits are part of the claim."""

    text: str  # As printed
    value: float  # In the unit of the text; NaN for a table
    decimals: int  # Digits after the decimal point
    scale: float = 1.0  # Multiplier of a measured fraction: 100 for per cent
    is_bound: bool = False  # Whether the claim is that the value exceeds the number
    total: int | None = None  # For a count: out of how many
    spread: float | None = None  # Printed after ±
    # Significant digits to compare, instead of the digits after the point
    digits: int | None = None
    rows: tuple[tuple["Published", ...], ...] = ()  # The numbers of a table

    def is_reached_by(self, measured: float) -> bool:
        """Return whether a measured value agrees in all published digits."""
        if self.is_bound:
            return measured * self.scale > self.value
        return self.rounded(measured) == self.rounded(self.value / self.scale)

    def shown(self, measured: float) -> str:
        """Format a measured value for readers, with as many digits as are compared."""
        digits = self.digits
        return self.rounded(measured) if digits is None else f"{measured:.{digits}g}"

    def rounded(self, measured: float) -> str:
        """Format a measured value with as many digits as are compared."""
        scaled = measured * self.scale
        if self.digits is not None:
            return f"{scaled:.{self.digits - 1}e}"
        # Adding zero turns a rounded -0 into 0.
        return f"{round(scaled, self.decimals) + 0.0:.{self.decimals}f}"


def published(text: str, digits: int | None = None) -> Published:
    """Parse a published value, or a table of values."""
    if text.startswith("[") or ";" in text:
        return _table(text, digits)
    match = _FORM.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a published value")
    number, total, spread = match["number"], match["total"], match["spread"]
    mantissa = re.split("[eE]", number)[0]
    if mantissa != number and digits is None:
        digits = len(re.sub(r"^[-0.]+|\.", "", mantissa)) or 1
    return Published(
        text,
        float(number),
        len(mantissa.partition(".")[2]),
        100.0 if match["percent"] else 1.0,
        match["above"] is not None,
        None if total is None else int(total),
        None if spread is None else float(spread),
        digits,
    )


def _table(text: str, digits: int | None) -> Published:
    """Parse a table of numbers, with rows in brackets or separated by semicolons.

    NumPy prints whole numbers with a trailing point; they get the decimals of the longest.
    """
    if _TABLE.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a published table of numbers")
    lines = [re.findall(_NUMBER, line) for line in re.split(r"[;\]]", text)]
    rows = [[published(number, digits) for number in line] for line in lines if line]
    if len(set(map(len, rows))) > 1:
        raise ValueError(f"{text!r} is not a published table: its rows differ in length")
    most = max(number.decimals for row in rows for number in row)
    completed = (
        tuple(replace(n, decimals=most) if n.text.endswith(".") else n for n in row)
        for row in rows
    )
    return Published(text, math.nan, most, rows=tuple(completed))


Kind: TypeAlias = Literal[
    "split", "rows", "whole", "splits", "seeds", "folds", "kfold", "certified", "times"
]
Share: TypeAlias = Annotated[float, Field(gt=0.0, lt=1.0)]
SEED = "a whole number from 0 to 4294967295"
SHARE, SHARES = "a share between 0 and 1", "a list of shares between 0 and 1"


def described(words: str, **limits: Any) -> Any:
    """Return a field with limits, and with the words that describe it in errors."""
    return Field(description=words, **limits)


@dataclass(frozen=True)
class Publication:
    """Where figures were published."""

    # Short name, such as "A"
    key: Annotated[
        str,
        described(
            "letters, digits, points and hyphens in quotes",
            pattern=r"^[.-]*([\p{L}\p{N}][.-]*)+$",
        ),
    ]
    title: str
    where: str
    year: int | None  # None if unknown
    file: Path  # The table of its claims
    note: str = ""  # Applies to all its figures

    @property
    def citation(self) -> str:
        """Title, year and place in one line."""
        year = "year unknown" if self.year is None else str(self.year)
        return f"{self.title} ({year}), {self.where}"


@dataclass(frozen=True)
class Reading:
    """One way to carry out a protocol, with nothing left open."""

    # "split": one split with a known seed; "rows": explicit train and test rows; "whole":
    # trained and scored on the same rows; "splits": many splits with unknown seeds;
    # "seeds": many with known seeds; "folds" and "kfold": cross-validation, stratified or
    # not; "certified": one sample; "times": fit to the training side of a split
    kind: Kind
    # From the catalogue, a file, a certified sample, or "student-performance"
    dataset: str
    test_size: Annotated[Share | None, described(SHARE)] = None
    # Fractions of training samples; several make a sweep
    train_fractions: Annotated[tuple[Share, ...], described(SHARES, min_length=1)] = ()
    # Whether every run uses all train fractions, or one of them in turn
    fractions_per_run: Literal["all", "one"] = "all"
    # Seed of the split, of run 0 of several, or of shuffled folds
    random_state: Annotated[int, described(SEED, ge=0, lt=2**32)] = 0
    # Number of splits; 1 unless there are several
    runs: Annotated[int, described("a whole number from 2", gt=1)] = 1
    stratify: bool = False
    folds: Annotated[int, described("a whole number from 2", gt=1)] = 0
    shuffle: bool = False  # Of folds
    # Labels to keep; empty for all
    classes: Annotated[
        tuple[int, ...], described("a list of labels that are whole numbers", min_length=1)
    ] = ()
    # For "rows": a condition on the rows of each side, such as "Year < 2005"
    train: str = ""
    test: str = ""  # Empty for all other rows
    # For files: see `gnbbench.data.loading.load`
    target: str | None = None
    drop: tuple[str, ...] = ()
    missing: Literal["error", "drop"] = "error"
    # For student-performance: "mat", "por" or "both"; and whether G1 and G2 are features
    subject: Literal["", "mat", "por", "both"] = ""
    encoding: Literal["", "numeric", "one-hot"] = ""
    earlier_grades: bool = True
    open: tuple[str, ...] = ()  # Names of the settings that the source leaves open
    directory: Path = Path()  # Searched first for a file

    @property
    def is_file(self) -> bool:
        """Whether the data are in a file."""
        return "." in self.dataset

    @property
    def is_listed(self) -> bool:
        """Whether a figure of single runs is a list of numbers, one per run."""
        return self.kind in {"seeds", "folds", "kfold"}

    @property
    def words(self) -> str:
        """What distinguishes this reading from the others; empty if it is the only one."""
        words: Mapping[str, str] = {
            "dataset": self.dataset,
            "subject": {"mat": "mathematics", "por": "Portuguese"}.get(
                self.subject, "both subjects"
            ),
            "encoding": f"{self.encoding} features",
            "earlier_grades": "with G1 and G2" if self.earlier_grades else "without grades",
            "stratify": "stratified" if self.stratify else "not stratified",
            "fractions_per_run": f"{self.fractions_per_run} train fraction per run"
            if self.fractions_per_run == "one"
            else "all train fractions in each run",
        }
        return ", ".join(words[name] for name in words if name in self.open)

    @property
    def description(self) -> str:
        """How figures are obtained, in words."""
        how = {
            "whole": "trained and scored on all rows",
            "rows": f"trained where {self.train}, tested "
            + (f"where {self.test}" if self.test else "on the others"),
            "folds": f"{self.folds}-fold cross-validation, stratified, {self._order()}",
            "kfold": f"{self.folds}-fold cross-validation, not stratified, {self._order()}",
            "certified": "parameters of one class, smoothing off",
        }.get(self.kind)
        kept = f", classes {' and '.join(map(str, self.classes))}" if self.classes else ""
        return (how or self._splitting()) + kept

    def _order(self) -> str:
        seed = f"shuffled with random_state {self.random_state}"
        return seed if self.shuffle else "in file order"

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
            known = ", as stated" if self.kind == "seeds" else ""
            seeds = f"{self.runs} seeds from {self.random_state}{known}"
        parts = [size, seeds]
        if "stratify" not in self.open:
            parts.append("stratified" if self.stratify else "not stratified")
        return ", ".join(parts)


@dataclass(frozen=True)
class Protocol:
    """How figures were obtained, as far as the source states it."""

    name: str  # Unique within its source
    readings: tuple[Reading, ...]  # One, or all those that the source leaves open
    # Whether the source states enough to tell right figures from wrong ones
    is_stated: bool = True

    @property
    def kind(self) -> Kind:
        """The kind of all readings."""
        return self.readings[0].kind


ClaimVerdict: TypeAlias = Literal[
    "reproduced",
    "within run-to-run spread",
    "not reproduced",
    "protocol not stated",
    "measured here",
    "not available",
]
VERDICTS: tuple[ClaimVerdict, ...] = get_args(ClaimVerdict)


@dataclass(frozen=True)
class Claim:
    """A published figure."""

    # Unique among all claims
    id: Annotated[
        str,
        described(
            "lower-case letters, digits and hyphens in quotes",
            pattern=r"^-*([\p{Ll}\p{N}]-*)+$",
        ),
    ]
    source: Publication
    protocol: Protocol
    metric: str  # One of `gnbbench.claims.protocols.METRICS`
    published: Published
    # The implementation measured, as `gnbbench.implementations.implementation` takes it
    implementation: str
    expected: ClaimVerdict  # The verdict when the claim was entered
    contrasts: tuple[str, ...] = ()  # Implementations to measure for contrast
    cause: str = ""  # What explains the figure if the contrasts differ from it
    note: str = ""
    slow: bool = False  # Whether it takes more than two seconds
    # For figures of one model: restrict them to a class, a feature or some samples
    label: str = ""
    feature: str = ""
    samples: Annotated[
        tuple[tuple[float, ...], ...],
        described("samples as lists of numbers, such as [[6, 130, 8]]", min_length=1),
    ] = ()
    # Samples by their position on the test side, from 0
    test_rows: Annotated[
        tuple[int, ...], described("places on the test side, such as [0, 1]", min_length=1)
    ] = ()


@dataclass(frozen=True, eq=False)
class Measured:
    """A figure reproduced here under one reading of the protocol."""

    reading: Reading
    # In the metric's own unit; NaN if it failed. For many seeds of one split each, their
    # mean.
    value: float
    # (n_repeats,): The figure for each of many seeds or resampled sets of runs
    repeats: NDArray[np.float64] | None = None
    is_resampled: bool = False  # Whether `repeats` come from resampled sets of runs
    n_runs: int = 1  # Runs behind one value
    total: int | None = None  # For a count: out of how many
    # 95 % interval of a time, or of the standard deviation of a mean over runs
    low: float = float("nan")
    high: float = float("nan")
    spread: float = float("nan")  # Standard deviation of a time or a mean over runs
    message: str = ""  # Why it failed, or what readers should know
    rows: tuple[tuple[float, ...], ...] = ()  # For a table, whose mean is `value`
    # Fraction of seeds that give all figures of the source and protocol at once; NaN if
    # there is only one figure
    together: float = float("nan")

    @property
    def figures(self) -> NDArray[np.float64]:
        """The figure for each seed, or the single value."""
        return np.array([self.value]) if self.repeats is None else self.repeats


@dataclass(frozen=True)
class Contrast:
    """The same figure for another implementation, under the first reading."""

    implementation: str
    value: float
    is_published: bool  # Whether it gives the published figure too


@dataclass(frozen=True, eq=False)
class ClaimResult:
    """A claim compared with what was measured."""

    claim: Claim
    verdict: ClaimVerdict
    # One per reading; empty if the data are not available
    measured: tuple[Measured, ...]
    contrasts: tuple[Contrast, ...]
    explanation: str  # Explains the verdict, in sentences
    # Time taken, without what other claims had already measured
    seconds: float = float("nan")
    is_cut: bool = False  # Whether there were fewer runs than the claim requires

    @property
    def spreads(self) -> tuple[Measured, ...]:
        """The measurements that were repeated over many seeds."""
        return tuple(reading for reading in self.measured if reading.repeats is not None)

    @property
    def is_lost(self) -> bool:
        """Whether the claim held when it was entered and no longer does.

        Claims that cannot be measured here, or had fewer runs than required, are not lost.
        """
        if self.is_cut or self.verdict == "not available":
            return False
        worse = {"reproduced": VERDICTS[1:], "within run-to-run spread": VERDICTS[2:3]}
        return self.verdict in worse.get(self.claim.expected, ())
