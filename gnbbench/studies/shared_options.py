"""Options that several kinds of study have, each declared once, and how they group."""

import os
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from gnbbench.errors import OptionError
from gnbbench.studies.option import (
    DATA,
    EXECUTION,
    GATES,
    NOT_IN_FILES,
    OUTPUT,
    PYTHON,
    STUDY,
    TIMING,
    Option,
    Options,
    limit_of,
    one_or_several,
    require,
    require_seed,
    seconds_of,
    share_of,
)

# Where there are no processes for code of others, nothing is promised unless asked for.
COMMAND_TIMEOUT_SECONDS = 60.0 if os.name == "posix" else 0.0

FROM_1 = Field(ge=1)
LESS_THAN_1 = "{value} is less than 1"
ABOVE_0 = Field(gt=0.0, allow_inf_nan=False)
BETWEEN_0_AND_1 = Field(gt=0.0, lt=1.0, allow_inf_nan=False)
WHOLE = "Give a whole number from 1."
SHARE = "Give a share between 0 and 1."

Data = Annotated[
    Any,
    Option(
        STUDY,
        "A name (see: gnbbench list datasets), openml:NAME, uci:NUMBER, or a CSV/TSV file.",
        flag="DATASET",
        is_argument=True,
        plain=str,
        roads=NOT_IN_FILES,
        remedy="Give one, such as iris.",
    ),
]
SeveralData = Annotated[
    Any,
    Option(
        STUDY,
        "Names (see: gnbbench list datasets), openml:NAME, uci:NUMBER, or "
        "CSV/TSV files, with --stream Parquet or .npy too; several make a matrix.",
        flag="DATASET",
        metavar="DATASET...",
        is_argument=True,
        read=one_or_several,
        plain=tuple[str, ...],
        roads=NOT_IN_FILES,
        remedy="Give one, such as iris.",
    ),
]
Labels = Annotated[
    Any,
    Option(
        STUDY,
        "Labels of the samples, where the data are an array.",
        roads=frozenset({PYTHON}),
    ),
]
Runs = Annotated[int, FROM_1, Option(STUDY, "Randomised splits.", remedy=WHOLE)]
Against = Annotated[
    Any,
    Option(
        STUDY,
        "What is compared; repeatable.  [default: numpy, or sklearn where "
        "numpy is the reference]",
        plain=tuple[str, ...],
    ),
]
Reference = Annotated[Any, Option(STUDY, "What it is compared with.", plain=str)]
TestSize = Annotated[
    float, BETWEEN_0_AND_1, Option(STUDY, "Share of samples tested on.", remedy=SHARE)
]
Stratify = Annotated[
    bool, Option(STUDY, "Split without regard to classes.", flag="--no-stratify")
]
Seed = Annotated[int, Option(STUDY, "Random state of run 0.")]
Margin = Annotated[
    float,
    BETWEEN_0_AND_1,
    Option(STUDY, "Accuracy differences up to this are equivalent.", remedy=SHARE),
]
SpotChecks = Annotated[
    int | None,
    Option(
        STUDY,
        "Runs, drawn at random, to compare in; in the rest the reference alone "
        "is evaluated.  [default: all]",
    ),
]

Target = Annotated[
    Any,
    Option(
        DATA, "Column of the labels, or a comparison on one, such as 'G3>=10'.", plain=str
    ),
]
Separator = Annotated[
    str | None, Option(DATA, "File: separator.  [default: found]", flag="--sep")
]
Drop = Annotated[tuple[str, ...], Option(DATA, "File: column to leave out; repeatable.")]
Missing = Annotated[str, Option(DATA, "File: rows with missing values: error or drop.")]
OneHot = Annotated[
    bool, Option(DATA, "Columns of text become columns of 0 and 1, one a level.")
]
Offline = Annotated[
    bool,
    Option(
        DATA, "openml:, uci: only what was fetched before; no network.", roads=NOT_IN_FILES
    ),
]
Header = Annotated[
    bool | None,
    Option(DATA, "File: does line 1 name the columns?", flag="--header/--no-header"),
]
NSamples = Annotated[int | None, Option(DATA, "gaussians: samples.")]
NFeatures = Annotated[int | None, Option(DATA, "gaussians: features.")]
NClasses = Annotated[int | None, Option(DATA, "gaussians: classes.")]
DataSeed = Annotated[int | None, Option(DATA, "gaussians: seed.")]
Offset = Annotated[float | None, Option(DATA, "gaussians: added to every feature, as 1e6.")]
BLOCK_ROWS_TEXT = "--stream: rows of a block at most.  [default: as it suits]"
BlockRows = Annotated[
    int | None, FROM_1, Option(DATA, BLOCK_ROWS_TEXT, refusal=LESS_THAN_1, remedy=WHOLE)
]

Budget = Annotated[
    float | None,
    ABOVE_0,
    Option(
        TIMING,
        "Time for the timing of all, such as 30s, 500ms, 2m.  [default: 1s, or "
        "30s with --precision]",
        flag="--budget",
        metavar="TIME",
        read=seconds_of,
        refusal="{value:g} s is no time to measure in",
        remedy="Give a time above 0, such as 30s.",
    ),
]
Precision = Annotated[
    float | None,
    BETWEEN_0_AND_1,
    Option(
        TIMING,
        "Time until every ratio is known to within this, such as 1%, or the "
        "budget is spent.",
        metavar="SHARE",
        read=share_of,
        refusal="{percent:g} % is out of range",
        remedy="Give a share such as 1% or 0.01.",
    ),
]
Processes = Annotated[
    int,
    FROM_1,
    Option(
        TIMING,
        "Fresh processes that the timing is repeated in.",
        refusal=LESS_THAN_1,
        remedy=WHOLE,
    ),
]
Regime = Annotated[
    Literal["warm", "interleaved"],
    Option(
        TIMING,
        "warm: an untimed call goes before each timed one; interleaved: none does.",
        plain=str,
        refusal="'{value}' is unknown",
        remedy="Give warm or interleaved.",
    ),
]
Threads = Annotated[
    int,
    FROM_1,
    Option(
        TIMING,
        "Threads of BLAS and OpenMP while times are taken.",
        refusal=LESS_THAN_1,
        remedy=WHOLE,
    ),
]

Jobs = Annotated[
    int | None,
    FROM_1,
    Option(
        EXECUTION,
        "Processes for evaluation.  [default: as it pays]",
        refusal=LESS_THAN_1,
        remedy=WHOLE,
    ),
]
Dask = Annotated[
    str | None, Option(EXECUTION, "Address of a Dask scheduler to evaluate on.")
]
Timeout = Annotated[
    float | None,
    ABOVE_0,
    Option(
        EXECUTION,
        "Code of others runs in processes of its own, each call within this "
        "time; 0: without.",
        flag="--timeout",
        metavar="SECONDS",
        read=limit_of,
        typed=COMMAND_TIMEOUT_SECONDS,
        refusal="{value:g} is no time limit",
        remedy="Give seconds above 0.",
    ),
]

Out = Annotated[Path | None, Option(OUTPUT, "Results directory.  [default: reports/...]")]
Overwrite = Annotated[bool, Option(OUTPUT, "Replace records of another plan.")]
Listener = Annotated[
    Any,
    Option(
        OUTPUT, "Is told how far the study is; None: nobody is.", roads=frozenset({PYTHON})
    ),
]


class OutputOptions(Options):
    """Where results go, and who is told how far the study is."""

    out: Out = None
    overwrite: Overwrite = False
    progress: Listener = None


class ExecutionOptions(Options):
    """Who does the work."""

    jobs: Jobs = None
    dask: Dask = None


class IsolationOptions(Options):
    """How long code of others may take."""

    timeout_seconds: Timeout = None


class TimingOptions(Options):
    """How times are taken; no other result of a study depends on it."""

    budget_seconds: Budget = None
    precision: Precision = None
    processes: Processes = 1
    regime: Regime = "warm"
    threads: Threads = 1


class FileSource(Options):
    """A file, and all that is needed to read it."""

    data: Data = Field(kw_only=False)
    target: Target = None
    separator: Separator = None
    drop: Drop = ()
    missing: Missing = "error"
    header: Header = None


class Source(FileSource):
    """A dataset, and all that is needed to load it."""

    one_hot: OneHot = False
    offline: Offline = False
    n_samples: NSamples = None
    n_features: NFeatures = None
    n_classes: NClasses = None
    data_seed: DataSeed = None
    offset: Offset = None


class LabelledSource(Source):
    """A dataset by name or path, or as arrays."""

    y: Labels = Field(default=None, kw_only=False)


class PairOptions(Options):
    """What is held against what."""

    against: Against = None
    reference: Reference = "sklearn"
    seed: Seed = 42
    margin: Margin = 0.01


class RunOptions(Options):
    """Randomised splits, and what is held against what in them."""

    runs: Runs = 100
    against: Against = None
    reference: Reference = "sklearn"
    stratify: Stratify = True
    seed: Seed = 42
    margin: Margin = 0.01
    spot_checks: SpotChecks = None

    @model_validator(mode="after")
    def _check_runs(self) -> Self:
        require_seed(self.seed, self.runs)
        checks = self.spot_checks
        remedy = f"a whole number from 1 to the runs ({self.runs})"
        possible = checks is None or 1 <= checks <= self.runs
        require(possible, "--spot-checks", checks, remedy)
        return self


class GateOptions(Options):
    """What fails somebody's build."""

    fail_if_disagreement: Annotated[bool, Option(GATES, "Exit 1 if any label differs.")] = (
        False
    )
    fail_if_slower_than: Annotated[
        float | None,
        ABOVE_0,
        Option(
            GATES,
            "Exit 1 if fit or a prediction takes more than R times as long as "
            "the reference's, 3 if that cannot be told.",
            metavar="R",
            refusal="{value:g} is no multiple",
            remedy="Give a number above 0, such as 1.5.",
        ),
    ] = None
    junit: Annotated[
        Path | None,
        Option(GATES, "Write the outcome of every gate as JUnit XML.", metavar="FILE"),
    ] = None

    @model_validator(mode="after")
    def _check_junit(self) -> Self:
        asked = self.fail_if_disagreement or self.fail_if_slower_than is not None
        if self.junit is not None and not asked:
            remedy = "Give --fail-if-disagreement or --fail-if-slower-than with it."
            raise OptionError("--junit", "no gate is asked for", remedy)
        return self
