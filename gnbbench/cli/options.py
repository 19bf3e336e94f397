"""Options that several commands have, each spelled once."""

import os
from pathlib import Path
from typing import Annotated

import typer

# Where there are no such processes, nothing is promised unless it is asked for.
TIMEOUT_SECONDS = 60.0 if os.name == "posix" else 0.0

Dataset = Annotated[
    str,
    typer.Argument(
        help="A name (see: gnbbench list datasets), openml:NAME, uci:NUMBER, or a CSV/TSV "
        "file."
    ),
]
Datasets = Annotated[
    list[str],
    typer.Argument(
        metavar="DATASET...",
        help="Names (see: gnbbench list datasets), openml:NAME, uci:NUMBER, or CSV/TSV "
        "files, with --stream Parquet or .npy too; several make a matrix.",
    ),
]
Runs = Annotated[int, typer.Option(help="Randomised splits.")]
Against = Annotated[
    list[str] | None,
    typer.Option(
        help="What is compared; repeatable.  [default: numpy, or sklearn where numpy is "
        "the reference]"
    ),
]
Reference = Annotated[str, typer.Option(help="What it is compared with.")]
NoStratify = Annotated[
    bool, typer.Option("--no-stratify", help="Split without regard to classes.")
]
Seed = Annotated[int, typer.Option(help="Random state of run 0.")]
Margin = Annotated[
    float, typer.Option(help="Accuracy differences up to this are equivalent.")
]
SpotChecks = Annotated[
    int | None,
    typer.Option(
        help="Runs, drawn at random, to compare in; in the rest the reference alone is "
        "evaluated.  [default: all]"
    ),
]
Target = Annotated[
    str | None,
    typer.Option(help="Column of the labels, or a comparison on one, such as 'G3>=10'."),
]
Sep = Annotated[str | None, typer.Option(help="File: separator.  [default: found]")]
Drop = Annotated[
    list[str] | None, typer.Option(help="File: column to leave out; repeatable.")
]
Missing = Annotated[
    str, typer.Option(help="File: rows with missing values: error or drop.")
]
OneHot = Annotated[
    bool,
    typer.Option(
        "--one-hot", help="Columns of text become columns of 0 and 1, one a level."
    ),
]
Offline = Annotated[
    bool,
    typer.Option(
        "--offline", help="openml:, uci: only what was fetched before; no network."
    ),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="File: does line 1 name the columns?"),
]
NSamples = Annotated[int | None, typer.Option(help="gaussians: samples.")]
NFeatures = Annotated[int | None, typer.Option(help="gaussians: features.")]
NClasses = Annotated[int | None, typer.Option(help="gaussians: classes.")]
DataSeed = Annotated[int | None, typer.Option(help="gaussians: seed.")]
Offset = Annotated[
    float | None, typer.Option(help="gaussians: added to every feature, as 1e6.")
]
Jobs = Annotated[
    int | None, typer.Option(help="Processes for evaluation.  [default: as it pays]")
]
Dask = Annotated[
    str | None, typer.Option(help="Address of a Dask scheduler to evaluate on.")
]
Out = Annotated[
    Path | None, typer.Option(help="Results directory.  [default: reports/...]")
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace records of another plan.")
]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the path of the report only.")
]
OpenPage = Annotated[bool, typer.Option("--open", help="Open the report in a browser.")]
FailIfDisagreement = Annotated[
    bool, typer.Option("--fail-if-disagreement", help="Exit 1 if any label differs.")
]
FailIfSlowerThan = Annotated[
    float | None,
    typer.Option(
        metavar="R",
        help="Exit 1 if fit or a prediction takes more than R times as long as the "
        "reference's, 3 if that cannot be told.",
    ),
]
Junit = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the outcome of every gate as JUnit XML."),
]
Timeout = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        help="Code of others runs in processes of its own, each call within this time; 0: "
        "without.",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Time for the timing of all, such as 30s, 500ms, 2m.  [default: 1s, or 30s "
        "with --precision]",
    ),
]
Precision = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Time until every ratio is known to within this, such as 1%, or the budget "
        "is spent.",
    ),
]
Processes = Annotated[
    int, typer.Option(help="Fresh processes that the timing is repeated in.")
]
Regime = Annotated[
    str,
    typer.Option(
        help="warm: an untimed call goes before each timed one; interleaved: none does."
    ),
]
Threads = Annotated[
    int, typer.Option(help="Threads of BLAS and OpenMP while times are taken.")
]
Stream = Annotated[
    bool,
    typer.Option(
        "--stream",
        help="Read a file larger than memory (Parquet, .npy, CSV/TSV) in blocks, twice; "
        "one split, by row number.",
    ),
]
BlockRows = Annotated[
    int | None,
    typer.Option(help="--stream: rows of a block at most.  [default: as it suits]"),
]
PrintConfig = Annotated[
    bool, typer.Option("--print-config", help="Print the study as a file for gnbbench run.")
]
