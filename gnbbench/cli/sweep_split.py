"""``gnbbench sweep-split``: the same comparison against the share of samples trained on."""

from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from gnbbench.cli import options
from gnbbench.cli.carrying_out import REPORTS, carry_out, check_jobs, show, time_limit
from gnbbench.cli.exits import user_errors
from gnbbench.cli.gates import GatesAsked
from gnbbench.cli.quantities import seconds_of
from gnbbench.errors import OptionError


def sweep_split(
    dataset: options.Dataset,
    runs: options.Runs = 100,
    train_fractions: Annotated[
        str, typer.Option(help="FIRST:LAST:STEP, or a list such as 0.1,0.25,0.5.")
    ] = "0.1:0.9:0.1",
    against: options.Against = None,
    reference: options.Reference = "sklearn",
    no_stratify: options.NoStratify = False,
    seed: options.Seed = 42,
    margin: options.Margin = 0.01,
    spot_checks: options.SpotChecks = None,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
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
    budget: Annotated[
        str,
        typer.Option(
            metavar="TIME", help="Time for the timing at each fraction, such as 200ms."
        ),
    ] = "1s",
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
    """Compare at several train fractions, and write a report.

    Example: gnbbench sweep-split wine --runs 1000 --against density-product
    """
    from gnbbench.data.loading import load
    from gnbbench.interface.sweep_split import sweep_carried_out, sweep_prepared
    from gnbbench.studies.configuration import config_text

    asked = GatesAsked(fail_if_disagreement, fail_if_slower_than, junit)
    with user_errors():
        check_jobs(jobs)
        budget_seconds = seconds_of(budget)
        asked.check()
        fractions = fractions_of(train_fractions)
        data = load(
            dataset,
            target=target,
            separator=sep,
            header=header,
            drop=drop or (),
            missing=missing,
            one_hot=one_hot,
            offline=offline,
            n_samples=n_samples,
            n_features=n_features,
            n_classes=n_classes,
            seed=data_seed,
        )
        made = sweep_prepared(
            data,
            against=against or None,
            reference=reference,
            runs=runs,
            train_fractions=fractions,
            stratify=not no_stratify,
            seed=seed,
            margin=margin,
            spot_checks=spot_checks,
            timeout_seconds=time_limit(timeout),
        )
        if print_config:
            typer.echo(config_text(made.plan), nl=False)
            return
        directory = out or REPORTS / made.plan.directory_name
        study = carry_out(
            sweep_carried_out,
            made,
            directory,
            jobs=jobs,
            dask=dask,
            overwrite=overwrite,
            quiet=quiet,
            budget_seconds=budget_seconds,
        )
    show(study, directory, json=json, quiet=quiet, open_page=open_page)
    asked.judge(study)


def fractions_of(text: str) -> tuple[float, ...]:
    """Return the shares that ``FIRST:LAST:STEP`` or a comma-separated list stands for.

    Decimals are added exactly, so that 0.1:0.9:0.1 has the nine shares a user means.
    """
    try:
        parts = [Decimal(part.strip()) for part in text.replace(":", ",").split(",")]
    except InvalidOperation:
        parts = []
    is_range = ":" in text
    if not parts or (is_range and (len(parts) != 3 or "," in text or not parts[2] > 0)):
        remedy = "Give FIRST:LAST:STEP, such as 0.1:0.9:0.1, or a list such as 0.1,0.5."
        raise OptionError("--train-fractions", f"'{text}' cannot be read", remedy)
    if not is_range:
        return tuple(map(float, parts))
    first, last, step = parts
    count = max(0, int((last - first) / step) + 1)
    return tuple(float(first + step * place) for place in range(min(count, 1000)))
