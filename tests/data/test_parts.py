"""Several files of text, and directories of them, are one stream."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.streams import rows_of
from faults.studies import stream_prepared

from gnbbench.data.checks import check
from gnbbench.data.stream import Stream, open_stream
from gnbbench.errors import ConfigurationError, DatasetError, OptionError
from gnbbench.studies.configuration import config_text, configuration

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame({"a": RNG.normal(size=60), "b": RNG.integers(0, 9, 60)})
ROWS["kind"] = np.where(ROWS["b"] > 4, "x", "z")
ROWS["y"] = RNG.integers(0, 2, 60)


def write(path: Path, frame: pd.DataFrame) -> Path:
    """Write some rows as text, compressed if the name says so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = frame.to_csv(index=False, sep="\t" if ".tsv" in path.name else ",").encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def opened(source: Any, **given: Any) -> Stream:
    """Open a stream of the rows, after what is looked at before anything heavy."""
    options = {"target": "y", "one_hot": True, **given}
    check(source, stream=True, **options)
    return open_stream(source, **options)


@pytest.mark.usefixtures("either_reader")
def test_several_files_and_a_directory_are_the_rows_of_one_file(tmp_path: Path) -> None:
    whole = opened(write(tmp_path / "whole.csv", ROWS))
    thirds = (("0.csv", 0), ("1.csv.gz", 20), ("b/2.csv", 40))
    files = [write(tmp_path / "d" / name, ROWS[at : at + 20]) for name, at in thirds]
    (tmp_path / "d" / "_SUCCESS.csv").write_text("nothing")

    X, codes = rows_of(whole)
    for stream in (opened(files), opened(tmp_path / "d"), opened([files[0].parent])):
        assert stream.name == ("0 and 2 more" if stream.name[0] == "0" else "d")
        found, labels = rows_of(stream)
        assert np.array_equal(found, X)
        assert labels == codes
        assert stream.feature_names == ("a", "b", "kind=x", "kind=z")
        again = open_stream(**stream.parameters)
        assert again.sha256 == stream.sha256 != whole.sha256


@pytest.mark.usefixtures("either_reader")
@pytest.mark.parametrize("target", ["y", "kind", "b"])
def test_keys_of_directories_are_columns_or_the_target(tmp_path: Path, target: str) -> None:
    groups = ROWS.groupby(["kind", "b"])
    for (kind, b), rows in groups:
        part = tmp_path / "d" / f"kind={kind}" / f"b={b}" / "0.csv"
        write(part, rows.drop(columns=["kind", "b"]))
    ordered = pd.concat([rows for _, rows in groups])[["a", "y", "kind", "b"]]

    found, labels = rows_of(opened(tmp_path / "d", target=target))

    X, codes = rows_of(opened(write(tmp_path / "whole.csv", ordered), target=target))
    assert np.array_equal(found, X)
    assert labels == codes


def test_text_of_directories_is_refused_as_text_of_columns_is(tmp_path: Path) -> None:
    write(tmp_path / "k=a" / "0.csv", ROWS[["a", "y"]])

    with pytest.raises(DatasetError, match=r"column 'k' holds text.*--one-hot"):
        opened(tmp_path, one_hot=False)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a", "c", "kind", "y"], "1.csv: its header has 'c' where that of .* has 'b'"),
        (["b", "a", "kind", "y"], "1.csv: its header has 'b' where that of .* has 'a'"),
        (["a", "b", "kind", "y", "z"], "1.csv: its header has 'z' where .* has nothing"),
        (["a", "b", "kind"], "1.csv: its header has nothing where that of .* has 'y'"),
    ],
)
def test_another_header_is_named(names: list[str], words: str, tmp_path: Path) -> None:
    first = write(tmp_path / "0.csv", ROWS)
    other = write(tmp_path / "1.csv", ROWS.assign(c=1, z=1)[names])

    for source in ([first, other], tmp_path):
        for look in (opened, lambda one: open_stream(one, target="y", one_hot=True)):
            with pytest.raises(DatasetError, match=words) as refusal:
                look(source)
            assert "\n" not in str(refusal.value)


def test_results_of_a_study_among_the_data_are_left_out(tmp_path: Path) -> None:
    """Negative control: a file like theirs without records beside it counts."""
    write(tmp_path / "a.csv", ROWS)
    write(tmp_path / "reports" / "study" / "runs.csv", ROWS[["a"]])
    with pytest.raises(DatasetError, match="its header has nothing"):
        opened(tmp_path)

    (tmp_path / "reports" / "study" / "runs.sqlite").touch()

    assert opened(tmp_path).n_rows == len(ROWS)


def test_a_fault_is_placed_in_its_file(tmp_path: Path) -> None:
    write(tmp_path / "d" / "0.csv", ROWS)
    write(tmp_path / "d" / "1.csv", ROWS.assign(a=[1.0] * 7 + [np.nan] * 53))

    with pytest.raises(DatasetError, match=r"first in 1\.csv, line 9, column 'a'"):
        rows_of(opened(tmp_path / "d"))
    (tmp_path / "d" / "1.csv").write_text("a,b,kind,y\n1,2,x,0\n1,2\n")
    with pytest.raises(DatasetError, match=r"d/1.csv: line 3 has 2 values"):
        rows_of(opened(tmp_path / "d"))


def test_a_file_given_twice_is_refused(tmp_path: Path) -> None:
    """Its rows would be on both sides of a split."""
    file = write(tmp_path / "d" / "a.csv", ROWS)
    (tmp_path / "d" / "b.csv").symlink_to(file)
    for paths in ([file, file], [file, tmp_path / "d"], tmp_path / "d"):
        with pytest.raises(DatasetError, match="it is there twice"):
            open_stream(paths, target="y")


def test_paths_of_several_kinds_are_refused(tmp_path: Path) -> None:
    text = write(tmp_path / "a.csv", ROWS)
    np.save(tmp_path / "a.npy", ROWS[["a", "b"]].to_numpy())
    (tmp_path / "empty").mkdir()

    with pytest.raises(DatasetError, match="several paths must all be Parquet, or all CSV"):
        opened([text, tmp_path / "a.npy"])
    with pytest.raises(DatasetError, match="a directory without a file that ends"):
        opened(tmp_path / "empty")
    write(tmp_path / "a.parquet", ROWS).write_bytes(b"PAR1")
    with pytest.raises(OptionError, match="--sep"):
        opened(tmp_path / "a.parquet", separator=",")


def test_several_paths_are_written_into_a_file_and_read_from_it(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{place}.csv", ROWS.drop(columns="kind")) for place in "ab"]
    prepared = stream_prepared(files, target="y")

    text = config_text(prepared)

    read = configuration(text, name="a.toml", directory=tmp_path).to_options()
    assert vars(read)["data"] == files
    other = text.replace('"stream"', '"compare"').partition("block_rows")[0]
    with pytest.raises(ConfigurationError, match=r"line \d+: only a stream"):
        configuration(other, name="a.toml", directory=tmp_path)
