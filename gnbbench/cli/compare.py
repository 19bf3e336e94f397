"""``gnbbench compare``: agreement, accuracy, confidence and cost over randomised splits."""

import csv
from typing import Annotated

import typer

from gnbbench.cli import options
from gnbbench.cli.carrying_out import REPORTS, carry_out, check_jobs, show, time_limit
from gnbbench.cli.compare_many import file_text, settled, studies_in
from gnbbench.cli.compare_stream import refuse_blocks, stream_settled
from gnbbench.cli.exits import user_errors
from gnbbench.cli.gates import GatesAsked
from gnbbench.cli.quantities import seconds_of, share_of


def compare(
    datasets: options.Datasets,
    runs: options.Runs = 100,
    against: options.Against = None,
    reference: options.Reference = "sklearn",
    test_size: Annotated[float, typer.Option(help="Share of samples tested on.")] = 0.3,
    no_stratify: options.NoStratify = False,
    seed: options.Seed = 42,
    margin: options.Margin = 0.01,
    spot_checks: options.SpotChecks = None,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    features: Annotated[
        str | None,
        typer.Option(
            help="Plane of the decision regions: A,B or pca.  [default: best pair]"
        ),
    ] = None,
    target: options.Target = None,
    sep: options.Sep = None,
    drop: options.Drop = None,
    missing: options.Missing = "error",
    one_hot: options.OneHot = False,
    offline: options.Offline = False,
    header: options.Header = None,
    n_samples: options.NSamples = None,
    n_features: options.NFeatures = None,
    n_classes: options.NClasses = None,
    data_seed: options.DataSeed = None,
    offset: options.Offset = None,
    budget: options.Budget = None,
    precision: options.Precision = None,
    processes: options.Processes = 1,
    regime: options.Regime = "warm",
    threads: options.Threads = 1,
    stream: options.Stream = False,
    block_rows: options.BlockRows = None,
    jobs: options.Jobs = None,
    dask: options.Dask = None,
    out: options.Out = None,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    open_page: options.OpenPage = False,
    fail_if_disagreement: options.FailIfDisagreement = False,
    fail_if_slower_than: options.FailIfSlowerThan = None,
    junit: options.Junit = None,
    print_config: options.PrintConfig = False,
) -> None:
    """Compare implementations over randomised splits, and write a report.

    Example: gnbbench compare iris --runs 1000. With several datasets the report is a
    matrix of implementations and datasets, and a page for each.
    """
    asked = GatesAsked(fail_if_disagreement, fail_if_slower_than, junit)
    with user_errors():
        check_jobs(jobs)
        asked.check()
        budget_seconds = None if budget is None else seconds_of(budget)
        share = None if precision is None else share_of(precision)
        of_data = {
            "target": target,
            "separator": sep,
            "header": header,
            "drop": drop or (),
            "missing": missing,
            "one_hot": one_hot,
            "offline": offline,
            "n_samples": n_samples,
            "n_features": n_features,
            "n_classes": n_classes,
            "seed": data_seed,
            "offset": offset,
        }
        if stream:
            of_data |= {"block_rows": block_rows, "dask": dask}
        else:
            refuse_blocks(datasets)
        carry, made = (stream_settled if stream else settled)(
            [{"source": dataset, **of_data} for dataset in datasets],
            several=len(datasets) > 1,
            against=against or None,
            reference=reference,
            runs=runs,
            test_size=test_size,
            stratify=not no_stratify,
            seed=seed,
            margin=margin,
            spot_checks=spot_checks,
            timeout_seconds=time_limit(timeout),
            features=_names(features),
            budget_seconds=budget_seconds,
            precision=share,
            processes=processes,
            regime=regime,
            threads=threads,
        )
        if print_config:
            typer.echo(file_text(made), nl=False)
            return
        directory = out or REPORTS / made.plan.directory_name
        study = carry_out(
            carry,
            made,
            directory,
            jobs=jobs,
            dask=dask,
            overwrite=overwrite,
            quiet=quiet,
        )
    show(study, directory, json=json, quiet=quiet, open_page=open_page)
    asked.judge(*studies_in(study))


def _names(given: str | None) -> tuple[str, ...] | None:
    """Return comma-separated names; quotes keep a comma within a name."""
    if given is None:
        return None
    return tuple(name.strip() for name in next(csv.reader([given], skipinitialspace=True)))
