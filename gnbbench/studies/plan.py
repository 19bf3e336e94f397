"""What a study is to do, settled before anything is measured."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

import numpy as np

from gnbbench.studies.options import DEFAULT_FRACTIONS

PLAN_VERSION = 1

DEFAULT_BLOCK_ROWS = 65_536


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


@dataclass(frozen=True, kw_only=True)
class SweepPlan(Plan):
    """A plan of runs at each of several sizes of the train side."""

    study = "sweep-split"

    # Shares of the samples on the train side, ascending
    train_fractions: tuple[float, ...] = DEFAULT_FRACTIONS
