"""``gnbbench run``: a study as a file describes it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gnbbench.cli import options
from gnbbench.cli.carrying_out import REPORTS, carry_out, check_jobs, show, time_limit
from gnbbench.cli.compare_many import settled, studies_in
from gnbbench.cli.exits import user_errors
from gnbbench.cli.gates import GatesAsked

if TYPE_CHECKING:
    from gnbbench.studies.configuration import Configuration

# Kind of study -> what settles it, what carries it out.
STUDIES: Mapping[str, tuple[str, str]] = {
    "compare": (
        "gnbbench.interface.compare:prepared",
        "gnbbench.interface.compare:carried_out",
    ),
    "stream": (
        "gnbbench.interface.stream:stream_prepared",
        "gnbbench.interface.stream:stream_carried_out",
    ),
    "sweep-split": (
        "gnbbench.interface.sweep_split:sweep_prepared",
        "gnbbench.interface.sweep_split:sweep_carried_out",
    ),
}


def run(
    config: Annotated[Path, typer.Argument(help="A TOML file, such as configs/iris.toml.")],
    timeout: options.Timeout = options.TIMEOUT_SECONDS,
    offline: options.Offline = False,
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
) -> None:
    """Carry out the study that a file describes, and write a report.

    Example: gnbbench run configs/iris.toml
    """
    from gnbbench.studies.configuration import read_configuration

    asked = GatesAsked(fail_if_disagreement, fail_if_slower_than, junit)
    with user_errors():
        check_jobs(jobs)
        asked.check()
        wanted = read_configuration(config)
        given = {"timeout_seconds": time_limit(timeout), **wanted.options}
        if wanted.several:
            sources = [{**source, "offline": offline} for source in wanted.datasets]
            carry, made = settled(sources, several=True, **given)
        else:
            prepare, carry = map(resolve_name, STUDIES[wanted.study])
            made = _made(prepare, wanted, {"offline": offline}, given)
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


def _made(
    prepare: Callable[..., Any],
    wanted: "Configuration",
    loading: Mapping[str, Any],
    given: Mapping[str, Any],
) -> Any:
    """Return the study, settled; a stream opens its data itself."""
    from gnbbench.data.loading import load

    if wanted.study == "stream":
        dataset = dict(wanted.dataset)
        return prepare(dataset.pop("source"), **dataset, **given)
    return prepare(load(**wanted.dataset, **loading), **given)
