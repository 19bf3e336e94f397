"""``gnbbench assumptions``: whether features are independent and normal, and the cost."""

from typing import Annotated

import typer

from gnbbench.cli import options
from gnbbench.cli.carrying_out import REPORTS, examine, show
from gnbbench.cli.exits import user_errors


def assumptions(
    dataset: options.Dataset,
    runs: Annotated[int, typer.Option(help="Randomised splits, for the costs.")] = 20,
    test_size: Annotated[float, typer.Option(help="Share of samples tested on.")] = 0.3,
    seed: options.Seed = 42,
    correlation: Annotated[
        str, typer.Option(help="Of the heat maps: pearson or spearman.")
    ] = "pearson",
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
    out: options.Out = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a report of another plan.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    open_page: options.OpenPage = False,
) -> None:
    """Examine the naive and the normal assumption, and write a report.

    Example: gnbbench assumptions wine
    """
    from gnbbench.data.loading import load
    from gnbbench.interface.assumptions import assumptions_plan, examined

    with user_errors():
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
        plan = assumptions_plan(
            data, runs=runs, test_size=test_size, seed=seed, correlation=correlation
        )
        directory = out or REPORTS / plan.directory_name
        study = examine(
            examined, data, plan, directory=directory, quiet=quiet, overwrite=overwrite
        )
    show(study, directory, json=json, quiet=quiet, open_page=open_page)
