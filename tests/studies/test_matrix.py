"""Several datasets: one study each, a matrix over them, and resuming."""

import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from faults.studies import many_prepared
from matplotlib.figure import Figure

import gnbbench
from gnbbench.data.loading import load
from gnbbench.errors import MissingLibraryError, ResultsError
from gnbbench.implementations.catalogue import LIBRARIES, Library
from gnbbench.studies.matrix import MatrixStudy, require_same_datasets
from gnbbench.studies.stored import draw_again

pytestmark = pytest.mark.slow

Saved = tuple[MatrixStudy, Path]
QUICK: dict[str, Any] = {"runs": 3, "budget_seconds": 0.05, "jobs": 1}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Saved:
    """Return a study, and its directory, for all tests that only read it."""
    out = tmp_path_factory.mktemp("many") / "here"
    data = ["iris", load("gaussians?n=90&offset=1e6")]
    study: MatrixStudy = gnbbench.compare(data, against=["numpy"], out=out, **QUICK)
    return study, out


def test_each_dataset_has_the_study_that_it_would_have_alone(saved: Saved) -> None:
    alone: Any = gnbbench.compare("iris", against=["numpy"], **QUICK)

    together = saved[0].studies["iris"]
    pd.testing.assert_frame_equal(together.details.metrics, alone.details.metrics)
    assert saved[0].summary["outcome"].tolist() == ["identical", "identical"]


def test_a_study_that_another_was_put_in_place_of_is_refused(
    saved: Saved, tmp_path: Path
) -> None:
    shutil.copytree(saved[1], tmp_path, dirs_exist_ok=True)
    where = {"out": tmp_path / "iris", "overwrite": True}
    gnbbench.compare("iris", reference="numpy", **where, **QUICK)

    with pytest.raises(ResultsError, match="compare different implementations"):
        draw_again(tmp_path)


def test_figures_are_had_by_name(saved: Saved) -> None:
    study = saved[0]

    assert isinstance(study.figures["matrix"], Figure)
    assert isinstance(study.figures["iris/accuracy"], Figure)
    drawn = {"accuracy", "confusion", "timing", "decision_regions"}
    assert drawn <= set(study.studies["iris"].figures)
    assert len(study.figures) == len(list(study.figures))
    with pytest.raises(KeyError):
        study.figures["nothing"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gnbbench.report.files.inline_svg", lambda *_: "<svg></svg>")
        assert study._repr_html_().count("<svg") == 1
    assert repr(study).startswith("<MatrixStudy: numpy against sklearn on iris; ")


class Stop(Exception):  # noqa: N818  no error, but the end of patience
    """Ends a study."""


class Onlooker:
    """Records the numbers of runs."""

    def __init__(self) -> None:
        self.begun: dict[str, tuple[int | None, int]] = {}

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        if stage.endswith(": runs"):
            self.begun[stage.removesuffix(": runs")] = total, done

    def advance(self, steps: int) -> None:
        self.steps = steps


class Impatient(Onlooker):
    """Ends the study before the third dataset is measured."""

    def begin(self, stage: str, total: int | None = None, done: int = 0) -> None:
        if stage == "gaussians: runs":
            raise Stop(stage, total, done)


def test_a_study_that_broke_off_in_a_third_dataset_continues_there(tmp_path: Path) -> None:
    names: list[Any] = ["iris", "wine", load("gaussians?n=90")]
    options = {"against": ["numpy"], "out": tmp_path, **QUICK}
    with pytest.raises(Stop):
        gnbbench.compare(names, progress=Impatient(), **options)
    before = {name: (tmp_path / name / "runs.csv").read_bytes() for name in names[:2]}
    assert not (tmp_path / "index.html").exists()
    steps = Onlooker()

    gnbbench.compare(names, progress=steps, **options)

    after = {name: (tmp_path / name / "runs.csv").read_bytes() for name in names[:2]}
    assert after == before
    assert steps.begun == {"iris": (9, 3), "wine": (9, 6), "gaussians": (9, 6)}
    assert (tmp_path / "index.html").is_file()


def test_records_of_another_plan_are_found_before_anything_is_measured(
    saved: Saved, tmp_path: Path
) -> None:
    study, _ = saved
    study.studies["iris"].save(tmp_path / "wine")

    with pytest.raises(ResultsError, match="study with other settings"):
        gnbbench.compare(["digits", "wine"], out=tmp_path, **QUICK)

    assert not (tmp_path / "digits").exists()


def test_the_directory_of_one_study_is_not_used_for_several(
    saved: Saved, tmp_path: Path
) -> None:
    saved[0].studies["iris"].save(tmp_path)

    with pytest.raises(ResultsError, match="the records of something else"):
        gnbbench.compare(["iris"], out=tmp_path, **QUICK)


def test_datasets_with_the_same_name_get_distinct_names_and_folders() -> None:
    data = [load(f"gaussians?n={n}") for n in (60, 70)]

    made = many_prepared(data, runs=2)

    assert made.names == ("gaussians", "gaussians (2)")
    assert made.folders == ("gaussians", "gaussians-2")


def test_an_optional_implementation_that_is_not_installed_is_left_out_with_a_remark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    river = next(library for library in LIBRARIES if library.name == "river")
    version = property(lambda library: None if library is river else "1")
    monkeypatch.setattr(Library, "version", version)

    made = many_prepared([load("iris")], against=["numpy"], optional=["river"], runs=2)

    assert made.parts[0].plan["against"] == ["numpy"]
    assert made.left_out[0].startswith("Not installed: river.")
    with pytest.raises(MissingLibraryError):
        many_prepared([load("iris")], against=["numpy", "river"], runs=2)


def test_an_optional_implementation_that_is_installed_is_compared() -> None:
    pytest.importorskip("river")

    made = many_prepared([load("iris")], optional=["river"], runs=2)

    assert made.parts[0].plan["against"] == ["numpy", "river"]
    assert made.left_out == ()


def test_its_own_report_may_be_replaced_and_that_on_other_data_only_on_request(
    saved: Saved,
) -> None:
    study, out = saved
    plans = [(entry.name, entry.summary.plan) for entry in study.details.entries]
    digests = {name: plan["sha256"] for name, plan in plans}

    require_same_datasets(out, digests, overwrite=False)
    require_same_datasets(out / "not there", digests, overwrite=False)
    with pytest.raises(ResultsError, match=r"other datasets.*--overwrite"):
        require_same_datasets(out, {"digits": "0"}, overwrite=False)
    require_same_datasets(out, {"digits": "0"}, overwrite=True)


@pytest.mark.parametrize("name", ["index.html", "matrix.csv", "runs.sqlite"])
def test_files_of_something_else_are_never_replaced(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{}")

    with pytest.raises(ResultsError, match=f"it holds {name}.*--out"):
        require_same_datasets(tmp_path, {}, overwrite=True)
    with pytest.raises(ResultsError, match="it is a file"):
        require_same_datasets(tmp_path / name, {}, overwrite=False)
