"""``gnbbench explain``: every disagreement with its cause."""

from typing import Annotated

import typer

from gnbbench.cli import options
from gnbbench.cli.carrying_out import REPORTS, examine, show, time_limit
from gnbbench.cli.exits import user_errors
from gnbbench.errors import OptionError


def explain(
    dataset: options.Dataset,
    against: Annotated[
        list[str] | None, typer.Option(help="What is explained; repeatable.  [required]")
    ] = None,
    reference: options.Reference = "sklearn",
    runs: options.Runs = 20,
    test_size: Annotated[float, typer.Option(help="Share of samples tested on.")] = 0.3,
    no_stratify: options.NoStratify = False,
    seed: options.Seed = 42,
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
    out: options.Out = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    open_page: options.OpenPage = False,
) -> None:
    """Name the cause of every disagreement, and write a report.

    Example: gnbbench explain breast_cancer --against study-b
    """
    from gnbbench.data.loading import load
    from gnbbench.interface.explain import explained, prepared

    with user_errors():
        if not against:
            remedy = "Name what is explained, such as --against my_gnb.py:MyGNB"
            raise OptionError("--against", "not given", remedy)
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
        made = prepared(
            data,
            against=against,
            reference=reference,
            runs=runs,
            test_size=test_size,
            stratify=not no_stratify,
            seed=seed,
            timeout_seconds=time_limit(timeout),
        )
        directory = out or REPORTS / made.plan.directory_name
        explanation = examine(explained, made, directory=directory, quiet=quiet)
    show(explanation, directory, json=json, quiet=quiet, open_page=open_page)
