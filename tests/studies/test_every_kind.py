"""Properties of every kind of study, tested by its command."""

import html
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from faults.listeners import Listener
from reading.commands import assert_refused, call, files, left_out
from sklearn.datasets import load_wine

import gnbbench
from gnbbench.conformance.battery import CHECKS
from gnbbench.errors import DatasetError, OptionError, ResultsError
from gnbbench.studies.kinds import STUDIES, kind_named
from gnbbench.studies.stored import draw_again
from gnbbench.studies.study import PUBLIC

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("texts_as_usual")]

# Kind -> a small study of it, as it is typed, in a directory with "rows.csv"; and what
# makes another plan of it.
COMMANDS: Mapping[str, tuple[str, str]] = {
    "compare": ("compare iris --runs 3 --budget 50ms", "--seed 7"),
    "matrix": ("compare iris wine --runs 2 --budget 50ms", "--seed 7"),
    "stream": ("compare rows.csv --target y --stream --block-rows 50", "--seed 7"),
    "sweep-split": ("sweep-split iris --runs 2 --train-fractions 0.5,0.8", "--seed 7"),
    "assumptions": ("assumptions rows.csv --target y --runs 2", "--seed 7"),
    "scale": (
        "scale --samples 50:100 --features 3 --classes 2 --budget 20 --processes 1 "
        "--reference numpy --against density-product",
        "--seed 7",
    ),
    "explain": ("explain wine --against sklearn?var_smoothing=0.5 --runs 2", "--seed 7"),
    "conformance": ("conformance numpy --only offsets", "--timeout 20"),
    "check": ("check numpy --data iris --runs 2", "--seed 7"),
    "reproduce": ("reproduce guide-iris-mislabelled --runs 10", "--runs 11"),
}


@dataclass(frozen=True)
class Drawn:
    """A study that was carried out once for all tests."""

    kind: str
    words: tuple[str, ...]
    other: tuple[str, ...]  # What makes another plan of it
    directory: Path
    stdout: str


@pytest.fixture(scope="module", autouse=True)
def no_pictures() -> None:
    """Have pictures of one kind drawn: they too are the same bytes each time."""


@pytest.fixture(scope="module", params=list(COMMANDS))
def drawn(request: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Drawn]:
    """Give one study of every kind in turn."""
    here = tmp_path_factory.mktemp(str(request.param))
    rows = "".join(f"{i % 7}.5,{i * i % 11},{'xy'[i % 2]}\n" for i in range(600))
    (here / "rows.csv").write_text(f"a,b,y\n{rows}")
    command, other = COMMANDS[request.param]
    words = tuple(command.replace("rows.csv", str(here / "rows.csv")).split())
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "compare":
            patch.setattr("gnbbench.report.files.png", lambda _: b"")
            inline = '<div class="drawing"><svg></svg></div>'
            patch.setattr("gnbbench.report.files.inline_svg", lambda *_: inline)
        patch.setattr("gnbbench.studies.check.CHECKS", CHECKS[:5])
        patch.setattr("gnbbench.studies.export.hard_datasets", dict)
        if request.param == "matrix":
            # Those of a comparison on each dataset, which "compare" draws.
            patch.setattr("gnbbench.report.blocks.draw_figure", left_out)
        code, out, err = call(*words, "--out", here / "study")
        assert (code, err) == (0, "")
        yield Drawn(str(request.param), words, tuple(other.split()), here / "study", out)


def test_every_kind_has_a_command_here() -> None:
    assert set(COMMANDS) == {kind.name for kind in STUDIES}


def test_a_terminal_of_80_columns_has_the_verdict_and_the_path(drawn: Drawn) -> None:
    lines = drawn.stdout.splitlines()

    assert max(len(line) for line in lines[:-1]) <= 80
    assert lines[-1] == f"Report: {drawn.directory / 'index.html'}"


def test_the_page_comes_with_its_summary_and_its_records(drawn: Drawn) -> None:
    contents = files(drawn.directory)

    assert set(contents) >= {"index.html", "summary.json"}
    assert any(name.endswith("runs.sqlite") for name in contents)
    assert not [name for name in contents if Path(name).name.startswith(".")]


def test_a_printed_file_gives_the_same_study_and_json_is_alone_on_stdout(
    drawn: Drawn, tmp_path: Path
) -> None:
    printed = call(*drawn.words, "--print-config")
    (tmp_path / "study.toml").write_text(printed[1])
    before = files(drawn.directory)

    words = ("run", tmp_path / "study.toml", "--out", drawn.directory, "--json")
    code, out, err = call(*words)

    assert (printed[0], printed[2], code) == (0, "", 0)
    assert err.startswith("gnbbench: Nothing was measured")
    assert err.count("\n") == 1
    assert out == (drawn.directory / "summary.json").read_text(encoding="utf-8")
    assert json.loads(out)["headline"]
    assert files(drawn.directory) == before


def test_a_report_is_drawn_again_from_records_alone(drawn: Drawn, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(drawn.directory, copy)
    before = files(copy)
    for name in before:
        if not name.endswith(("runs.sqlite", "summary.json")):
            (copy / name).unlink()

    ended = call("report", copy, "--quiet")

    assert ended == (0, f"{copy / 'index.html'}\n", "")
    assert files(copy) == before


def test_another_plan_does_not_replace_it(drawn: Drawn) -> None:
    words = (*drawn.words, *drawn.other, "--out", drawn.directory)

    assert_refused(words, "--overwrite", drawn.directory)


def test_new_times_are_compared_with_those_they_replace_or_stand_beside(
    drawn: Drawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if drawn.kind not in {"compare", "matrix", "stream", "sweep-split"}:
        return
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gnbbench.report.blocks.draw_figure", left_out)
    shutil.copytree(drawn.directory, "reports/old")
    new = "reports/old" if drawn.kind == "matrix" else "reports/new"

    _, out, _ = call(*drawn.words, "--overwrite", "--out", new)

    date = r"Change since \d+ \w+ \d{4}(, [\d:]{5})?, relative to sklearn: "
    assert "no label differs, as before." in " ".join(out.split())
    assert re.search(date, Path(new, "index.html").read_text())
    assert not re.search(date, Path(drawn.directory, "index.html").read_text())


def test_foreign_files_are_left_alone(drawn: Drawn, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")

    assert_refused((*drawn.words, "--out", tmp_path), "it holds index.html", tmp_path)


def test_an_interruption_exits_130_and_says_what_is_kept(
    drawn: Drawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    # Several datasets are compared one after the other.
    carrier = kind_named(drawn.kind.replace("matrix", "compare")).load()
    monkeypatch.setattr(type(carrier), "measure", interrupted)

    code, out, err = call(*drawn.words, "--out", tmp_path / "here")

    assert (code, out) == (130, "")
    assert err.startswith("gnbbench: interrupted; ")
    assert err.endswith("; the same command continues.\n")
    assert not (tmp_path / "here" / "index.html").exists()
    with pytest.raises(ResultsError, match=r"not finished|there is no runs\.sqlite"):
        draw_again(tmp_path / "here")


def test_python_has_the_verdict_and_tables_and_a_notebook_a_card_with_a_link(
    drawn: Drawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = draw_again(drawn.directory)
    unsaved = study._repr_html_()
    with monkeypatch.context() as patch:  # Those of a report are drawn above
        patch.setattr("gnbbench.report.files.png", lambda _: b"")
        patch.setattr("gnbbench.report.files.svg", lambda _: "")
        patch.setattr("gnbbench.report.files.inline_svg", lambda _drawing, _text: "")
        study.save("my report")

    stored = json.loads((drawn.directory / "summary.json").read_text(encoding="utf-8"))
    assert [name for name in dir(study) if not name.startswith("_")] == list(PUBLIC)
    assert study.verdict == stored["headline"]
    assert study.verdict in repr(study)
    assert study.document.setting in repr(study)
    if drawn.kind in {"compare", "stream", "sweep-split"}:
        accuracies = study.metrics.query("metric == 'test_accuracy'")
        assert len(accuracies) > 0
        assert accuracies["numpy"].equals(accuracies["sklearn"])
    else:
        with pytest.raises(ResultsError, match="no means of metrics"):
            assert study.metrics is None
    assert len(study.summary) > 0
    assert len(study.runs) > 0
    card = study._repr_html_()
    assert len(card.encode()) <= 40_000
    text = html.unescape(card)
    assert study.verdict in text
    assert all(tile.title in text for tile in study.document.tiles)
    # A figure is one drawing, whose panels are an SVG each.
    assert card.count('<div class="drawing"') == ("<svg" in card) == bool(study.figures)
    assert '<a href="my%20report/index.html"' in card
    assert "study.save(" in unsaved
    assert "<a href" not in unsaved


SMOOTH = "sklearn?var_smoothing=0.5"
# Python function -> the stage of a study of two items, and what it takes.
OF_TWO: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "explain": ("explain", {"data": "iris", "against": ["numpy", SMOOTH], "runs": 2}),
    "examine_conformance": (
        "conformance",
        {"implementation": ["numpy", "density-product"], "only": CHECKS[0].id},
    ),
    "check": (
        "check",
        {"files": ["numpy", "density-product"], "data": ["iris"], "runs": 2},
    ),
}


@pytest.mark.parametrize("function", OF_TWO)
def test_work_before_an_interruption_is_kept(
    function: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnbbench.studies.check.CHECKS", CHECKS[:1])
    monkeypatch.setattr("gnbbench.studies.export.hard_datasets", dict)
    stage, options = OF_TWO[function]
    carry_out, listener = getattr(gnbbench, function), Listener()
    # A check says which file it is at.
    items = list(options["files"]) if function == "check" else []
    interrupted = Listener(items[0] if items else stage)
    with pytest.raises(KeyboardInterrupt):
        carry_out(**options, out=tmp_path, progress=interrupted)
    first = [(item, 2, 0) for item in items[:1]]
    assert interrupted.told == [(stage, 2, 0), *first, 1, (stage, 2, 1)]
    with pytest.raises(ResultsError, match=r"not finished \(1 of 2\)"):
        draw_again(tmp_path)

    carry_out(**options, out=tmp_path, progress=listener)

    second = [(item, 2, 1) for item in items[1:]]
    assert listener.told == [(stage, 2, 1), *second, 1, ("report", None, 0)]


# Python function of a kind that takes data -> what else a small study needs.
ON_DATA: Mapping[str, Mapping[str, Any]] = {
    "compare": {"runs": 2, "budget": "50ms"},
    "sweep_split": {"runs": 2, "train_fractions": "0.5,0.8", "budget": "50ms"},
    "examine_assumptions": {"runs": 2},
    "explain": {"runs": 2, "against": "study-b"},
}


@pytest.mark.parametrize("function", list(ON_DATA))
def test_a_bunch_is_a_dataset_with_its_names(function: str) -> None:
    bunch = load_wine()

    study = getattr(gnbbench, function)(bunch, random_state=7, **ON_DATA[function])

    described, plan = study.details.dataset, study.details.plan
    assert described.class_names == tuple(map(str, bunch.target_names))
    assert described.features["feature"].tolist() == list(bunch.feature_names)
    assert plan["sha256"] == gnbbench.load_dataset("wine").sha256
    assert plan["seed"] == 7


@pytest.mark.parametrize("function", list(ON_DATA))
def test_an_option_of_files_is_not_ignored_with_arrays(function: str) -> None:
    with pytest.raises(OptionError, match="target: it does not apply to arrays"):
        getattr(gnbbench, function)([[1.0]], [0], target="y", **ON_DATA[function])


@pytest.mark.parametrize("function", list(ON_DATA))
def test_samples_without_labels_are_refused_with_the_call(function: str) -> None:
    frame = pd.DataFrame({"length": [1.0, 2.0], "species": ["a", "b"]})

    with pytest.raises(DatasetError) as caught:
        getattr(gnbbench, function)(frame, **ON_DATA[function])

    assert str(caught.value) == (
        "y: the labels are missing. Give the labels after the samples, such as "
        "(X.drop(columns='species'), X['species'])."
    )
