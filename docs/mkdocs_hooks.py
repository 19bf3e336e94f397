"""Pages that ``make docs`` adds: paths of the repository, and descriptions from code."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import gnbbench
from gnbbench.cli.app import COMMANDS, HELP
from gnbbench.studies.option import COMMAND, options_of

TOP = Path(__file__).parents[1]
# Link targets and pages.
SHOWN = (
    *("*.md", "LICENSE", "requirements.lock", "docs/**/*", "configs/**/*"),
    *("reports/README.md", "reports/examples/**/*"),
)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Give pages the paths of the repository, and add generated pages."""
    every = [file for file in files if file.src_dir != config.docs_dir]  # The theme's
    paths = sorted({path for pattern in SHOWN for path in TOP.glob(pattern)})
    shown = [path for path in paths if path.is_file() and "__pycache__" not in path.parts]
    every += [
        File.generated(config, path.relative_to(TOP).as_posix(), abs_src_path=str(path))
        for path in shown
    ]
    made = {"docs/commands.md": commands(), "docs/api.md": api()}
    every += [
        File.generated(config, name, content="\n".join(lines))
        for name, lines in made.items()
    ]
    return Files(every)


def commands() -> Iterator[str]:
    """Yield the page of all commands and their options."""
    yield "# Commands\n"
    for name, (_, *models) in COMMANDS.items():
        yield f"## gnbbench {name}\n"
        yield re.sub(r"Example: (.*)", r"```sh\n\1\n```", HELP[name]) + "\n"
        yield "| option | meaning |"
        yield "|---|---|"
        for model in models:
            for field, (declared, option) in options_of(model, COMMAND).items():
                spelled = option.spelled(field).replace(" ", "`, `")
                default = option.typed if option.typed is not None else declared.default
                is_shown = not declared.is_required() and default not in (None, False, ())
                text = option.text.partition("  [default")[0] if is_shown else option.text
                text += f"  [default: {default}]" if is_shown else ""
                yield f"| `{spelled}` | {text} |"
        yield ""


def api() -> Iterator[str]:
    """Yield the page of all public names."""
    yield "# Python\n"
    for name in gnbbench.__all__:
        if name != "__version__":
            value: Any = getattr(gnbbench, name)
            yield f"::: {value.__module__}.{value.__qualname__}"
            yield f"    options: {{heading: gnbbench.{name}, toc_label: {name}}}\n"
