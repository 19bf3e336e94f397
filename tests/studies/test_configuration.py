"""A configuration is read as it was meant, or refused with the line of the mistake."""

import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from gnbbench.data.checks import FLAGS
from gnbbench.errors import ConfigurationError, OptionError
from gnbbench.studies import configuration as module
from gnbbench.studies.configuration import DATASET, IN_FILES, configuration
from gnbbench.studies.kinds import StudyKind, kind_named, kind_of
from gnbbench.studies.options import LabelledSource
from gnbbench.studies.plan import dataset_of, plan_of, sources_of
from gnbbench.toml_tables import frozen, line_of, optional_keys

CONFIGS = Path(__file__).parents[2] / "configs"

GOOD = """study = "compare"

[dataset]
name = "iris"

[options]
runs = 1000
against = [
  "numpy",
]
margin = 0.02
"""


def test_a_path_is_relative_to_the_file_that_names_it(tmp_path: Path) -> None:
    folder = tmp_path / "configs"
    folder.mkdir()
    text = 'study = "compare"\ndataset = { path = "../data/a.csv", target = "y" }\n'
    (folder / "a.toml").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())

    config = module.read_configuration(folder / "a.toml")

    assert config.datasets[0] == {"data": folder / "../data/a.csv", "target": "y"}


SEVERAL = """study = "compare"

[[dataset]]
name = "iris"

[[dataset]]
name = "gaussians?offset=1e6"
one_hot = true

[options]
runs = 10
optional = ["river"]
"""

# (text to replace, in its place, line, words)
MISTAKES = [
    ("runs =", "rnus =", 7, "unknown key 'rnus' in [options]. Did you mean 'runs'?"),
    ("runs =", '"test-size" =', 7, "Did you mean 'test_size'?"),
    ("runs = 1000", 'runs = "1000"', 7, "'runs' is text. Give a whole number."),
    ("runs = 1000", "runs = 1000.0", 7, "'runs' is a number with a point"),
    ("runs = 1000", "runs = true", 7, "'runs' is true"),
    ("runs = 1000", "runs = 1979-05-27", 7, "'runs' is a date or time"),
    ("runs =", "train_fractions = [0.5]\nruns =", 7, "an option of sweep-split"),
    ("runs =", "target = 'y'\nruns =", 7, "It belongs in [dataset]."),
    ("margin = 0.02", "margin = '1'", 11, "'margin' is text. Give a number."),
    ("margin = 0.02", "stratify = 1", 11, "Give true or false."),
    ('"numpy"', "7", 8, "'against' is a list. Give a list of text"),
    ("study =", "# text\n\nstuby =", 3, "unknown key 'stuby'. Did you mean 'study'?"),
    ('"compare"', '"comparison"', 1, "unknown study 'comparison'. Did you mean 'compare'?"),
    ('"compare"', "3", 1, "'study' is a whole number. Give text in quotes."),
    ("[dataset]", "runs = 5\n[dataset]", 3, "It belongs in [options]."),
    ('"iris"', '"irsi"', 4, "unknown dataset 'irsi'. Did you mean 'iris'?"),
    ('"iris"', '"i.csv"', 4, "'i.csv'. A file is given as path = \"i.csv\"."),
    ('"iris"', '"iris"\nmargin = 1', 5, "It belongs in [options]."),
    ('"iris"', '"iris"\npath = "a.csv"', 3, "neither name nor path, or both"),
    ('name = "iris"', "", 3, "neither name nor path, or both"),
    ('[dataset]\nname = "iris"', "[[dataset]]", 3, "neither name nor path, or both"),
    ('[dataset]\nname = "iris"', "dataset = []", 3, "there is no dataset in the list"),
    ('[dataset]\nname = "iris"', "dataset = ['iris']", 3, "Give a table, or several"),
    ("runs =", "optional = ['river']\nruns =", 7, "It needs several datasets, listed"),
    ('[dataset]\nname = "iris"', "dataset = 'iris'", 3, "'dataset' is text."),
]


MISTAKES_IN_SEVERAL = [
    ('"gaussians?', '"gausians?', 7, "Did you mean 'gaussians'?"),
    ("one_hot = true", 'one_hot = "1"', 8, "'one_hot' is text. Give true or false."),
    ("one_hot", "onehot", 8, "unknown key 'onehot' in [dataset]. Did you mean 'one_hot'?"),
    ("one_hot = true", 'path = "a.csv"', 6, "neither name nor path, or both"),
    ('["river"]', '"river"', 12, "'optional' is text. Give a list of text"),
    ('"compare"', '"sweep-split"', 12, "It needs several datasets, listed"),
]


@pytest.mark.parametrize(
    ("text", "old", "new", "line", "words"),
    [
        *((GOOD, *mistake) for mistake in MISTAKES),
        *((SEVERAL, *mistake) for mistake in MISTAKES_IN_SEVERAL),
        (SEVERAL.partition("optional")[0], "compare", "sweep-split", 3, "takes one data"),
    ],
)
def test_a_mistake_is_reported_with_its_line(
    text: str, old: str, new: str, line: int, words: str
) -> None:
    assert text.count(old) == 1
    with pytest.raises(ConfigurationError) as caught:
        configuration(text.replace(old, new), name="a.toml")

    (message,) = str(caught.value).split("\n")
    assert message.startswith(f"a.toml, line {line}: ")
    assert words in message


def written(plan: dict[str, Any]) -> str:
    """Return the text that describes a study of this plan."""
    model: Any = kind_named(plan["study"]).options
    return module.config_text(SimpleNamespace(plan=plan, options=model(data="iris")))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"study = ", "it is not valid TOML"),
        (b"study = 1\nstudy = 2\n", "line 2"),
        (b"", "'study' is missing"),
        (b'study = "compare"', "'dataset' is missing"),
        (b'study = "\xff"', "byte 9 is not UTF-8"),
        (b"study = " + b"[" * 5000 + b"]" * 5000, "its lists are nested too deeply"),
    ],
)
def test_invalid_files_are_refused(content: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(content)

    with pytest.raises(ConfigurationError, match=words):
        module.read_configuration(tmp_path / "a.toml")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.toml"):
        with pytest.raises(ConfigurationError, match="cannot be read"):
            module.read_configuration(path)


def test_parameters_that_load_a_dataset_have_keys() -> None:
    assert set(DATASET.model_fields) == {"name", "path", "paths", *FLAGS}


PLAN = plan_of("compare", dataset_options={}, against=["numpy"], specifications={})
PLAN |= {"reference": "sklearn"}

TEXT = '"\nruns = 3\x7f\u2028\x85\\é'


@pytest.mark.parametrize("study", ["compare", "sweep-split"])
def test_text_is_on_its_own_lines(study: str) -> None:
    """Negative control: a value that is not quoted would become keys of its own."""
    of_file = {"target": TEXT, "separator": TEXT, "header": False, "drop": (TEXT,)}
    asked = {"against": (TEXT, "numpy"), "runs": 7, "seed": 2**31, "stratify": False}
    own = {"features": (TEXT, "b"), "test_size": 0.1}
    own = own if study == "compare" else {"train_fractions": (1e-3, 0.5)}
    source = {"source": 'a".csv', "missing": "?", **of_file}

    text = written({**PLAN, **asked, **own, "study": study, "dataset_options": source})

    config = configuration(text)
    assert config.datasets == ({**of_file, "missing": "?", "data": Path('a".csv')},)
    assert {name: config.options[name] for name in (asked | own)} == asked | own
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(text.replace("\\u007f", "\x7f"))


def test_arrays_have_no_name_to_write() -> None:
    with pytest.raises(OptionError, match="the data are arrays"):
        written(PLAN)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_files_that_come_along_are_read(path: Path) -> None:
    config = module.read_configuration(path)

    _, options = kind_of(config.to_options())
    assert isinstance(options, LabelledSource)
    several = isinstance(options.data, list)
    sources = sources_of(options) if several else [options]
    assert all(dataset_of(source).X.size > 0 for source in sources)
    assert f"gnbbench run configs/{path.name}" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("study", IN_FILES, ids=lambda kind: kind.name)
def test_every_option_is_explained_and_has_an_example(study: StudyKind) -> None:
    text = (CONFIGS / "every_option.toml").read_text(encoding="utf-8")
    switched_off = [line[2:] for line in text.split("\n") if line.startswith("# ")]
    examples = [line for line in switched_off if line.split(" = ")[0].isidentifier()]
    offered = {line.split(" = ")[0] for line in [*text.split("\n"), *examples]}

    assert {*DATASET.model_fields, *module.option_keys(study)} <= offered
    for line in examples:
        key, value = next(iter(tomllib.loads(line).items()))
        kinds = [
            module.option_keys(kind)[key]
            for kind in IN_FILES
            if key in module.option_keys(kind)
        ]
        kinds += [f.annotation for name, f in DATASET.model_fields.items() if name == key]
        assert any(holds(kind, frozen(value)) for kind in kinds)


def holds(kind: Any, value: Any) -> bool:
    """Return whether a key of this type may have a value."""
    try:
        optional_keys("one", {"key": kind}).model_validate({"key": value})
    except ValidationError:
        return False
    return True


ODD = '''# study = "commented"
"study" = "compare" # runs = 3

[ dataset ] # [options]
'name' = """
[options]
runs = 5
"""
drop = [
  "runs = 1", # ]
  'a"]b   ',

  "c",
]

[options]
"ru\\u006es" = 7
against . "deep" = 1
inline = { first = 1, "second" = [
  2 ] }
long = \'\'\'
seed = 9\'\'\'
seed = 1
[[several]]
x = 1
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("study",), 2),
        (("dataset",), 4),
        (("dataset", "name"), 5),
        (("dataset", "drop"), 9),
        (("options",), 16),
        (("options", "runs"), 17),
        (("options", "against"), 18),
        (("options", "against", "deep"), 18),
        (("options", "inline", "second"), 19),
        (("options", "long"), 21),
        (("options", "seed"), 23),
        (("several",), 24),
    ],
)
def test_a_key_is_found_where_a_statement_begins(path: tuple[str, ...], line: int) -> None:
    assert line_of(ODD, path) == line


def test_a_key_that_is_not_there_is_in_the_first_line() -> None:
    assert line_of(ODD, ("nothing",)) == 1
    assert line_of(ODD, ("study", "below text")) == 1
    # Negative control: the first line that says "runs =" is none of the key's.
    naive = next(n for n, text in enumerate(ODD.split("\n"), 1) if "runs =" in text)
    assert naive != line_of(ODD, ("options", "runs"))
