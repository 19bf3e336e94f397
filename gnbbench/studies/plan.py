"""What a study is to do, settled before anything is measured."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np

from gnbbench.errors import OptionError

PLAN_VERSION = 1

DEFAULT_BLOCK_ROWS = 65_536
DEFAULT_FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that the results of any study depend on."""

    study: ClassVar[str]
    # Fields that have one value in every plan of the kind.
    fixed: ClassVar[tuple[str, ...]] = ()

    dataset: str  # Name of the dataset
    sha256: str  # Digest of its values and labels
    dataset_options: dict[str, Any]  # Whatever has to be given again to load it
    reference: str  # Name of the implementation that the others are held against
    against: tuple[str, ...]  # Names of the others
    runs: int = 100  # Number of randomised splits
    stratify: bool = True  # Whether both sides keep the shares of the classes
    seed: int = 42  # Run r is split with the random state seed + r
    margin: float = 0.01  # Differences of accuracy up to this count as equivalent
    # Runs, drawn at random, in which the others are held against the reference; in the rest
    # the reference alone is evaluated. None for all runs.
    spot_checks: int | None = None
    # Name of an implementation -> what was typed to have it, where that is not its name
    specifications: dict[str, str] = field(default_factory=dict)
    # Name of an implementation -> digest of its sources, where it comes from a file
    digests: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _require(self.runs >= 1, "--runs", self.runs, "a whole number from 1")
        last_seed = self.seed + self.runs - 1
        _require(
            self.seed >= 0 and last_seed < 2**32,
            "--seed",
            self.seed,
            f"a whole number from 0 to {2**32 - self.runs}",
        )
        _require(
            0.0 < self.margin < 1.0, "--margin", self.margin, "a share between 0 and 1"
        )
        _require(
            self.spot_checks is None or 1 <= self.spot_checks <= self.runs,
            "--spot-checks",
            self.spot_checks,
            f"a whole number from 1 to the runs ({self.runs})",
        )

    @property
    def compared_runs(self) -> frozenset[int] | None:
        """The runs that are spot checks, drawn with the seed; None for all runs."""
        if self.spot_checks is None:
            return None
        generator = np.random.default_rng(self.seed)
        drawn = generator.choice(self.runs, self.spot_checks, replace=False)
        return frozenset(drawn.tolist())

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as JSON knows it, the kind of study first."""
        plain = {"study": self.study, "plan_version": PLAN_VERSION, **asdict(self)}
        result: dict[str, Any] = json.loads(json.dumps(plain))
        return result

    @property
    def identifier(self) -> str:
        """Eight hexadecimal digits that differ between plans."""
        text = json.dumps(self.as_dict(), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    @property
    def directory_name(self) -> str:
        """Name of the results directory: study, dataset, identifier."""
        readable = re.sub(r"[^a-z0-9]+", "-", self.dataset.lower()).strip("-") or "data"
        return f"{self.study}-{readable[:40]}-{self.identifier}"


@dataclass(frozen=True, kw_only=True)
class ComparePlan(Plan):
    """A plan of runs with test sides of one size."""

    study = "compare"

    test_size: float = 0.3  # Share of the samples on the test side
    # The two features of the decision regions; None for the best pair
    features: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _require(
            0.0 < self.test_size < 1.0,
            "--test-size",
            self.test_size,
            "a share between 0 and 1",
        )


@dataclass(frozen=True, kw_only=True)
class StreamPlan(Plan):
    """A plan of one run over data that are read in blocks, never as a whole.

    A row is on the train side where a hash of the seed and of its number is below a bound
    (`gnbbench.measurement.split_rules.SideRule`); classes have no influence on that.
    """

    study = "stream"
    fixed = ("runs", "stratify", "spot_checks")

    runs: int = 1
    stratify: bool = False
    test_size: float = 0.3  # Share of the rows that is expected on the test side
    # Rows of a block at most. What ``partial_fit`` of others learns may depend on it.
    block_rows: int = DEFAULT_BLOCK_ROWS

    def __post_init__(self) -> None:
        super().__post_init__()
        _require(self.runs == 1, "--runs", self.runs, "1: a stream is read once a pass")
        _require(not self.stratify, "--stratify", self.stratify, "no --stratify")
        _require(
            self.spot_checks is None, "--spot-checks", self.spot_checks, "no --spot-checks"
        )
        _require(
            0.0 < self.test_size < 1.0,
            "--test-size",
            self.test_size,
            "a share between 0 and 1",
        )
        _require(
            self.block_rows >= 1, "--block-rows", self.block_rows, "a whole number from 1"
        )


@dataclass(frozen=True, kw_only=True)
class SweepPlan(Plan):
    """A plan of runs at each of several sizes of the train side."""

    study = "sweep-split"

    # Shares of the samples on the train side, ascending
    train_fractions: tuple[float, ...] = DEFAULT_FRACTIONS

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.train_fractions
        _require(len(given) > 0, "--train-fractions", "nothing", "at least one share")
        for fraction in given:
            _require(
                0.0 < fraction < 1.0,
                "--train-fractions",
                fraction,
                "shares between 0 and 1",
            )
        _require(
            list(given) == sorted(set(given)),
            "--train-fractions",
            ",".join(map(str, given)),
            "each share once, in ascending order",
        )


def _require(condition: bool, option: str, value: object, remedy: str) -> None:  # noqa: FBT001  the condition is the point
    if not condition:
        raise OptionError(option, f"{value} is out of range", f"Give {remedy}.")
