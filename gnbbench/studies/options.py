"""The options of every kind of study; pydantic is all that they need."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from gnbbench.errors import OptionError
from gnbbench.studies.option import (
    DATA,
    FILE,
    GATES,
    NOT_IN_FILES,
    PYTHON,
    STUDY,
    TIMING,
    Option,
    fractions_of,
    names_of,
    require,
    require_seed,
    seconds_of,
)
from gnbbench.studies.shared_options import (
    ABOVE_0,
    BLOCK_ROWS_TEXT,
    FROM_1,
    LESS_THAN_1,
    WHOLE,
    Against,
    BlockRows,
    ExecutionOptions,
    FileSource,
    IsolationOptions,
    LabelledSource,
    OutputOptions,
    PairOptions,
    Reference,
    RunOptions,
    Runs,
    Seed,
    SeveralData,
    Stratify,
    TestSize,
    TimingOptions,
)

DEFAULT_FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FEWEST_REPRODUCED_RUNS = 10


class CompareOptions(
    RunOptions,
    LabelledSource,
    TimingOptions,
    ExecutionOptions,
    IsolationOptions,
    OutputOptions,
):
    """Options of a comparison over randomised splits, on one dataset or on several."""

    data: SeveralData = Field(kw_only=False)
    test_size: TestSize = 0.3
    features: Annotated[
        tuple[str, ...] | None,
        Option(
            STUDY,
            "Plane of the decision regions: A,B or pca.  [default: best pair]",
            read=names_of,
        ),
    ] = None
    optional: Annotated[
        tuple[str, ...],
        Option(
            STUDY,
            "With several datasets: left out where they are not installed.",
            flag="optional",
            roads=frozenset({FILE, PYTHON}),
        ),
    ] = ()
    stream: Annotated[
        bool,
        Option(
            DATA,
            "Read a file larger than memory (Parquet, .npy, CSV/TSV) in blocks, "
            "twice; one split, by row number.",
            roads=NOT_IN_FILES,
        ),
    ] = False
    block_rows: Annotated[
        int | None,
        FROM_1,
        Option(
            DATA, BLOCK_ROWS_TEXT, refusal=LESS_THAN_1, remedy=WHOLE, roads=NOT_IN_FILES
        ),
    ] = None


class StreamOptions(
    PairOptions, FileSource, ExecutionOptions, IsolationOptions, OutputOptions
):
    """Options of a comparison on data that are read in blocks."""

    test_size: TestSize = 0.3
    block_rows: BlockRows = None

    @model_validator(mode="after")
    def _check_seed(self) -> Self:
        require_seed(self.seed, 1)
        if self.jobs not in {None, 1}:
            remedy = "Leave it out, or give --dask ADDRESS."
            raise OptionError("--jobs", "a stream is read by one process", remedy)
        return self


class SweepOptions(
    RunOptions, LabelledSource, ExecutionOptions, IsolationOptions, OutputOptions
):
    """Options of a comparison at several train fractions."""

    train_fractions: Annotated[
        tuple[float, ...],
        Option(
            STUDY,
            "FIRST:LAST:STEP, or a list such as 0.1,0.25,0.5.",
            read=fractions_of,
            typed="0.1:0.9:0.1",
        ),
    ] = DEFAULT_FRACTIONS
    budget_seconds: Annotated[
        float,
        ABOVE_0,
        Option(
            TIMING,
            "Time for the timing at each fraction, such as 200ms.",
            flag="--budget",
            metavar="TIME",
            read=seconds_of,
            typed="1s",
            refusal="{value:g} s is no time to measure in",
            remedy="Give a time above 0, such as 30s.",
            roads=NOT_IN_FILES,
        ),
    ] = 1.0

    @model_validator(mode="after")
    def _check_fractions(self) -> Self:
        flag, given = "--train-fractions", self.train_fractions
        require(len(given) > 0, flag, "nothing", "at least one share")
        for fraction in given:
            require(0.0 < fraction < 1.0, flag, fraction, "shares between 0 and 1")
        is_ascending = list(given) == sorted(set(given))
        text = ",".join(map(str, given))
        require(is_ascending, flag, text, "each share once, in ascending order")
        return self


class ExplainOptions(LabelledSource, IsolationOptions, OutputOptions):
    """Options of a search for the causes of all differences."""

    runs: Runs = 20
    against: Annotated[
        Any,
        Option(
            STUDY,
            "What is explained; repeatable.  [required]",
            plain=tuple[str, ...],
            remedy="Name what is explained, such as --against my_gnb.py:MyGNB",
        ),
    ]
    reference: Reference = "sklearn"
    test_size: TestSize = 0.3
    stratify: Stratify = True
    seed: Seed = 42

    @model_validator(mode="after")
    def _check_seed(self) -> Self:
        require_seed(self.seed, self.runs)
        return self


class AssumptionsOptions(LabelledSource, OutputOptions):
    """Options of an examination of the naive and the normal assumption."""

    runs: Annotated[
        int, FROM_1, Option(STUDY, "Randomised splits, for the costs.", remedy=WHOLE)
    ] = 20
    test_size: TestSize = 0.3
    seed: Seed = 42
    correlation: Annotated[
        Literal["pearson", "spearman"],
        Option(
            STUDY,
            "Of the heat maps: pearson or spearman.",
            plain=str,
            refusal="'{value}' is no correlation",
            remedy="Give pearson or spearman.",
        ),
    ] = "pearson"

    @model_validator(mode="after")
    def _check_seed(self) -> Self:
        require_seed(self.seed, self.runs)
        return self


class ConformanceOptions(OutputOptions):
    """Options of an examination by a battery of hard cases."""

    implementation: Annotated[
        Any,
        Option(
            STUDY,
            "What is examined; several make a scoreboard.",
            flag="NAME",
            metavar="[NAME]...",
            is_argument=True,
            plain=tuple[str, ...],
        ),
    ] = Field(default=None, kw_only=False)
    every: Annotated[
        bool, Option(STUDY, "Scoreboard of all installed implementations.", flag="--all")
    ] = False
    only: Annotated[
        Any, Option(STUDY, "Family or id of checks; repeatable.", plain=tuple[str, ...])
    ] = None
    expect_fail: Annotated[
        Path | None,
        Option(GATES, "File of the checks whose failure is known, an id a line."),
    ] = None
    timeout_seconds: Annotated[
        float,
        ABOVE_0,
        Option(
            STUDY,
            "Seconds that a check may take.",
            flag="--timeout",
            refusal="{value:g} is no time limit",
            remedy="Give seconds above 0.",
        ),
    ] = 30.0


class ScaleOptions(IsolationOptions, OutputOptions):
    """Options of a measurement of time and memory against sizes."""

    samples: Annotated[
        Any,
        Option(STUDY, "FIRST:LAST, a list, or one to hold.", metavar="SIZES", plain=str),
    ] = "1e3:1e6"
    features: Annotated[
        Any, Option(STUDY, "Likewise; held at 20 else.", metavar="SIZES", plain=str)
    ] = "4:256"
    classes: Annotated[
        Any, Option(STUDY, "Likewise; held at 5 else.", metavar="SIZES", plain=str)
    ] = "2:64"
    against: Against = None
    reference: Reference = "sklearn"
    seed: Annotated[
        int,
        Field(ge=0, lt=2**32),
        Option(
            STUDY,
            "Of the samples and of the orders.",
            remedy=f"Give a whole number from 0 to {2**32 - 1}.",
        ),
    ] = 42
    budget_seconds: Annotated[
        float,
        ABOVE_0,
        Option(
            TIMING,
            "For all, as 60 or 5m; who would pass its share stops along that axis.",
            flag="--budget",
            metavar="TIME",
            read=seconds_of,
            typed="60s",
            refusal="{value:g} s is no time to measure in",
            remedy="Give a time above 0, such as 30s.",
        ),
    ] = 60.0
    processes: Annotated[
        int,
        FROM_1,
        Option(
            TIMING,
            "Fresh processes that all times are taken over in.",
            refusal=LESS_THAN_1,
            remedy=WHOLE,
        ),
    ] = 3
    threads: Annotated[
        int,
        FROM_1,
        Option(
            TIMING,
            "Threads of BLAS and OpenMP.",
            refusal=LESS_THAN_1,
            remedy=WHOLE,
        ),
    ] = 1


class ReproduceOptions(OutputOptions):
    """Options of a measurement of published figures."""

    ids: Annotated[
        Any,
        Option(
            STUDY,
            "Claims, or sources such as A; all when none is named.",
            flag="ID",
            metavar="[ID]...",
            is_argument=True,
            plain=tuple[str, ...],
        ),
    ] = Field(default=None, kw_only=False)
    data: Annotated[
        Path | None,
        Option(STUDY, "Directory of student-mat.csv and student-por.csv (UCI 320)."),
    ] = None
    runs: Annotated[
        int | None,
        Field(ge=FEWEST_REPRODUCED_RUNS),
        Option(
            STUDY,
            "Most runs of repeated protocols.  [default: as published]",
            refusal="{value} runs show no spread",
            remedy=f"Give a whole number from {FEWEST_REPRODUCED_RUNS}.",
        ),
    ] = None
    claims: Annotated[
        Path | None,
        Option(STUDY, "Directory of tables of claims.  [default: configs/claims]"),
    ] = None
