"""The catalogue: distinct names, each described, each makes a model or tells why not."""

import pytest

from gnbbench.errors import MissingLibraryError
from gnbbench.implementations.catalogue import IMPLEMENTATIONS
from gnbbench.implementations.declaration import Implementation
from gnbbench.implementations.libraries import LIBRARIES, Library


def test_names_are_distinct() -> None:
    names = [entry.name for entry in IMPLEMENTATIONS]

    assert len(set(names)) == len(names)
    assert {"numpy", "sklearn"} < set(names)


def test_every_library_is_in_the_catalogue() -> None:
    names = {entry.name for entry in IMPLEMENTATIONS}

    assert {library.name for library in LIBRARIES} <= names


@pytest.mark.parametrize("entry", IMPLEMENTATIONS, ids=lambda entry: entry.name)
def test_an_entry_is_described_and_makes_a_new_model_or_says_what_is_missing(
    entry: Implementation,
) -> None:
    assert entry.description

    if isinstance(entry.make, Library) and entry.make.version is None:
        with pytest.raises(MissingLibraryError, match="pip install"):
            entry.make()
    else:
        model = entry.make()
        assert callable(model.fit)
        assert callable(model.predict)
        assert entry.make() is not model
