"""``gnbbench scale``: time and memory against samples, features and classes."""

from typing import Annotated

import typer

from gnbbench.cli import options
from gnbbench.cli.carrying_out import REPORTS, examine, show, time_limit
from gnbbench.cli.exits import user_errors
from gnbbench.cli.quantities import seconds_of


def scale(
    samples: Annotated[
        str, typer.Option(metavar="SIZES", help="FIRST:LAST, a list, or one to hold.")
    ] = "1e3:1e6",
    features: Annotated[
        str, typer.Option(metavar="SIZES", help="Likewise; held at 20 else.")
    ] = "4:256",
    classes: Annotated[
        str, typer.Option(metavar="SIZES", help="Likewise; held at 5 else.")
    ] = "2:64",
    against: options.Against = None,
    reference: options.Reference = "sklearn",
    budget: Annotated[
        str,
        typer.Option(
            metavar="TIME",
            help="For all, as 60 or 5m; who would pass its share stops along that axis.",
        ),
    ] = "60s",
    processes: Annotated[
        int, typer.Option(help="Fresh processes that all times are taken over in.")
    ] = 3,
    seed: Annotated[int, typer.Option(help="Of the samples and of the orders.")] = 42,
    threads: Annotated[int, typer.Option(help="Threads of BLAS and OpenMP.")] = 1,
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    out: options.Out = None,
    overwrite: options.Overwrite = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    open_page: options.OpenPage = False,
) -> None:
    """Measure time and memory against samples, features and classes, and write a report.

    One size varies at a time; samples are held at 10 000 while another does, or at the end
    of their range that is nearest to it.

    Example: gnbbench scale --samples 1e3:1e5 --features 4:64 --classes 5
    """
    from gnbbench.interface.scale import scale_carried_out, scale_prepared

    with user_errors():
        made = scale_prepared(
            samples=samples,
            features=features,
            classes=classes,
            against=against or None,
            reference=reference,
            budget_seconds=seconds_of(budget),
            processes=processes,
            seed=seed,
            threads=threads,
            timeout_seconds=time_limit(timeout),
        )
        directory = out or REPORTS / made.plan.directory_name
        try:
            study = examine(
                scale_carried_out,
                made,
                directory=directory,
                quiet=quiet,
                overwrite=overwrite,
            )
        except typer.Exit:
            kept = f"What was measured is kept in {directory}. The same command goes on."
            typer.echo(f"gnbbench: {kept}", err=True)
            raise
    show(study, directory, json=json, quiet=quiet, open_page=open_page)
