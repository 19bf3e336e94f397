"""The options of every kind of study, each declared once; imports pydantic alone."""

from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from gnbbench.data.catalogue import find
from gnbbench.errors import OptionError, install_command
from gnbbench.implementations.names import COMMAND, PREDICTIONS
from gnbbench.studies.option import (
    ADVANCED,
    DATA,
    EVERYWHERE,
    EXECUTION,
    FILE,
    GATES,
    NOT_IN_FILES,
    OUTPUT,
    PYTHON,
    STUDY,
    TIMING,
    Options,
    about,
    argument,
    fractions_of,
    limit_of,
    names_of,
    one_or_several,
    option,
    require,
    seconds_of,
    share_of,
    switch,
)

REPORTS = Path("reports")  # Where results directories go without --out
COMMAND_TIMEOUT_SECONDS = 60.0
DEFAULT_FRACTIONS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
CHECKED_DATA = ("iris", "wine", "breast_cancer")
FEWEST_REPRODUCED_RUNS = 10
IN_PYTHON = frozenset({PYTHON})
IN_COMMANDS = frozenset({"command"})
NAMES = tuple[str, ...]
DATA_TEXT = (
    "A name (see: gnbbench list datasets), openml:NAME, uci:NUMBER or a CSV/TSV file."
)
SEVERAL_TEXT = (
    "Names (see: gnbbench list datasets), openml:NAME, uci:NUMBER or CSV/TSV files; "
    "several make a matrix. With --stream: CSV/TSV, Parquet or directories of them, "
    "several as one dataset, or .npy."
)

# Bounds, and how a value outside them is refused.
whole = partial(option, ge=1, remedy="Give a whole number from 1.")
count = partial(whole, refusal="{value} is less than 1")
share = partial(option, gt=0.0, lt=1.0, remedy="Give a fraction between 0 and 1.")
choice = partial(option, plain=str, refusal="'{value}' is unknown")
limit = partial(
    option, flag="--timeout", gt=0.0, remedy="Give a number of seconds above 0."
)
timeout_of = partial(
    limit,
    EXECUTION,
    "Time limit for a call of third-party code, which runs in a separate process; 0: none.",
    metavar="SECONDS",
    read=limit_of,
    typed=COMMAND_TIMEOUT_SECONDS,
)
budget = partial(
    option,
    TIMING,
    flag="--budget",
    metavar="TIME",
    read=seconds_of,
    gt=0.0,
    refusal="{value} s is out of range",
    remedy="Give a time above 0, such as 30s.",
)
# Options of several kinds, each with its own default.
data_of = partial(
    argument, flag="DATASET", interfaces=NOT_IN_FILES, remedy="Give one, such as iris."
)
offline_of = partial(
    switch,
    DATA,
    "No network: read openml: and uci: data from earlier copies only.",
    interfaces=NOT_IN_FILES,
)
runs_of = partial(whole, STUDY, "Number of random train/test splits.")
against_of = partial(
    option,
    STUDY,
    "Implementation to compare; repeatable.  [default: numpy, or sklearn if the reference "
    "is numpy]",
    plain=NAMES,
)
reference_of = partial(
    option, STUDY, "Implementation to compare with.", default="sklearn", plain=str
)
test_size_of = partial(share, STUDY, "Fraction of samples to test on.", default=0.3)
stratify_of = partial(
    option,
    STUDY,
    "Split at random; by default, every split keeps the class proportions.",
    default=True,
    flag="--no-stratify",
)
seed_of = partial(option, STUDY, "Random seed; run r uses seed + r.", default=42)
margin_of = partial(
    share, STUDY, "Equivalence margin for differences of accuracy.", default=0.01
)
up_to_1000 = partial(whole, le=1000, remedy="Give a whole number from 1 to 1000.")
processes_of = partial(
    up_to_1000, TIMING, "Number of fresh processes to repeat the timing in."
)
block_rows_of = partial(
    count, ADVANCED, "With --stream: maximum rows per block.  [default: automatic]"
)
size_of = partial(option, STUDY, metavar="SIZES", plain=str)


class OutputOptions(Options):
    """Where results and progress go."""

    out: Path | None = option(
        OUTPUT, "Directory for the results; a command writes to reports/... by default."
    )
    overwrite: bool = switch(OUTPUT, "Delete earlier results there, and measure again.")
    progress: Any = option(
        OUTPUT, "Receives the progress of the study; None: nobody.", interfaces=IN_PYTHON
    )


class RunFileOptions(OutputOptions):
    """Where results go, and the format of the file of runs."""

    format: Literal["csv", "parquet"] = choice(
        OUTPUT,
        "Format of the file with one row per run: csv or parquet.",
        default="csv",
        remedy="Give csv or parquet.",
    )

    @model_validator(mode="after")
    def _check_format(self) -> Self:
        if self.format == "parquet" and find_spec("pyarrow") is None:
            remedy = f"Install it: {install_command('pyarrow')}. Or give csv."
            raise OptionError("--format", "parquet needs pyarrow", remedy)
        return self


class ExecutionOptions(Options):
    """Where runs are evaluated."""

    jobs: int | None = up_to_1000(EXECUTION, "Evaluation processes.  [default: automatic]")
    dask: str | None = option(EXECUTION, "Address of a Dask scheduler to evaluate on.")


class IsolationOptions(Options):
    """How long third-party code may take."""

    timeout_seconds: float | None = timeout_of()


class ProgramOptions(OutputOptions):
    """Where to keep the files that programs are given."""

    keep: Path | None = option(
        OUTPUT, "Directory to keep the files that programs are given.", flag="--keep"
    )


class TimingOptions(Options):
    """How to time; no other result of a study depends on this."""

    budget_seconds: float | None = budget(
        "Total time spent on timing, such as 30s, 500ms or 2m.  [default: 1s, up to "
        "10s on a noisy machine, 30s with --precision]"
    )
    precision: float | None = option(
        TIMING,
        "Keep timing until every ratio is known to within this, such as 1%, or the budget "
        "is used up.",
        metavar="SHARE",
        read=share_of,
        gt=0.0,
        lt=1.0,
        refusal="{percent:g} % is out of range",
        remedy="Give a share such as 1% or 0.01.",
    )
    processes: int = processes_of(default=1)
    threads: int = count(ADVANCED, "BLAS and OpenMP threads during timing.", default=1)


class ReadOptions(Options):
    """How to read a file."""

    target: Any = option(
        DATA,
        "Column of the labels, by name or number, or a comparison such as 'G3>=10'.",
        plain=str,
    )
    separator: str | None = option(DATA, "Separator.  [default: automatic]", flag="--sep")
    drop: tuple[str, ...] = option(
        DATA, "Files: column to leave out; repeatable.", default=()
    )
    missing: str = option(
        DATA, "Files: rows with missing values: error or drop.", default="error"
    )
    header: bool | None = option(
        DATA, "Files: whether line 1 holds the column names.", flag="--header/--no-header"
    )
    one_hot: bool = switch(DATA, "Encode text columns as 0/1 columns, one per category.")


class FileSource(ReadOptions):
    """A file and how to read it."""

    data: Any = Field(kw_only=False, json_schema_extra=data_of(DATA_TEXT, plain=str))


class DataSource(FileSource):
    """A dataset and how to load it."""

    offline: bool = offline_of()


def to_load(source: ReadOptions) -> dict[str, Any]:
    """Return the keywords that a source is loaded with."""
    names = [*ReadOptions.model_fields, "offline"]
    return {name: getattr(source, name) for name in names if hasattr(source, name)}


def each_to_load(options: ReadOptions, data: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the keywords of each of several datasets: beside files, names need few."""
    named = [isinstance(entry, str) and bool(find(entry)) for entry in data]
    every = to_load(options)  # Which are refused where all are names
    of_names = {name: every[name] for name in every if name == "offline" or all(named)}
    return [of_names if is_name else every for is_name in named]


class LabelledSource(DataSource):
    """A dataset by name or path, or as arrays."""

    y: Any = Field(
        default=None,
        kw_only=False,
        json_schema_extra=about(
            STUDY, "Labels, if the data are an array.", interfaces=IN_PYTHON
        ),
    )


class RunOptions(Options):
    """Randomised splits, and what is compared in them."""

    runs: int = runs_of(default=100)
    against: Any = against_of()
    reference: Any = reference_of()
    stratify: bool = stratify_of()
    seed: int = seed_of()
    margin: float = margin_of()
    remeasure: bool = switch(
        TIMING, "Repeat the timing; keep all other records.", interfaces=NOT_IN_FILES
    )


class FailureOptions(Options):
    """Whether a command may fail to compare labels."""

    allow_failures: bool = switch(
        GATES, "Without a gate: exit 0 even if no labels could be compared."
    )


class GateOptions(FailureOptions):
    """What makes a command fail."""

    fail_if_disagreement: bool = switch(GATES, "Exit 1 if any label differs.")
    fail_if_slower_than: float | None = option(
        GATES,
        "Exit 1 if fit or a prediction takes more than R times as long as the reference's, "
        "3 if that cannot be decided.",
        metavar="R",
        gt=0.0,
        remedy="Give a number above 0, such as 1.5.",
    )


class CompareOptions(
    RunOptions,
    LabelledSource,
    TimingOptions,
    ExecutionOptions,
    IsolationOptions,
    ProgramOptions,
    RunFileOptions,
):
    """Options of a comparison over randomised splits, on one dataset or on several."""

    data: Any = Field(
        kw_only=False,
        json_schema_extra=data_of(SEVERAL_TEXT, read=one_or_several, plain=NAMES),
    )
    runs: int = whole(
        STUDY,
        "Number of random train/test splits; with --stream by default 1.",
        default=100,
    )
    test_size: float = test_size_of()
    features: tuple[str, ...] | None = option(
        STUDY,
        "Plane of the decision regions: two features A,B, or pca.  [default: best pair]",
        read=names_of,
    )
    optional: tuple[str, ...] = option(
        STUDY,
        "With several datasets: implementations to skip if they are not installed.",
        default=(),
        flag="optional",
        interfaces=frozenset({FILE, PYTHON}),
    )
    stream: bool = switch(
        DATA,
        "Read files larger than memory (Parquet, .npy, CSV/TSV) in blocks.",
        interfaces=NOT_IN_FILES,
    )
    block_rows: int | None = block_rows_of(interfaces=NOT_IN_FILES)


class StreamOptions(FileSource, ExecutionOptions, IsolationOptions, RunFileOptions):
    """Options of a comparison on data read in blocks."""

    against: Any = against_of()
    reference: Any = reference_of()
    seed: int = seed_of()
    margin: float = margin_of()
    test_size: float = test_size_of()
    runs: int = runs_of(default=1)
    block_rows: int | None = block_rows_of()

    @model_validator(mode="after")
    def _check_jobs(self) -> Self:
        if self.jobs not in {None, 1}:
            remedy = "Leave it out, or use --dask ADDRESS."
            raise OptionError("--jobs", "one process reads a stream", remedy)
        return self


class SweepOptions(
    RunOptions,
    LabelledSource,
    ExecutionOptions,
    IsolationOptions,
    ProgramOptions,
    RunFileOptions,
):
    """Options of a comparison at several train fractions."""

    train_fractions: tuple[float, ...] = option(
        STUDY,
        "Fractions to train on: FIRST:LAST:STEP, or a list such as 0.1,0.25,0.5.",
        default=DEFAULT_FRACTIONS,
        read=fractions_of,
        typed="0.1:0.9:0.1",
    )
    budget_seconds: float = budget(
        "Total time spent on timing, such as 200ms.",
        default=1.0,
        typed="1s",
        interfaces=NOT_IN_FILES,
    )

    @model_validator(mode="after")
    def _check_fractions(self) -> Self:
        flag, fractions = "--train-fractions", self.train_fractions
        if list(fractions) != sorted(set(fractions)) or not fractions:
            what = "there are no fractions"
            if fractions:
                what = f"{','.join(map(str, fractions))} is not in ascending order"
            raise OptionError(flag, what, "Give fractions in ascending order, each once.")
        for fraction in fractions:
            require(0.0 < fraction < 1.0, flag, fraction, "fractions between 0 and 1")
        return self


class ExplainOptions(LabelledSource, IsolationOptions, ProgramOptions):
    """Options of an explanation of all differences."""

    runs: int = runs_of(default=20)
    against: Any = option(
        STUDY,
        "Implementation to explain; repeatable.  [required]",
        default=...,
        plain=NAMES,
        remedy="Name an implementation, such as --against my_gnb.py:MyGNB",
    )
    reference: Any = reference_of()
    test_size: float = test_size_of()
    stratify: bool = stratify_of()
    seed: int = seed_of()
    # In files too, since it is part of the plan: a timeout is a cause.
    timeout_seconds: float | None = timeout_of(interfaces=EVERYWHERE)


class AssumptionsOptions(LabelledSource, RunFileOptions):
    """Options of an examination of the naive and the normal assumption."""

    runs: int = whole(STUDY, "Number of splits to measure the costs on.", default=20)
    test_size: float = test_size_of()
    seed: int = seed_of()
    correlation: Literal["pearson", "spearman"] = choice(
        STUDY,
        "Coefficient in the heat maps: pearson or spearman.",
        default="pearson",
        remedy="Give pearson or spearman.",
    )


class ConformanceOptions(ProgramOptions):
    """Options of a battery of hard cases."""

    implementation: Any = Field(
        default=None,
        kw_only=False,
        json_schema_extra=argument(
            "Implementation to check; several make a scoreboard.", flag="NAME", plain=NAMES
        ),
    )
    every: bool = switch(
        STUDY, "Check all installed implementations; make a scoreboard.", flag="--all"
    )
    only: Any = option(STUDY, "Check or family of checks to run; repeatable.", plain=NAMES)
    expect_fail: Path | None = option(
        GATES, "File that lists the checks known to fail, one id per line."
    )
    timeout_seconds: float = limit(STUDY, "Time limit of a check in seconds.", default=30.0)


class ScaleOptions(IsolationOptions, OutputOptions):
    """Options of a measurement of time and memory against sizes."""

    samples: Any = size_of("Samples: FIRST:LAST, a list, or one number.", default="1e3:1e6")
    features: Any = size_of("Features; 20 while another size varies.", default="4:256")
    classes: Any = size_of("Classes; 5 while another size varies.", default="2:64")
    against: Any = against_of()
    reference: Any = reference_of()
    seed: int = option(
        STUDY, "Random seed of the samples and of the timing order.", default=42
    )
    budget_seconds: float = budget(
        "Total time, such as 60 or 5m; slow implementations stop early.",
        default=60.0,
        typed="60s",
    )
    processes: int = processes_of(default=3)
    threads: int = count(ADVANCED, "BLAS and OpenMP threads.", default=1)


class CheckOptions(ReadOptions, IsolationOptions, ProgramOptions):
    """Options of a check that code is a correct Gaussian naive Bayes."""

    files: Any = Field(
        default=(),
        kw_only=False,
        json_schema_extra=argument(
            "Python file, FILE.py:NAME, notebook or folder of these; several make a table.",
            flag="FILE",
            plain=NAMES,
        ),
    )
    command: tuple[str, ...] = option(
        STUDY,
        "Command line of a program in any language, such as 'Rscript nb.R {train} {test}'; "
        "repeatable.",
        default=(),
        metavar="COMMAND",
        interfaces=IN_COMMANDS,
    )
    predictions: tuple[str, ...] = option(
        STUDY,
        "Directory of gnbbench export with the answers in it; repeatable.",
        default=(),
        metavar="DIRECTORY",
        interfaces=IN_COMMANDS,
    )
    data: tuple[str, ...] = option(
        DATA,
        "Dataset to check on besides synthetic ones; repeatable.  [default: iris, wine, "
        "breast_cancer]",
        default=CHECKED_DATA,
        typed="",
    )
    patch: bool = option(
        STUDY,
        "Do not search for a small change that makes the file agree.",
        default=True,
        flag="--no-patch",
    )
    fix: bool = switch(
        STUDY,
        "Apply that change to the file; keep the original as *.bak.",
        interfaces=NOT_IN_FILES,
    )
    runs: int = runs_of(default=20)
    seed: int = seed_of()
    offline: bool = offline_of()

    @model_validator(mode="after")
    def _check_fix(self) -> Self:
        if self.fix and not self.patch:
            what = "it cannot be combined with --no-patch"
            raise OptionError("--fix", what, "Leave out one of them.")
        return self

    @model_validator(mode="before")
    @classmethod
    def _merge_sources(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Add commands and predictions to the files, each with its prefix."""
        marks = {"command": COMMAND, "predictions": PREDICTIONS}
        named = [mark + text for n, mark in marks.items() for text in values.pop(n, ())]
        return {**values, "files": (*values.get("files", ()), *named)} if named else values


class ReproduceOptions(OutputOptions):
    """Options of a measurement of published figures."""

    ids: Any = Field(
        default=None,
        kw_only=False,
        json_schema_extra=argument(
            "Claims, or sources such as A.  [default: all]", flag="ID", plain=NAMES
        ),
    )
    data: Path | None = option(
        STUDY, "Directory of the data files that gnbbench does not include."
    )
    runs: int | None = option(
        STUDY,
        "Maximum runs of a repeated protocol.  [default: as published]",
        ge=FEWEST_REPRODUCED_RUNS,
        refusal="{value} runs are too few to show a spread",
        remedy=f"Give a whole number from {FEWEST_REPRODUCED_RUNS}.",
    )
    claims: Path | None = option(
        STUDY, "Directory of claim tables.  [default: configs/claims]"
    )
