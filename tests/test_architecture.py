"""The architecture: which package may import what, checked against the sources.

The table is the map. A package may always import itself and the standard library (but
for what `RESERVED` keeps back); everything else it imports is in its row.
"""

import ast
import gzip
import inspect
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "gnbbench"

ANY = "*"
ARCHITECTURE = {
    # package: (what it may import of gnbbench, what from outside)
    "arrays": ("", "numpy"),
    "errors": ("", ""),
    "files": ("errors", ""),
    "parameters": ("errors", ""),
    "progress": ("", ""),
    "records": ("files", "pandas"),
    "toml_tables": ("errors", "pydantic"),
    "tracebacks": ("", ""),
    "words": ("", ""),
    "core": ("", "numpy"),
    "data": ("arrays errors files parameters words", "numpy pandas platformdirs"),
    "splits": ("arrays errors", "numpy sklearn"),
    "processes": ("arrays errors tracebacks", "loky numpy"),
    "implementations": (
        "arrays core errors files parameters processes tracebacks words",
        "numpy pandas sklearn",
    ),
    "conformance": (
        "arrays data errors files implementations processes splits tracebacks words",
        "numpy pandas",
    ),
    "measurement": (
        "arrays core data errors implementations processes records sign_test splits "
        "tracebacks",
        "numpy pandas sklearn threadpoolctl",
    ),
    "studies": (
        "arrays assumptions claims conformance data diagnosis errors files implementations "
        "measurement processes progress records report splits statistics toml_tables "
        "tracebacks words",
        "matplotlib numpy pandas pydantic rich threadpoolctl",
    ),
    "diagnosis": ("arrays core errors implementations processes tracebacks words", "numpy"),
    "testing": (
        "conformance diagnosis errors implementations measurement splits words",
        "numpy",
    ),
    "sign_test": ("arrays", "numpy"),
    "statistics": ("arrays diagnosis files records sign_test words", "numpy pandas scipy"),
    "claims": (
        "arrays conformance data errors files implementations measurement records splits "
        "progress statistics toml_tables words",
        "numpy pandas pydantic sklearn",
    ),
    "assumptions": (
        "arrays data errors files implementations measurement records splits statistics "
        "words",
        "numpy pandas scipy sklearn statsmodels threadpoolctl",
    ),
    "report": (
        "arrays assumptions claims conformance diagnosis errors files records statistics "
        "words",
        "jinja2 markupsafe matplotlib numpy pandas rich seaborn",
    ),
    "cli": (ANY, "rich typer"),
    "__init__": (ANY, ""),
    "__main__": ("cli", ""),
}

# What single modules may import besides their package's row, only inside functions.
BRIDGES = {
    "core/classifier.py": "sklearn",
    "sign_test.py": "scipy",
    "words.py": "matplotlib",
    "processes/messages.py": "cloudpickle",
    # These import extras that may be absent.
    "data/arrow.py": "pyarrow",
    "data/loading.py": "sklearn",
    "data/separated.py": "pyarrow",
    "data/network.py": "sklearn ucimlrepo",
    "processes/dask_cluster.py": "dask distributed",
    "studies/stream_on_dask.py": "dask",
    "testing.py": "pytest",
    "implementations/library_adapters.py": (
        "dask dask_ml mixed_naive_bayes mlpack pomegranate pyspark river torch torchml"
    ),
}
# Where imports may be inside a function, so that they cost nothing until needed.
LAZY = (
    *("cli/", "implementations/", "statistics/", "studies/", "__init__.py", *BRIDGES),
    # scikit-learn takes a second: what needs it to split or to predict loads it then.
    *("splits.py", "claims/protocols.py"),
    *("measurement/decision_regions.py", "measurement/predictions.py"),
    # SciPy, statsmodels and what is compared with are loaded to examine assumptions.
    "assumptions/",
    # What draws is loaded when the first figure is drawn.
    *("report/figures/drawing.py", "report/style.py"),
)
# Parts of the standard library that belong to one package, or (None) to none.
RESERVED = {
    "sqlite3": "studies",
    "webbrowser": "cli",
    "argparse": None,
    "logging": "cli",
    "pickle": "processes",
    "multiprocessing": "processes",
    "subprocess": "processes",
    "socket": "data",  # how long a silent server is waited for
    "urllib": None,
}
# Lines of each package, at most: 2 % more than it has, as one honest line fails nothing.
# Who needs more room raises one in a commit that says what it bought.
CEILINGS = {
    "__init__": 39,
    "arrays": 23,  # Labels of a list that mixes text and numbers
    "__main__": 6,
    "assumptions": 1140,
    "claims": 1861,
    "cli": 1090,
    "conformance": 2641,  # Codes of missing numbers, 16 bits, batches that repeat
    "core": 3236,
    "data": 4131,  # Features that may number the rows
    "diagnosis": 9468,  # Models that samples show; floors that are shares of a variance
    "errors": 81,
    "parameters": 42,
    "files": 85,
    "implementations": 8636,  # Lines to paste that were tried; row numbers, **kwargs
    "measurement": 3623,
    "processes": 1422,
    "records": 120,
    "report": 7717,
    "sign_test": 86,
    "splits": 216,  # Advice that a command can take
    "statistics": 4809,
    "studies": 6373,
    "testing": 317,
    "toml_tables": 144,
    "tracebacks": 489,  # Names of left-out lines, steps in code that ran before
    "words": 365,  # No number as 1 or 0 that is another; names of classes
    "progress": 23,
}
MOST_MODULES = 208  # Models beside the textbook's, tables, moments; attempts, roundings
MOST_LINES = 58_051  # Floors that are shares of a variance; what underflows, by its line
MOST_TEST_LINES = 47_024  # Files as check and export read them
MOST_TEST_DATA_LINES = 10_506  # Of other files of text beside tests; more manners
# The modules that one compare passes, from argv to page, in the order of ARCHITECTURE.md.
ROAD = (
    "cli/app.py",
    "cli/signatures.py",
    "cli/studies.py",
    "studies/options.py",
    "studies/kinds.py",
    "studies/study.py",
    "studies/compare.py",
    "studies/store.py",
    "measurement/evaluation.py",
    "statistics/summarize.py",
    "report/compare.py",
    "report/files.py",
)
LONGEST_ROAD = 3_083  # Names beside files keep --offline
LONGEST_DECISION = 12
DRAWERS = ("utils", "helpers", "common", "manager")
EXITS = ("print", "exit", "quit", "sys.exit", "os._exit", "SystemExit")
STREAMS = ("sys.argv", "sys.stdout", "sys.stderr", "sys.stdin")
LONGEST_MODULE = 600
HEAVY = {"sklearn", "pandas", "scipy", "matplotlib", "seaborn", "statsmodels", "joblib"}


def faults(path: str, source: str) -> list[str]:
    """Return what the module breaks, one sentence each; `path` is relative to gnbbench."""
    package = Path(path).parts[0].removesuffix(".py")
    if package not in ARCHITECTURE:
        return [f"{path}: '{package}' has no row in the table of the architecture"]
    tree = parsed(source)
    found = [*_bad_imports(path, package, tree)]
    if package != "cli":
        found += [f"{path}: {name} belongs to cli" for name in _prints_and_exits(tree)]
    if source.count("\n") > LONGEST_MODULE:
        found.append(f"{path}: longer than {LONGEST_MODULE} lines")
    found += [
        f"{path}: line {node.lineno} uses the {what} of the system"
        for node in nodes_of(tree)
        if isinstance(node, ast.Call)
        for what in sorted(_left_to_the_system(node))
    ]
    found += [
        f"{path}: line {node.lineno} multiplies text"
        for node in nodes_of(tree)
        if isinstance(node, ast.BinOp) and _multiplies_text(node)
    ]
    if any(drawer in Path(path).with_suffix("").parts for drawer in DRAWERS):
        found.append(f"{path}: a name that says nothing")
    return found


def _bad_imports(path: str, package: str, tree: ast.Module) -> Iterator[str]:
    for module, top in _imports(tree):
        first, _, rest = module.partition(".")
        standard = first in sys.stdlib_module_names
        if not top and not standard and not path.startswith(LAZY):
            yield f"{path}: imports {module} inside a function"
        if standard:
            allowed = RESERVED.get(first, package) == package
        elif first == "gnbbench":
            allowed = _is_own(package, rest.partition(".")[0] or "__init__")
        else:
            bridge = "" if top else BRIDGES.get(path, "")
            allowed = first in f"{ARCHITECTURE[package][1]} {bridge}".split()
        if not allowed:
            yield f"{path}: may not import {module}"


def _is_own(package: str, part: str) -> bool:
    own = ARCHITECTURE[package][0]
    return part == package or own == ANY or part in own.split()


def _imports(tree: ast.Module) -> Iterator[tuple[str, bool]]:
    """Yield each imported module and whether the import stands outside of functions."""
    imports = [node for node in nodes_of(tree) if isinstance(node, IMPORTS)]
    functions = [
        range(node.lineno, (node.end_lineno or 0) + 1)
        for node in nodes_of(tree)
        if isinstance(node, FUNCTIONS)
    ]
    for node in imports:
        top = not any(node.lineno in lines for lines in functions)
        if isinstance(node, ast.Import):
            yield from ((alias.name, top) for alias in node.names)
        elif node.module == "gnbbench":
            yield from ((f"gnbbench.{alias.name}", top) for alias in node.names)
        else:
            yield "." * node.level + (node.module or ""), top


parsed = cache(ast.parse)
IMPORTS = (ast.Import, ast.ImportFrom)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@cache
def nodes_of(tree: ast.Module) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


ENDS = {name.rpartition(".")[2] for name in (*EXITS, *STREAMS)}


def _written(node: ast.expr | None) -> str:
    """Return the source of a name that may be one of `EXITS` or `STREAMS`."""
    end = getattr(node, "attr", getattr(node, "id", ""))
    return ast.unparse(node) if node and end in ENDS else ""


def _prints_and_exits(tree: ast.Module) -> Iterator[str]:
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and _written(node.func) in EXITS:
            yield f"{ast.unparse(node.func)}()"
        elif isinstance(node, ast.Raise) and _written(node.exc) in EXITS:
            yield "raise SystemExit"
        elif isinstance(node, ast.Attribute) and _written(node) in STREAMS:
            yield ast.unparse(node)


def _left_to_the_system(call: ast.Call) -> set[str]:
    """Return what a call does not say that reads or writes a file as text."""
    name = getattr(call.func, "attr", "")
    mode = str(getattr(call.args[0], "value", "b") if call.args else "r")
    if name not in {"read_text", "write_text"} and (name != "open" or "b" in mode):
        return set()
    writes = name == "write_text" or (name == "open" and bool({*mode} & {*"wax+"}))
    needed = {"encoding", "newline"} if writes else {"encoding"}
    return needed - {keyword.arg for keyword in call.keywords}


def _multiplies_text(node: ast.AST) -> bool:
    """Return whether text is multiplied by whether something is true."""
    match node:
        case ast.BinOp(
            left=ast.Constant(value=str()) | ast.JoinedStr(), op=ast.Mult(), right=factor
        ):
            is_named = ast.unparse(factor).lstrip("_").startswith(("bool(", "is_", "has_"))
            return is_named or isinstance(factor, ast.Compare | ast.BoolOp)
    return False


def _modules() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


def test_every_module_keeps_to_the_architecture() -> None:
    found = [
        fault
        for path in _modules()
        for fault in faults(path, (ROOT / path).read_text(encoding="utf-8"))
    ]

    assert found == []


# Distribution -> the module imported from it, if the names differ.
IMPORTED_AS = {"scikit-learn": "sklearn"}


def test_imports_and_declared_dependencies_agree() -> None:
    imported = {name.partition(".")[0] for tree in trees() for name, _ in _imports(tree)}
    outside = imported - {"", "gnbbench", *sys.stdlib_module_names}
    project = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    extras = {name for extra, names in extras.items() if extra != "dev" for name in names}
    needed, optional = (
        {
            IMPORTED_AS.get(name, name).replace("-", "_")
            for name in (need.partition(">")[0] for need in needs)
        }
        for needs in (project["dependencies"], extras)
    )

    assert needed - outside == set()
    assert outside - needed - optional == {"pytest"}  # Of who tests with `gnbbench.testing`


def circle(imports: Mapping[str, Iterable[str]]) -> list[str]:
    """Return modules or packages that import each other round about; empty for none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def _imports_by_module() -> dict[str, set[str]]:
    """Return what each module imports of the package, wherever the import stands."""
    names = {
        path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path
        for path in _modules()
    }
    imports: dict[str, set[str]] = {}
    for name, path in names.items():
        tree = parsed((ROOT / path).read_text(encoding="utf-8"))
        nodes = [node for node in nodes_of(tree) if isinstance(node, ast.ImportFrom)]
        targets = {
            target if target in names else target.rpartition(".")[0]
            for node in nodes
            for alias in node.names
            for target in [f"{node.module}.{alias.name}".removeprefix("gnbbench.")]
        }
        imports[name] = (targets & set(names)) - {name}
    return imports


def test_no_modules_import_each_other() -> None:
    assert circle(_imports_by_module()) == []
    assert circle({"a": ["b"], "b": ["c"], "c": ["a"]}) != []
    assert "studies.study" in _imports_by_module()["studies.kinds"]


def over(sizes: Mapping[str, int], ceilings: Mapping[str, int]) -> list[str]:
    """Return the packages that are longer than they may be, or that have no ceiling."""
    return [
        f"{package}: {lines} lines, at most {ceilings.get(package, 0)}"
        for package, lines in sizes.items()
        if lines > ceilings.get(package, 0)
    ]


def lines_of(paths: Iterable[Path]) -> int:
    return sum(path.read_text(encoding="utf-8").count("\n") for path in paths)


def test_no_package_is_longer_than_its_ceiling() -> None:
    sizes: Counter[str] = Counter()
    for path in _modules():
        sizes[Path(path).parts[0].removesuffix(".py")] += lines_of([ROOT / path])

    assert over(sizes, CEILINGS) == []
    assert over({"gnbbench": sizes.total()}, {"gnbbench": MOST_LINES}) == []
    assert len(_modules()) <= MOST_MODULES
    assert over({"core": 10}, {"core": 10}) == []
    assert len(over({"core": 11, "novelty": 1}, {"core": 10})) == 2


def is_text(path: Path) -> bool:
    """Whether a file can be read line by line; stored studies are packed, and cannot."""
    return path.is_file() and b"\0" not in path.read_bytes()


def test_tests_and_their_expected_answers_stay_short(tmp_path: Path) -> None:
    files = [path for path in Path(__file__).parent.rglob("*") if is_text(path)]

    code = [path for path in files if path.suffix == ".py"]
    others = [path for path in files if path.suffix != ".py"]
    assert lines_of(code) <= MOST_TEST_LINES
    assert lines_of(others) <= MOST_TEST_DATA_LINES
    (tmp_path / "text").write_text("one\ntwo\n")
    (tmp_path / "packed").write_bytes(gzip.compress(b"one\ntwo\n"))
    assert [is_text(tmp_path / name) for name in ("text", "packed")] == [True, False]


def decisions(text: str) -> list[str]:
    """Return the decisions in ARCHITECTURE.md."""
    part = text.split("\n## Decisions\n", 1)[1].split("\n## ", 1)[0]
    return ["- " + decision for decision in part.strip().removeprefix("- ").split("\n- ")]


def test_a_decision_is_said_in_twelve_lines_at_most() -> None:
    text = ROOT.with_name("ARCHITECTURE.md").read_text(encoding="utf-8")

    lengths = [decision.count("\n") + 1 for decision in decisions(text)]
    assert len(lengths) > 10
    assert max(lengths) <= LONGEST_DECISION
    assert decisions("\n## Decisions\n\n- a\n  b\n- c\n\n## End") == ["- a\n  b", "- c"]


def test_the_road_of_a_compare_stays_short() -> None:
    assert lines_of(ROOT / path for path in ROAD) <= LONGEST_ROAD


@pytest.mark.parametrize(
    ("path", "source", "complaint"),
    [
        ("core/a.py", "import pandas", "may not import pandas"),
        ("core/a.py", "from sklearn.base import clone", "may not import sklearn.base"),
        ("core/a.py", "def f():\n    import sklearn", "may not import sklearn"),
        ("core/classifier.py", "import sklearn", "may not import sklearn"),
        ("core/a.py", "from gnbbench import data", "may not import gnbbench.data"),
        ("core/a.py", "from gnbbench.errors import OptionError", "import gnbbench.errors"),
        ("core/a.py", "import gnbbench", "may not import gnbbench"),
        ("core/a.py", "if True:\n    import scipy.stats", "may not import scipy.stats"),
        ("statistics/a.py", "from gnbbench.measurement.timing import x", "measurement"),
        ("report/a.py", "from gnbbench.studies import x", "not import gnbbench.studies"),
        ("data/a.py", "from . import b", "may not import ."),
        ("data/a.py", "def f():\n    import pandas", "inside a function"),
        ("data/a.py", "class A:\n    def f(self):\n        import numpy", "inside"),
        ("data/a.py", "def f():\n    from gnbbench.errors import A", "inside"),
        ("data/a.py", "import sqlite3", "may not import sqlite3"),
        ("studies/a.py", "import pickle", "may not import pickle"),
        ("studies/a.py", "import subprocess", "may not import subprocess"),
        ("studies/a.py", "from multiprocessing import Pipe", "may not import multiproc"),
        ("studies/a.py", "from loky import get_reusable_executor", "may not import loky"),
        ("implementations/a.py", "def f():\n    import loky", "may not import loky"),
        ("studies/a.py", "print(1)", "print() belongs to cli"),
        ("studies/a.py", "import sys\nsys.exit(2)", "sys.exit() belongs to cli"),
        ("studies/a.py", "raise SystemExit", "raise SystemExit belongs to cli"),
        ("studies/a.py", "raise SystemExit(1)", "SystemExit() belongs to cli"),
        ("studies/a.py", "import sys\nx = sys.argv[1]", "sys.argv belongs to cli"),
        ("studies/a.py", "x = 1\n" * 601, "longer than 600 lines"),
        ("report/a.py", "x = 's' * (n == 1)", "line 1 multiplies text"),
        ("report/a.py", "x = f'{y} ' * bool(n)", "line 1 multiplies text"),
        ("report/a.py", "x = 'y ' * _is_new(n)", "line 1 multiplies text"),
        ("data/a.py", "path.write_text('é')", "line 1 uses the encoding of the system"),
        ("data/a.py", "with path.open('a') as f: ...", "the encoding of the system"),
        ("data/a.py", "path.write_text('', encoding='ascii')", "uses the newline of the"),
        ("data/a.py", "path.open('x', encoding='ascii')", "uses the newline of the system"),
        ("report/utils.py", "", "a name that says nothing"),
        ("report/helpers/a.py", "", "a name that says nothing"),
        ("novelty/a.py", "", "'novelty' has no row"),
        ("novelty.py", "", "'novelty' has no row"),
    ],
)
def test_a_planted_fault_is_found(path: str, source: str, complaint: str) -> None:
    complaints = faults(path, source)

    assert len(complaints) >= 1
    assert complaint in " ".join(complaints)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("core/classifier.py", "def f():\n    import sklearn"),
        ("cli/a.py", "import sys\ndef f():\n    import gnbbench.report\n    sys.argv"),
        ("implementations/a.py", "def f():\n    from sklearn.base import clone"),
        ("studies/a.py", "import sqlite3\nfrom gnbbench.splits import split"),
        ("studies/a.py", "def f():\n    import resource"),
        ("studies/a.py", "marks = '?' * len(names)"),
        ("studies/a.py", "path.open('rb'), path.read_text(encoding='utf-8')"),
        ("studies/a.py", "path.open('w', encoding='utf-8', newline='')"),
    ],
)
def test_allowed_code_passes(path: str, source: str) -> None:
    assert faults(path, source) == []


# What only some systems have, as it is spelled in a module.
OF_SOME_SYSTEMS = re.compile(
    r"/proc/|/sys/|prctl|malloc_trim|register_at_fork|pass_fds|symlink_to|getppid|os\.name|"
    r"os\.(fork|setsid|killpg|umask|sysconf|getloadavg|sched_|wait|writev|set_blocking)|"
    r"\bselect\.|SIG(KILL|HUP|CHLD|XFSZ|PROF|USR)|\bresource\.[gsR]|fcntl|sys\.platform"
)


def test_what_only_some_systems_have_is_listed() -> None:
    text = ROOT.with_name("ARCHITECTURE.md").read_text(encoding="utf-8")
    uses = [p for p in _modules() if OF_SOME_SYSTEMS.search((ROOT / p).read_text("utf-8"))]

    part = text.partition("\n## Other systems\n")[2].partition("\n## ")[0]
    assert sorted(set(re.findall(r"^\| `(\S+\.py)` \|", part, re.MULTILINE))) == uses


# Words that do not say what a variable holds, and how often each may name one all the same.
VAGUE_NAMES = ("found", "one", "given", "told", "some", "each")
MOST_VAGUE_NAMES = 20


def trees() -> list[ast.Module]:
    return [parsed((ROOT / path).read_text(encoding="utf-8")) for path in _modules()]


def repeated_classes(modules: Iterable[ast.Module]) -> list[str]:
    """Return the names that several classes have."""
    nodes = (node for module in modules for node in nodes_of(module))
    counts = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    return [name for name, number in counts.items() if number > 1]


def variables(modules: Iterable[ast.Module]) -> Iterator[str]:
    """Yield each name that is assigned, or that a parameter has."""
    for node in (node for module in modules for node in nodes_of(module)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def test_a_class_has_its_own_name() -> None:
    assert repeated_classes(trees()) == []
    planted = ast.parse("class A: ...\nclass B:\n    class A: ...")
    assert repeated_classes([planted]) == ["A"]


def test_variables_say_what_they_hold() -> None:
    counts = Counter(variables(trees()))

    assert [name for name in VAGUE_NAMES if counts[name] > MOST_VAGUE_NAMES] == []
    planted = ast.parse("def f(one):\n    each = [one for one in one]\n    one.found = 1")
    assert Counter(variables([planted])) == {"one": 2, "each": 1}


def undocumented(documented: object, sections: Sequence[str]) -> list[str]:
    """Return the numpydoc sections that a docstring lacks."""
    text = inspect.getdoc(documented) or ""
    return [name for name in sections if f"{name}\n{'-' * len(name)}\n" not in text]


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (module, name)
        for module in ("gnbbench", "gnbbench.testing")
        for name in import_module(module).__all__
        if name != "__version__"
    ],
)
def test_a_public_name_is_documented_in_full(module: str, name: str) -> None:
    documented = getattr(import_module(module), name)
    sections = ["Parameters"]
    if not inspect.isclass(documented):
        result = inspect.signature(documented).return_annotation
        given = "Yields" if "Iterator" in str(result) else "Returns"
        sections += [given] if result is not None else []
        sections += ["Raises", "Examples"]

    assert undocumented(documented, sections) == []
    assert undocumented(undocumented, sections) == sections  # Negative control


def loaded_by(code: str) -> set[str]:
    """Return the top-level packages, not of Python itself, that a fresh process loads."""
    probe = (
        "import sys\nbefore = set(sys.modules)\n"
        f"try:\n    exec({code!r})\n"
        "except SystemExit as end:\n    assert not end.code, end.code\n"
        "names = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print('LOADED', *sorted(names - set(sys.stdlib_module_names)))\n"
    )
    command = [sys.executable, "-c", probe]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split()[1:])


LOOKED_AT = """from gnbbench.data.checks import check
from gnbbench.implementations.names import check_name
check('iris'), check('openml:61'), check_name('mixed-naive-bayes')
check_name('sklearn.naive_bayes:GaussianNB')
"""
MEASURES = "gnbbench.processes.worker, gnbbench.measurement.operations"


@pytest.mark.parametrize(
    ("code", "loaded"),
    [
        ("import gnbbench.core", "numpy"),
        (LOOKED_AT, ""),
        (f"import {MEASURES}, gnbbench.measurement.memory", "numpy threadpoolctl"),
    ],
)
def test_what_needs_little_loads_nothing_else(code: str, loaded: str) -> None:
    assert loaded_by(code) == {"gnbbench", *loaded.split()}


def test_reading_data_does_not_load_scikit_learn() -> None:
    loaded = loaded_by("import gnbbench.data.loading, gnbbench.data.stream")

    assert "pandas" in loaded
    assert loaded & HEAVY == {"pandas"}


def test_asking_for_help_loads_nothing_heavy() -> None:
    code = (
        "import runpy, sys\nsys.argv = ['gnbbench', '--help']\n"
        "runpy.run_module('gnbbench', run_name='__main__', alter_sys=True)"
    )

    loaded = loaded_by(code)

    assert "typer" in loaded
    assert loaded & HEAVY == set()


MISTYPED = (
    *("compare irsi", "compare iris wnie", "compare iris --runs 0", "sweep-split irsi"),
    *("compare iris --against nunpy", "compare iris --against missing.py:GNB"),
    *("compare iris --reference sklearm", "scale --processes 0", "run missing.toml"),
    *("compare missing.csv --target y", "compare a.csv --target z"),
    *("compare missing.parquet --stream --target y", "sweep-split iris --runs -1"),
)


def test_typing_errors_are_refused_before_heavy_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_text("a,b,y\n1,2,x\n")
    monkeypatch.chdir(tmp_path)
    code = (
        "import sys\nfrom gnbbench.cli import main\n"
        f"for words in {[command.split() for command in MISTYPED]!r}:\n"
        "    sys.argv = ['gnbbench', *words]\n"
        "    try:\n        main()\n        sys.exit(words)\n"
        "    except SystemExit as end:\n        assert end.code == 2, (words, end.code)\n"
    )

    assert loaded_by(code) & HEAVY == set()
