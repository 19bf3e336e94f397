"""What README and docs show is true: their blocks run, and they say what stands there.

Python blocks run as they are. Lines of shell blocks are parsed, every one of them, and then
run through the command line, block by block, in a directory that holds the files they
speak of. They run cut down: `CUT` appends few runs and a short budget of time (the last
of two options counts), `LESS_CUT` leaves the runs where README shows what they come to,
figures and memory of comparisons and sweeps are left out (each has tests of its own), and
`PARSED_ONLY` lists with its reason what is not run at all.
"""

import re
import runpy
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from gnbbench.cli.app import COMMANDS, app
from gnbbench.cli.signatures import command as options_checked
from gnbbench.conformance.battery import CHECKS

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
README = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
LONGEST_README = 250

# Command -> what is appended to it.
CUT: Mapping[str, str] = {
    "compare": "--runs 3 --budget 20ms --processes 1",
    "sweep-split": "--runs 3 --budget 20ms",
    "explain": "--runs 3",
    "assumptions": "--runs 2",
    "reproduce": "--runs 10",
    "scale": "--samples 100:200 --features 4 --classes 2 --budget 200ms --processes 1",
}
LESS_CUT: Mapping[str, str] = {
    "gnbbench compare iris --runs 1000": "--budget 20ms",
    "gnbbench sweep-split wine --against density-product": "--budget 20ms",
}
PARSED_ONLY: Mapping[str, str] = {
    "pipx install .": "installs",
    "gnbbench check --command 'awk -f gnb.awk {train} {test}'": (
        "tests/implementations/test_programs.py"
    ),
    "gnbbench export wine --runs 20 --out splits": "tests/studies/test_export.py",
    "gnbbench check --predictions splits": "tests/studies/test_export.py",
    "gnbbench compare wine --runs 20 --against predictions:splits": (
        "tests/studies/test_export.py"
    ),
    "gnbbench compare wine --against 'awk=command:awk -f gnb.awk' "
    "--against 'command:node gnb.js 0 {train} {test} {out}'": (
        "tests/implementations/test_programs.py"
    ),
    "pip install '.[parquet,uci,dask,river,mixed-naive-bayes]'": "installs",
    "gnbbench compare openml:61": "network",
    "gnbbench explain uci:320 --target 'G3>=10' --one-hot --against river --offline": (
        "a copy that the network gave"
    ),
    "gnbbench compare big.parquet --stream --target label --dask tcp://scheduler:8786": (
        "a cluster"
    ),
    "gnbbench reproduce": "two minutes; tests/studies/test_reproduce.py",
    "gnbbench conformance --all": "all libraries; tests/cli/test_listed.py",
}
# What ends with another code than 0, and which.
ENDS: Mapping[str, set[int]] = {
    "gnbbench conformance my_gnb.py:MyGNB": {1},
    "gnbbench check my_gnb.py": {1},
    # Times of two short studies may differ, or be too uncertain to compare.
    "gnbbench diff before after --tolerance 0.01": {0, 1, 3},
}
# Line -> what its output and README both say, white space aside.
SAID: Mapping[str, tuple[str, ...]] = {
    "gnbbench compare iris --runs 1000": (
        "iris · 1,000 runs · 105 train and 45 test samples each",
        "numpy: same labels as sklearn; fit ",
        "Identical: none of 45,000 labels differ. Probabilities differ by up to 1.0 × "
        "10⁻¹⁵. All 150 samples were tested.",
        "Test accuracy 0.9529 0.9529 identical",
    ),
    "gnbbench check my_gnb.py": (
        "my_gnb.py differs from scikit-learn in 249 of 8,475 labels; one changed line "
        "makes it agree. 1. It adds nothing to the variances (188 labels, most on "
        "synthetic data with mixed scales). In: my_gnb.py:11: "
        "self.variances = np.array([group.var(axis=0, ddof=1) for group in groups]) "
        "To agree: Add 1e-9 × the largest feature variance (that is, 0.306 on synthetic "
        "data with mixed scales) to the variances, with X the training samples of all "
        "classes: var = var + 1e-9 * X.var(axis=0).max()",
        "Patch: the page shows the change; --fix applies it.",
    ),
    "gnbbench conformance my_gnb.py:MyGNB": ("passes 72 of 94 checks and fails 22",),
    "gnbbench sweep-split wine --against density-product": (
        "42 of 80,500 labels differ (0.1 %); effect on accuracy unclear at 7 of 9 train "
        "fractions.",
        "10 % 80.0 % 4 0.8902 0.8884",
        "50 % 99.0 % 1 0.9717 0.9716",
        "90 % 100 % 0 0.9717 0.9717 identical",
    ),
    "gnbbench compare iris wine breast_cancer --runs 50 --against numpy --against river "
    "--against mixed-naive-bayes": (
        "numpy and mixed-naive-bayes give the same labels as sklearn on all 3 datasets; "
        "river differs on breast_cancer",
    ),
    "gnbbench reproduce A": (
        "All 20 published figures that can be checked are reproduced; 6 timings are shown, "
        "not judged.",
        "a-cancer-train-accuracy-custom 0.9422 0.9422 ✓ reproduced",
    ),
}
# Beginning of a text block that no line above gives, and why it stands unchecked.
UNSAID: Mapping[str, str] = {
    "AssertionError: MyGNB does not agree with sklearn": "tests/testing has the sentences"
}


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def lines_of(block: str) -> list[str]:
    """Return the command lines of a shell block, without comments."""
    joined = block.replace("\\\n", " ").splitlines()
    words = [line for line in joined if shlex.split(line, comments=True)]
    return [re.sub(r"\s+#.*", "", line).strip() for line in words]


def plain(text: str) -> str:
    """Return the text with single spaces."""
    return " ".join(text.split())


PYTHON = blocks(README, "python")
SHELL = blocks(README, "sh")
LINES = [line for block in SHELL for line in lines_of(block)]
STEPS = re.findall(r"^- run: (gnbbench .*)$", README, re.MULTILINE)


def fault_of(line: str) -> str | None:
    """Return what is wrong with the words of a command line; None if nothing is."""
    first, *words = shlex.split(line)
    if first == "gnbbench":
        return _refused(words)
    if first == "make":
        makefile = (ROOT / "Makefile").read_text()
        targets = re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE)
        return next((f"no target {word}" for word in words if word not in targets), None)
    if first in {"pip", "pipx"}:
        known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        asked = re.findall(r"[\w-]+", " ".join(re.findall(r"\[(.*?)\]", line)))
        extras = known["optional-dependencies"]
        return next((f"no extra {extra}" for extra in asked if extra not in extras), None)
    return f"{first}: no way to check it"


def _refused(words: list[str]) -> str | None:
    group: Any = typer.main.get_command(app)
    name, *arguments = words
    command = group.commands.get(name)
    if command is None:
        return f"no command {name}"
    if "--help" in arguments:
        return None
    try:
        with command.make_context(name, arguments) as context:
            # Options are checked as ever; what would run does not.
            checks = options_checked(lambda *_: None, "", *COMMANDS[name][1:])
            checks(context, **context.params)
    except typer.Exit:
        return "exits at once"
    except Exception as error:  # noqa: BLE001  of typer's own copy of click
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("line", [*LINES, *STEPS])
def test_every_line_can_be_typed(line: str) -> None:
    assert fault_of(line) is None


@pytest.mark.parametrize(
    "line",
    [
        "gnbbench compare iris --run-count 3",
        "gnbbench compare iris --runs",
        "gnbbench compare",
        "gnbbench compere iris",
        "gnbbench list reports",
        "make dmeo",
        "pip install '.[parquet,no-such]'",
        "curl somewhere",
    ],
)
def test_a_line_that_cannot_be_typed_is_noticed(line: str) -> None:
    planted = f"Text.\n\n```sh\n{line}    # a remark\n```\n"

    found = [line for block in blocks(planted, "sh") for line in lines_of(block)]

    assert found == [line]
    assert fault_of(found[0])


def test_there_are_blocks_to_run_and_what_is_said_of_them_is_up_to_date() -> None:
    assert len(PYTHON) == 3
    assert len(LINES) > 25
    assert STEPS
    assert {*LESS_CUT, *PARSED_ONLY, *ENDS, *SAID} <= set(LINES)
    assert not set(PARSED_ONLY) & {*LESS_CUT, *ENDS, *SAID}


def test_every_text_block_has_something_that_is_checked_or_a_reason() -> None:
    sentences = [sentence for texts in SAID.values() for sentence in texts]
    for block in blocks(README, "text"):
        checked = any(plain(sentence) in plain(block) for sentence in sentences)
        assert checked or block.startswith(tuple(UNSAID)), block


def test_options_in_the_text_are_options() -> None:
    group: Any = typer.main.get_command(app)
    commands = (group, *group.commands.values())
    contexts = [one.make_context("x", [], resilient_parsing=True) for one in commands]
    known = {
        name
        for context in contexts
        for parameter in context.command.get_params(context)
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    prose = re.sub(r"```.*?```", "", README, flags=re.DOTALL)

    named = set(re.findall(r"`(--[a-z-]+)", prose))

    assert named
    assert named <= known, named - known


def penguins() -> str:
    """Return rows in the manner of the Palmer penguins, one with missing values."""
    rows = ["species,island,bill_length_mm,body_mass_g,sex,year"]
    rows.append("Adelie,Dream,NA,NA,NA,2007")
    random = np.random.default_rng(1)
    for number, noise in enumerate(random.normal(size=90)):
        kind = number % 3
        species = ("Adelie", "Chinstrap", "Gentoo")[kind]
        island = ("Dream", "Biscoe")[number % 2]
        sex = ("female", "male")[number // 3 % 2]
        length, mass = 38 + 5 * kind + noise, 3500 + 700 * (kind == 2) + 90 * noise
        rows.append(f"{species},{island},{length:.1f},{mass:.0f},{sex},{2007 + number % 3}")
    return "\n".join(rows) + "\n"


def students() -> str:
    """Return rows in the manner of Student Performance."""
    rows = ["school;sex;age;absences;G1;G2;G3"]
    for number, grade in enumerate(np.random.default_rng(2).integers(0, 21, 120)):
        school, sex = ("GP", "MS")[number % 2], "FM"[number // 2 % 2]
        age, absences = 15 + number % 5, (20 - grade) // 3 + number % 4
        rows.append(f"{school};{sex};{age};{absences};{grade};{grade};{grade}")
    return "\n".join(rows) + "\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a directory that holds what README speaks of, in small."""
    directory = tmp_path_factory.mktemp("readme")
    shutil.copy(ROOT / "docs" / "my_gnb.py", directory)
    (directory / "penguins.csv").write_text(penguins())
    (directory / "student-mat.csv").write_text(students())
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 6_000)
    X = random.normal(size=(6_000, 4)) + y[:, None]
    np.save(directory / "X.npy", X)
    np.save(directory / "y.npy", y)
    table = np.column_stack([X, y])
    heading = "a,b,c,d,label"
    np.savetxt(directory / "big.csv", table, "%.4g", ",", header=heading, comments="")
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    for year in ("2024", "2025"):
        with pyarrow.CompressedOutputStream(directory / f"{year}.csv.zst", "zstd") as file:
            file.write((directory / "big.csv").read_bytes())
    columns = {name: X[:, column] for column, name in enumerate("abcd")} | {"label": y}
    parquet.write_table(pyarrow.table(columns), directory / "big.parquet")
    configuration = (ROOT / "configs" / "wine_sweep.toml").read_text()
    (directory / "configs").mkdir()
    (directory / "configs" / "wine_sweep.toml").write_text(
        configuration.replace("runs = 1000", "runs = 3")
    )
    shutil.copytree(ROOT / "configs" / "claims", directory / "configs" / "claims")
    return directory


def cut(line: str) -> list[str]:
    """Return the arguments of a gnbbench line, cut down."""
    words = shlex.split(line)[1:]
    if "--stream" in words:
        return words
    return [*words, *LESS_CUT.get(line, CUT.get(words[0], "")).split()]


def gnbbench_blocks() -> Iterator[Any]:
    """Yield the shell blocks with lines to run, each called by its first, no line twice."""
    seen = set(PARSED_ONLY)
    for block in SHELL:
        lines = [line for line in lines_of(block) if line not in seen]
        commands = [line for line in lines if line.startswith("gnbbench ")]
        seen.update(commands)
        if commands:
            yield pytest.param(commands, id=commands[0].removeprefix("gnbbench "))


@pytest.mark.slow
@pytest.mark.parametrize("lines", list(gnbbench_blocks()))
@pytest.mark.usefixtures("undrawn", "texts_as_usual")
def test_shell_blocks_run(
    lines: list[str], files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    shutil.copytree(files, work)
    monkeypatch.chdir(work)
    monkeypatch.setenv("COLUMNS", "80")

    for line in lines:
        result = CliRunner().invoke(app, cut(line))

        assert result.exit_code in ENDS.get(line, {0}), (line, result.output)
        for sentence in SAID.get(line, ()):
            assert plain(sentence) in plain(README), sentence
            assert plain(sentence) in plain(result.stdout), (line, result.stdout)


def test_make_has_something_to_do_for_each_target() -> None:
    if shutil.which("make") is None:
        pytest.skip("there is no make")
    for line in LINES:
        if line.startswith("make "):
            words = [*line.split(), "--dry-run", "--always-make"]
            text = subprocess.run(words, cwd=ROOT, capture_output=True, check=True)
            assert text.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "block", PYTHON, ids=lambda block: next(filter(None, str(block).splitlines()))
)
def test_python_blocks_run(
    block: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)

    exec(compile(block, "README.md", "exec"), {})  # noqa: S102  our own text

    printed = capsys.readouterr().out
    assert ("print(" in block) == bool(printed)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_points_to_are_there(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    local = [target for target in targets if "://" not in target]

    assert local or page.parent.name == "docs"
    missing = [target for target in local if not (page.parent / target).is_file()]
    assert missing == []


def absent(text: str) -> list[str]:
    """Return the modules and files that a table names and the project has not."""
    rows = "".join(line for line in text.splitlines() if line.startswith("| "))
    names = re.findall(r"`([a-z_/]+/|[a-z_/]+\.(?:py|toml|txt))`", rows)
    folders = [ROOT / name for name in ("gnbbench", "tests", "configs")]
    paths = [*ROOT.glob("*.toml"), *(path for root in folders for path in root.rglob("*"))]
    known = {f"{path}/" for path in paths}
    ends = {name: f"/{name.strip('/')}/" for name in names}
    return [name for name, end in ends.items() if not any(p.endswith(end) for p in known)]


def test_every_promise_names_a_test() -> None:
    rows = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
    promised = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", rows)

    assert len(promised) == 13
    for path, name in promised:
        assert f"\ndef {name}(" in (ROOT / path).read_text(encoding="utf-8"), name


def test_how_to_add_a_thing_names_files_that_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

    assert absent(text) == []
    assert absent("| a | `report/gone.py`, `studies/options.py` |") == ["report/gone.py"]


def test_readme_is_short_and_leads_to_every_page() -> None:
    readme = PAGES[0].read_text(encoding="utf-8")

    assert len(readme.splitlines()) <= LONGEST_README
    pages = {page.name for page in PAGES[1:]} - {"package-index.md"}
    assert [name for name in pages if f"(docs/{name})" not in readme] == []


def undocumented(project: Mapping[str, Any], architecture: str) -> set[str]:
    """Return the extras and the needed packages that the table does not name."""
    section = architecture.partition("## Dependencies")[2]
    rows = [row.split("|")[1] for row in section.splitlines() if row.startswith("| ")]
    named = set(re.findall(r"[A-Za-z][\w-]*", " ".join(rows)))
    extras = project["optional-dependencies"]
    needs = [*project["dependencies"], *chain.from_iterable(extras.values())]
    packages = {re.split(r"[<>=~!\[ ]", need)[0] for need in needs}
    return (packages | (set(extras) - {"dev"})) - named


def test_architecture_names_every_dependency_and_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")

    assert undocumented(project, text) == set()

    project["dependencies"].append("planted>=1")
    project["optional-dependencies"]["extra-planted"] = ["numpy"]
    assert undocumented(project, text) == {"planted", "extra-planted"}


def test_the_text_for_a_package_index_has_no_link_that_breaks_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert "](" not in (ROOT / project["readme"]).read_text()
    assert "](" in (ROOT / "README.md").read_text()


def test_the_json_documentation_is_generated_from_the_columns() -> None:
    reference = runpy.run_path(str(ROOT / "docs" / "reference.py"))

    for path, text in (("PAGE", "page_text"), ("SCHEMA", "schema_text")):
        assert reference[path].read_text(encoding="utf-8") == reference[text]()


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_the_number_of_hard_cases_is_the_true_one(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")

    assert re.findall(r"(\d+) hard cases with known answers", text) == [str(len(CHECKS))]
