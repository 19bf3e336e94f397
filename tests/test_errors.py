import pytest

from gnbbench.errors import (
    DatasetError,
    GnbBenchError,
    OptionError,
    ResultsError,
    UnknownNameError,
)


@pytest.mark.parametrize("kind", [DatasetError, OptionError, ResultsError])
def test_a_message_says_where_what_and_what_to_do(
    kind: type[DatasetError] | type[OptionError] | type[ResultsError],
) -> None:
    error = kind("here", "it is wrong", "Mend it.")

    assert isinstance(error, GnbBenchError)
    assert str(error) == "here: it is wrong. Mend it."


def test_a_close_name_is_offered() -> None:
    error = UnknownNameError("implementation", "nunpy", ["numpy", "sklearn"])

    assert str(error) == (
        "Unknown implementation 'nunpy'. Did you mean 'numpy'? "
        "See: gnbbench list implementations"
    )


def test_no_name_is_offered_when_none_is_close() -> None:
    assert "Did you mean" not in str(UnknownNameError("dataset", "zzz", ["iris"]))


def test_no_name_is_offered_when_there_is_none() -> None:
    assert "Did you mean" not in str(UnknownNameError("dataset", "iris", []))
