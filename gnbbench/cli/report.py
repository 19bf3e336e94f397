"""``gnbbench report``: a stored study, drawn again."""

from pathlib import Path
from typing import Annotated

import typer

from gnbbench.cli import options
from gnbbench.cli.carrying_out import show
from gnbbench.cli.exits import user_errors


def report(
    directory: Annotated[Path, typer.Argument(help="Results directory of a study.")],
    out: Annotated[
        Path | None, typer.Option(help="Where the report goes.  [default: DIRECTORY]")
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    open_page: options.OpenPage = False,
) -> None:
    """Write the report of a stored study again, from its records; nothing is measured.

    Example: gnbbench report reports/compare-iris-0123abcd
    """
    from gnbbench.interface.stored import draw_again
    from gnbbench.studies.directory import refuse_other_study

    target = out or directory
    with user_errors():
        if out is not None and out.resolve() != directory.resolve():
            refuse_other_study(out)
        study = draw_again(directory)
        study.save(target)
    show(study, target, json=json, quiet=quiet, open_page=open_page)
