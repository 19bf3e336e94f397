"""Make the reports under ``reports/examples``: run commands, keep pages and pictures.

Usage: ``python reports/make_examples.py [NAME]...`` (see `EXAMPLES`; without a name, all
but the one of the libraries). Of each report the page and a few pictures are kept; links
of the page to what is not kept become plain text. Studies stay in ``reports/.measured``,
so that another call draws them again and measures only what is missing or has other
settings. The variable ``DATA`` of the environment names the directory of UCI 320, which
two of the published figures need.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from PIL import Image
from rich.console import Console
from rich.text import Text

HERE = Path(__file__).parent / "examples"
MEASURED = Path(__file__).parent / ".measured"
CONFIGS = Path(__file__).parents[1] / "configs"
LINK = re.compile(r'<a href="([^"#:]+)">(.*?)</a>')
STUDENTS = Path(os.environ["DATA"]).resolve() if "DATA" in os.environ else None
DONE = (0, 1)  # a gate that fails is a finding
REFUSED = 2
COLOURS = 256  # of a kept picture: a third of the bytes


@dataclass(frozen=True)
class Example:
    """A report to keep.

    Parameters
    ----------
    command : tuple of str
        Arguments of gnbbench.
    pictures : tuple of str
        Names of the figures kept as PNG.
    usual : bool
        Whether it is made when none is named.
    beside : tuple of Path
        Files or directories that the command finds under their names; a page names what
        was typed, and no place of one machine.
    in_terminal : bool
        Whether a picture of the terminal is kept as well.
    """

    command: tuple[str, ...]
    pictures: tuple[str, ...] = ()
    usual: bool = True
    beside: tuple[Path, ...] = ()
    in_terminal: bool = False


EXAMPLES = {
    "compare-iris": Example(
        ("compare", "iris", "--runs", "1000"),
        ("accuracy", "decision_regions", "timing"),
        in_terminal=True,
    ),
    "compare-breast_cancer": Example(
        (
            *("compare", "breast_cancer", "--runs", "1000"),
            *("--against", "numpy", "--against", "study-b"),
        ),
        ("confusion", "reliability", "probability_differences"),
    ),
    "sweep-wine": Example(
        (
            *("sweep-split", "wine", "--runs", "1000"),
            *("--against", "density-product", "--against", "numpy"),
        ),
        ("sweep_accuracy", "sweep_disagreements"),
    ),
    "assumptions-wine": Example(("assumptions", "wine"), ("correlations",)),
    "explain-river": Example(
        ("explain", "breast_cancer", "--against", "river"),
    ),
    "conformance": Example(("conformance", "--all")),
    "reproduce": Example(
        ("reproduce", *(("--data", STUDENTS.name) if STUDENTS else ())),
        ("claim-e-exact-runs", "claim-e-mismatches-mean"),
        beside=(STUDENTS,) if STUDENTS else (),
    ),
    "scale": Example(
        ("scale", "--budget", "3m"),
        ("scale_samples", "scale_throughput"),
    ),
    "peers": Example(
        ("run", "peers.toml", "--jobs", "1", "--allow-failures"),
        ("matrix",),
        usual=False,
        beside=(CONFIGS / "peers.toml",),
    ),
}


def make(name: str) -> None:
    """Run the command of an example, or draw it again, and keep the report."""
    example = EXAMPLES[name]
    MEASURED.mkdir(exist_ok=True)
    for path in example.beside:
        (MEASURED / path.name).unlink(missing_ok=True)
        (MEASURED / path.name).symlink_to(path)
    code = exit_code(example, name)
    if code == REFUSED and (MEASURED / name).exists():  # Settings or tables have changed
        shutil.rmtree(MEASURED / name)
        code = exit_code(example, name)
    if code not in DONE:
        raise SystemExit(f"{name}: exit code {code}")
    keep(MEASURED / name, HERE / name, example.pictures)
    if example.in_terminal:
        words = " ".join(("gnbbench", *example.command))
        picture = in_terminal(MEASURED / name, words)
        (HERE / name / "terminal.svg").write_text(picture, encoding="utf-8")


def exit_code(example: Example, name: str) -> int:
    """Run the command of an example among the studies that are measured."""
    command = [*example.command, "--quiet", "--out", name]
    return subprocess.run(  # noqa: S603  commands of this file alone
        [sys.executable, "-m", "gnbbench", *command], cwd=MEASURED, check=False
    ).returncode


def in_terminal(report: Path, command: str) -> str:
    """Return an SVG of what a terminal of 100 columns shows of a report."""
    shown = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "-m", "gnbbench", "report", str(report)],
        env={**os.environ, "COLUMNS": "100", "FORCE_COLOR": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    console = Console(width=100, record=True, file=StringIO(), force_terminal=True)
    console.print(Text.from_ansi(shown.partition("\nReport: ")[0]))
    # Without the fonts that would be fetched from the network.
    return re.sub(
        r"@font-face {.*?}\s*", "", console.export_svg(title=command), flags=re.DOTALL
    )


def keep(report: Path, kept: Path, pictures: Iterable[str]) -> None:
    """Copy the page and some pictures, in place of what was kept before."""
    if kept.exists():
        shutil.rmtree(kept)
    files = [f"figures/{picture}.png" for picture in pictures]
    (kept / "figures").mkdir(parents=True)
    for file in files:
        Image.open(report / file).convert("RGB").quantize(COLOURS).save(kept / file)
    page = (report / "index.html").read_text(encoding="utf-8")
    (kept / "index.html").write_text(without_links(page, files), encoding="utf-8")


def without_links(page: str, kept: Iterable[str]) -> str:
    """Turn links to other files than those kept into their text.

    Examples
    --------
    >>> page = '<a href="#top">top</a> <a href="a.csv">CSV</a> <a href="b.png">PNG</a>'
    >>> without_links(page, ["b.png"])
    '<a href="#top">top</a> <span>CSV</span> <a href="b.png">PNG</a>'
    """
    there = set(kept)
    return LINK.sub(
        lambda link: link[0] if link[1] in there else f"<span>{link[2]}</span>", page
    )


if __name__ == "__main__":
    for asked in sys.argv[1:] or [name for name, one in EXAMPLES.items() if one.usual]:
        print(f"{asked} …", flush=True)
        make(asked)
