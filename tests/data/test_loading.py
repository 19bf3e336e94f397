import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gnbbench.data.catalogue import names
from gnbbench.data.files import load_file
from gnbbench.data.loading import FILE_OPTIONS, FLAGS, NETWORK_OPTIONS, load
from gnbbench.data.network import load_from_network
from gnbbench.errors import DatasetError, OptionError, UnknownNameError

Write = Callable[..., Path]


@pytest.mark.parametrize("name", names())
def test_its_parameters_load_a_bundled_dataset_again(name: str) -> None:
    dataset = load(name)

    assert load(**dataset.parameters).sha256 == dataset.sha256


def test_its_parameters_load_drawn_samples_again() -> None:
    dataset = load("gaussians", n_samples=60, n_features=2, n_classes=4, seed=5, offset=1e3)

    again = load(**dataset.parameters)

    assert again.X.shape == (60, 2)
    assert again.sha256 == dataset.sha256
    assert load("gaussians", n_samples=60, n_features=2).sha256 != dataset.sha256


def test_its_parameters_load_a_file_again(write: Write) -> None:
    path = write("1;?;p;9\n2;3;q;9\n4;5;p;9\n")

    dataset = load(
        path, target="c2", separator=";", header=False, drop=["c3"], missing="drop"
    )

    again = load(**dataset.parameters)
    assert again.X.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert again.sha256 == dataset.sha256
    assert again.notes == dataset.notes


def test_a_name_comes_before_a_file(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a,y\n1,p\n2,q\n", "iris")
    monkeypatch.chdir(path.parent)

    assert len(load("iris").y) == 150
    assert len(load("./iris", target="y").y) == 2
    assert len(load(Path("iris"), target="y").y) == 2


def test_a_file_needs_no_suffix(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("a,y\n1,p\n2,q\n", "flowers")
    monkeypatch.chdir(path.parent)

    assert load("flowers", target="y").name == "flowers"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "irsi",
            "Unknown dataset 'irsi'. Did you mean 'iris'? See: gnbbench list datasets",
        ),
        ("breast-cancer", "Did you mean 'breast_cancer'?"),
        ("", "Unknown dataset ''"),
        ("zzz" * 2000, "Unknown dataset 'zzz"),
    ],
)
def test_a_mistyped_name_is_guessed(source: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as refusal:
        load(source)

    assert message in str(refusal.value)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("source", ["irsi.csv", "data/irsi", ".", "/"])
def test_what_looks_like_a_path_is_one(source: str) -> None:
    with pytest.raises(DatasetError, match=r"no such file|is a directory"):
        load(source)


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("iris", {"target": "y"}, "--target: it does not apply to the dataset 'iris'"),
        ("iris", {"missing": "drop"}, "--missing: it does not apply"),
        ("iris", {"drop": ["a"]}, "--drop: it does not apply"),
        ("iris", {"header": False}, "--header: it does not apply"),
        ("wine", {"n_samples": 9}, "--n-samples: it does not apply"),
        ("digits", {"seed": 0}, "--data-seed: it does not apply"),
        ("iris", {"offset": 1.0}, "--offset: it does not apply"),
        ("gaussians", {"separator": ","}, "--sep: it does not apply"),
        ("a.csv", {"n_classes": 2}, "--n-classes: it does not apply to a file"),
    ],
)
def test_an_option_of_another_source_is_refused(
    source: str, options: Any, message: str
) -> None:
    with pytest.raises(OptionError, match=message):
        load(source, **options)


def test_every_option_has_a_flag() -> None:
    keywords = [*inspect.signature(load).parameters][1:]

    assert [*FLAGS, "offline"] == keywords
    assert list(FILE_OPTIONS) == [*inspect.signature(load_file).parameters][1:]
    of_network = [*inspect.signature(load_from_network).parameters][1:]
    assert ["offline", *NETWORK_OPTIONS] == of_network


def test_loading_twice_shares_nothing() -> None:
    first = load("iris")
    first.X[:] = 0

    assert np.count_nonzero(load("iris").X) == 600
