"""``gnbbench compare``: agreement, accuracy, confidence and cost over randomised splits."""

import csv
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gnbbench.cli.exits import GATE_FAILED, INTERRUPTED, user_errors
from gnbbench.errors import OptionError

if TYPE_CHECKING:
    from gnbbench.interface.study import Study
    from gnbbench.studies.compare import Setting

REPORTS = Path("reports")


def compare(
    dataset: Annotated[
        str, typer.Argument(help="A name (see: gnbbench list datasets) or a CSV/TSV file.")
    ],
    runs: Annotated[int, typer.Option(help="Randomised splits.")] = 100,
    against: Annotated[
        list[str] | None,
        typer.Option(help="What is compared; repeatable.  [default: numpy]"),
    ] = None,
    reference: Annotated[str, typer.Option(help="What it is compared with.")] = "sklearn",
    test_size: Annotated[float, typer.Option(help="Share of samples tested on.")] = 0.3,
    no_stratify: Annotated[
        bool, typer.Option("--no-stratify", help="Split without regard to classes.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Random state of run 0.")] = 42,
    margin: Annotated[
        float, typer.Option(help="Accuracy differences up to this are equivalent.")
    ] = 0.01,
    features: Annotated[
        str | None,
        typer.Option(
            help="Plane of the decision regions: A,B or pca.  [default: best pair]"
        ),
    ] = None,
    target: Annotated[str | None, typer.Option(help="File: column of the labels.")] = None,
    sep: Annotated[
        str | None, typer.Option(help="File: separator.  [default: found]")
    ] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="File: column to leave out; repeatable.")
    ] = None,
    missing: Annotated[
        str, typer.Option(help="File: rows with missing values: error or drop.")
    ] = "error",
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="File: does line 1 name the columns?"),
    ] = None,
    n_samples: Annotated[int | None, typer.Option(help="gaussians: samples.")] = None,
    n_features: Annotated[int | None, typer.Option(help="gaussians: features.")] = None,
    n_classes: Annotated[int | None, typer.Option(help="gaussians: classes.")] = None,
    data_seed: Annotated[int | None, typer.Option(help="gaussians: seed.")] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Processes for evaluation.  [default: as it pays]")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Results directory.  [default: reports/...]")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace records of another plan.")
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the summary as JSON.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print the path of the report only.")
    ] = False,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the report in a browser.")
    ] = False,
    fail_if_disagreement: Annotated[
        bool, typer.Option("--fail-if-disagreement", help="Exit 1 if any label differs.")
    ] = False,
) -> None:
    """Compare implementations over randomised splits, and write a report.

    Example: gnbbench compare iris --runs 1000
    """
    from gnbbench.datasets.loading import load
    from gnbbench.interface.compare import prepared

    with user_errors():
        check_jobs(jobs)
        data = load(
            dataset,
            target=target,
            separator=sep,
            header=header,
            drop=drop or (),
            missing=missing,
            n_samples=n_samples,
            n_features=n_features,
            n_classes=n_classes,
            seed=data_seed,
        )
        made = prepared(
            data,
            against=against or ["numpy"],
            reference=reference,
            runs=runs,
            test_size=test_size,
            stratify=not no_stratify,
            seed=seed,
            margin=margin,
            features=_names(features),
        )
        directory = out or REPORTS / made.plan.directory_name
        study = _carry_out(made, directory, jobs=jobs, overwrite=overwrite, quiet=quiet)
    _show(study, directory, json=json, quiet=quiet)
    if open_page:
        typer.launch(str(directory / "index.html"))
    if fail_if_disagreement and any(
        v.outcome != "identical" for v in study.details.verdicts
    ):
        typer.echo(f"gnbbench: gate failed: {study.details.headline}", err=True)
        raise typer.Exit(GATE_FAILED)


def check_jobs(jobs: int | None) -> None:
    """Raise unless the number of processes can be had."""
    if jobs is not None and jobs < 1:
        raise OptionError("--jobs", f"{jobs} is less than 1", "Give a whole number from 1.")


def _names(given: str | None) -> tuple[str, ...] | None:
    """Return comma-separated names; quotes keep a comma within a name."""
    if given is None:
        return None
    return tuple(name.strip() for name in next(csv.reader([given], skipinitialspace=True)))


def _carry_out(
    made: "Setting", directory: Path, *, jobs: int | None, overwrite: bool, quiet: bool
) -> "Study":
    """Measure with a progress bar; an interruption keeps what was measured."""
    from gnbbench.cli.progress import Bar
    from gnbbench.interface.compare import carried_out

    command = shlex.join(["gnbbench", *sys.argv[1:]])
    with Bar(hidden=quiet) as bar:
        try:
            return carried_out(
                made,
                jobs=jobs,
                out=directory,
                overwrite=overwrite,
                command=command,
                progress=bar,
            )
        except KeyboardInterrupt:
            kept = f"{bar.steps_done} of {made.plan.runs} runs are kept in {directory}"
    typer.echo(f"gnbbench: interrupted; {kept}. The same command goes on.", err=True)
    raise typer.Exit(INTERRUPTED)


def _show(study: "Study", directory: Path, *, json: bool, quiet: bool) -> None:
    """Print what was asked for: JSON, the path, or the table and the path."""
    page = directory / "index.html"
    if json:
        typer.echo((directory / "summary.json").read_text(encoding="utf-8"), nl=False)
        return
    if quiet:
        typer.echo(page)
        return
    from rich.console import Console

    from gnbbench.report.terminal import table

    Console().print(table(study.details))
    typer.echo(f"\nReport: {page}")
