"""Files over the studies of several datasets, and what stands in them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from gnbbench.errors import ResultsError
from gnbbench.report.matrix_files import require_own, write_matrix
from gnbbench.statistics.documents import MATRIX_TABLES, matrix_document
from gnbbench.statistics.matrix import Matrix

Give = Callable[..., Matrix]


def of_data(matrix: Matrix) -> list[dict[str, Any]]:
    return [
        {"name": entry.name, "sha256": entry.summary.plan.get("sha256")}
        for entry in matrix.entries
    ]


@pytest.fixture(scope="module")
def several(matrix_of: Give) -> Matrix:
    return matrix_of("several", "iris", "wine")


@pytest.fixture(scope="module")
def written(several: Matrix, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_matrix(several, tmp_path_factory.mktemp("matrix") / "new").parent


@pytest.mark.slow
def test_every_file_is_there_and_nothing_else(written: Path) -> None:
    names = {str(p.relative_to(written)) for p in written.rglob("*") if p.is_file()}

    figures = {f"figures/matrix.{kind}" for kind in ("png", "svg", "csv")}
    assert names == {"index.html", "summary.json", "matrix.csv", *figures}


def test_the_table_has_a_row_for_each_implementation_and_dataset(written: Path) -> None:
    table = pd.read_csv(written / "matrix.csv")

    assert len(table) == 5 * 2
    failed = table[table["implementation"] == "broken"]
    assert failed["agreement"].isna().all()
    assert failed["message"].str.contains("covariance is singular").all()


def test_the_document_has_the_numbers_of_every_dataset(
    written: Path, several: Matrix
) -> None:
    found = json.loads((written / "summary.json").read_text(encoding="utf-8"))

    assert found == matrix_document(several)
    assert (found["schema"], found["schema_version"]) == ("gnbbench matrix", 1)
    assert [one["name"] for one in found["datasets"]] == ["iris", "wine"]
    assert [one["n_runs"] for one in found["datasets"]] == [100, 20]
    for name in MATRIX_TABLES:
        expected = len(getattr(several.entries[1].summary, name))
        assert len(found["datasets"][1][name]) == expected


def test_its_own_report_may_be_replaced(written: Path, several: Matrix) -> None:
    require_own(written, of_data(several), overwrite=False)
    require_own(written / "not there", of_data(several), overwrite=False)


def test_the_report_on_other_datasets_is_replaced_only_when_asked(
    written: Path, matrix_of: Give
) -> None:
    other = of_data(matrix_of("usual", "digits"))

    with pytest.raises(ResultsError, match=r"other datasets.*--overwrite"):
        require_own(written, other, overwrite=False)
    require_own(written, other, overwrite=True)


@pytest.mark.parametrize(
    "name", ["index.html", "summary.json", "matrix.csv", "runs.sqlite"]
)
def test_files_of_something_else_are_never_replaced(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{}")

    with pytest.raises(ResultsError, match=f"it holds {name}"):
        require_own(tmp_path, [], overwrite=True)


def test_a_file_in_the_way_is_one_line_with_a_remedy(
    several: Matrix, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")

    with pytest.raises(ResultsError, match=r"cannot be written.*--out"):
        write_matrix(several, tmp_path / "taken")
    with pytest.raises(ResultsError, match="it is a file"):
        require_own(tmp_path / "taken", [], overwrite=False)
