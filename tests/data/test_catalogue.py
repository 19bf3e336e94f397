import pytest

from gnbbench.data.catalogue import DATASETS, CatalogueEntry, find, names
from gnbbench.data.loading import load


@pytest.mark.parametrize("entry", DATASETS, ids=names())
def test_an_entry_tells_the_truth_about_its_dataset(entry: CatalogueEntry) -> None:
    dataset = load(entry.name)

    assert dataset.name == entry.name
    assert dataset.X.shape == (entry.n_samples, entry.n_features)
    assert len(dataset.classes) == entry.n_classes


def test_names_are_distinct_and_descriptions_are_one_line() -> None:
    assert len(set(names())) == len(DATASETS)
    assert all(entry.description and "\n" not in entry.description for entry in DATASETS)


def test_an_unknown_name_is_not_found() -> None:
    assert find("irsi") is None
