"""Options that several commands have, each spelled once."""

from pathlib import Path
from typing import Annotated

import typer

Out = Annotated[
    Path | None, typer.Option(help="Results directory.  [default: reports/...]")
]
Json = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the path of the report only.")
]
OpenPage = Annotated[bool, typer.Option("--open", help="Open the report in a browser.")]
