"""A published figure: its source, its protocol, and the result of measuring it."""

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
    """What is printed, one number or a table of them: its digits are part of the claim."""

    text: str  # As printed
    value: float  # In the unit of the text; NaN of a table
    decimals: int  # Digits after the point
    scale: float = 1.0  # What a measured share is multiplied by: 100 for per cent
    is_bound: bool = False  # Whether the claim is that the number is exceeded
    total: int | None = None  # Of a count, what it is out of
    spread: float | None = None  # Printed after ±
    # Significant digits that are held, where those after the point are not
    digits: int | None = None
    rows: tuple[tuple["Published", ...], ...] = ()  # Of a table, its numbers

    def is_reached_by(self, measured: float) -> bool:
        """Return whether a measured value is the published one, at the published digits."""
        if self.is_bound:
            return measured * self.scale > self.value
        return self.rounded(measured) == self.rounded(self.value / self.scale)

    def shown(self, measured: float) -> str:
        """Return a measured value with as many digits as are held, for readers."""
        held = self.digits
        return self.rounded(measured) if held is None else f"{measured:.{held}g}"

    def rounded(self, measured: float) -> str:
        """Return a measured value with as many digits as are held."""
        scaled = measured * self.scale
        if self.digits is not None:
            return f"{scaled:.{self.digits - 1}e}"
        # Adding zero turns a rounded -0 into 0.
        return f"{round(scaled, self.decimals) + 0.0:.{self.decimals}f}"


def published(text: str, digits: int | None = None) -> Published:
    """Return the value that a text states, or the table of values."""
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
    """Return the numbers between brackets, row by row, or those between semicolons.

    NumPy ends a round number with its point: it has the digits of the longest one.
    """
    if _TABLE.fullmatch(text) is None:
        raise ValueError(f"{text!r} is not a published table of numbers")
    lines = [re.findall(_NUMBER, line) for line in re.split(r"[;\]]", text)]
    rows = [[published(number, digits) for number in line] for line in lines if line]
    if len(set(map(len, rows))) > 1:
        raise ValueError(f"{text!r} is not a published table: its rows differ in length")
    most = max(number.decimals for row in rows for number in row)
    return Published(
        text,
        math.nan,
        most,
        rows=tuple(
            tuple(replace(n, decimals=most) if n.text.endswith(".") else n for n in row)
            for row in rows
        ),
    )


Kind: TypeAlias = Literal[
    "split", "rows", "whole", "splits", "seeds", "folds", "kfold", "certified", "times"
]
Share: TypeAlias = Annotated[float, Field(gt=0.0, lt=1.0)]
SHARE, SHARES = "a share between 0 and 1", "a list of shares between 0 and 1"


def said(words: str, **limits: Any) -> Any:
    """Return what a table may hold for a field, and its description in an error."""
    return Field(description=words, **limits)


@dataclass(frozen=True)
class Publication:
    """Where figures were published."""

    # Short name, such as "A"
    key: Annotated[
        str,
        said(
            "letters, digits, points and hyphens in quotes",
            pattern=r"^[.-]*([\p{L}\p{N}][.-]*)+$",
        ),
    ]
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

    # "split": one split of a known seed; "rows": given train and test rows; "whole":
    # trained and scored on the same rows; "splits": many, of seeds that are not known;
    # "seeds": many of known ones; "folds" and "kfold": cross-validation, stratified and
    # not; "certified": one sample; "times": fit on the train side of a split
    kind: Kind
    # Of the catalogue, a file, a certified sample, or "student-performance"
    dataset: str
    test_size: Annotated[Share | None, said(SHARE)] = None
    # Shares of training samples; several make a sweep
    train_fractions: Annotated[tuple[Share, ...], said(SHARES, min_length=1)] = ()
    # Whether every run has each train fraction, or one of them by turns
    fractions_per_run: Literal["all", "one"] = "all"
    # Of one split; of run 0 of several; of shuffled folds
    random_state: Annotated[int, said("a whole number from 0", ge=0)] = 0
    # Number of splits; 1 unless there are several
    runs: Annotated[int, said("a whole number from 2", gt=1)] = 1
    stratify: bool = False
    folds: Annotated[int, said("a whole number from 2", gt=1)] = 0
    shuffle: bool = False  # Of folds
    # Labels that are kept; all when empty
    classes: Annotated[
        tuple[int, ...], said("a list of labels that are whole numbers", min_length=1)
    ] = ()
    # Of "rows": which rows of a file are on a side, such as "Year < 2005"
    train: str = ""
    test: str = ""  # All others when empty
    # Of a file: see `gnbbench.data.loading.load`
    target: str | None = None
    drop: tuple[str, ...] = ()
    missing: Literal["error", "drop"] = "error"
    # Of student-performance; "mat", "por" or "both"; whether G1 and G2 are features
    subject: Literal["", "mat", "por", "both"] = ""
    encoding: Literal["", "numeric", "one-hot"] = ""
    earlier_grades: bool = True
    open: tuple[str, ...] = ()  # Names of what the source leaves open
    directory: Path = Path()  # Where a file is looked for first

    @property
    def is_file(self) -> bool:
        """Whether the data are in a file."""
        return "." in self.dataset

    @property
    def is_listed(self) -> bool:
        """Whether a figure of single runs is one number for each of several runs."""
        return self.kind in {"seeds", "folds", "kfold"}

    @property
    def words(self) -> str:
        """What tells this reading from the others, empty where there is one only."""
        words: Mapping[str, str] = {
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
        return ", ".join(words[name] for name in words if name in self.open)

    @property
    def description(self) -> str:
        """How figures were obtained, as text."""
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
    """How figures were obtained, as far as the source says."""

    name: str  # Unique within its source
    readings: tuple[Reading, ...]  # One, or each way to settle what the source leaves open
    # Whether the source says enough to tell a right figure from a wrong one
    is_stated: bool = True

    @property
    def kind(self) -> Kind:
        """Kind of all readings."""
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
    """One published figure."""

    # Unique among all claims
    id: Annotated[
        str,
        said(
            "lower-case letters, digits and hyphens in quotes",
            pattern=r"^-*([\p{Ll}\p{N}]-*)+$",
        ),
    ]
    source: Publication
    protocol: Protocol
    metric: str  # One of `gnbbench.claims.metrics.METRICS`
    published: Published
    # What it is a figure of, as `gnbbench.implementations.implementation` takes it
    implementation: str
    expected: ClaimVerdict  # The verdict that was reached when the claim was entered
    contrasts: tuple[str, ...] = ()  # Implementations to measure beside it
    cause: str = ""  # What explains the figure where the contrasts differ from it
    note: str = ""
    slow: bool = False  # Whether it takes more than two seconds
    # Of what one model tells: of this class, this feature and these samples alone
    label: str = ""
    feature: str = ""
    samples: Annotated[
        tuple[tuple[float, ...], ...],
        said("samples as lists of numbers, such as [[6, 130, 8]]", min_length=1),
    ] = ()
    # Samples by their place on the test side, from 0
    test_rows: Annotated[
        tuple[int, ...], said("places on the test side, such as [0, 1]", min_length=1)
    ] = ()

    @property
    def part(self) -> str:
        """Which part of a model's figures is claimed, empty where it is all."""
        return ", ".join(filter(None, (self.label, self.feature)))


@dataclass(frozen=True, eq=False)
class Measured:
    """A figure as one reading of the protocol gives it here."""

    reading: Reading
    # In the metric's own unit; NaN where it failed. Of many seeds of one split each, their
    # mean.
    value: float
    # (n_repeats,): The figure under each of many seeds, or of many resampled sets of runs
    repeats: NDArray[np.float64] | None = None
    is_resampled: bool = False  # Whether `repeats` are those of resampled sets of runs
    n_runs: int = 1  # Runs behind one value
    total: int | None = None  # What a count is out of
    # Ends of the 95 % interval of a time, or of the standard deviation of a mean over runs
    low: float = float("nan")
    high: float = float("nan")
    spread: float = float("nan")  # Standard deviation of a time or a mean over runs
    message: str = ""  # Why it failed, or what a reader should know
    rows: tuple[tuple[float, ...], ...] = ()  # Of a table; `value` is its mean then
    # Share of seeds that give all figures of source and protocol together; NaN where
    # there is one figure only
    together: float = float("nan")

    @property
    def figures(self) -> NDArray[np.float64]:
        """The figure under each seed; one that was measured once has one value."""
        return np.array([self.value]) if self.repeats is None else self.repeats


@dataclass(frozen=True)
class Contrast:
    """The same figure of another implementation, under the first reading."""

    implementation: str
    value: float
    is_published: bool  # Whether it gives the published figure too


@dataclass(frozen=True, eq=False)
class ClaimResult:
    """A claim compared with what was measured."""

    claim: Claim
    verdict: ClaimVerdict
    # One for each reading; empty where the data are not there
    measured: tuple[Measured, ...]
    contrasts: tuple[Contrast, ...]
    explanation: str  # What explains the verdict, in sentences
    # How long it took, without what other claims had measured before
    seconds: float = float("nan")
    is_cut: bool = False  # Whether fewer runs were made than the claim asks for

    @property
    def is_lost(self) -> bool:
        """Whether the claim held when it was entered and does not any more.

        What cannot be measured here, or was with fewer runs than asked for, is not lost.
        """
        if self.is_cut or self.verdict == "not available":
            return False
        worse = {
            "reproduced": VERDICTS[1:],
            "within run-to-run spread": ("not reproduced",),
        }
        return self.verdict in worse.get(self.claim.expected, ())
