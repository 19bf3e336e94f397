"""``gnbbench.compare``: on one dataset a study, on several a matrix of studies."""

from functools import wraps
from pathlib import Path
from typing import Any

from gnbbench.data.dataset import Dataset
from gnbbench.errors import OptionError
from gnbbench.interface import compare as one
from gnbbench.interface.compare_many import compare_many
from gnbbench.interface.matrix_study import MatrixStudy
from gnbbench.interface.stream import compare_stream
from gnbbench.interface.study import Study


@wraps(one.compare, assigned=())
def compare(data: Any, y: Any = None, **options: Any) -> Study | MatrixStudy:
    """Return how implementations of Gaussian naive Bayes compare over randomised splits.

    Parameters
    ----------
    data : str, Path, Dataset, array-like of shape (n_samples, n_features), or a list
        A name such as "iris", what `gnbbench.load_dataset` returned, or samples; or a
        list of names, paths and datasets, each of which gets a study of its own.
    y : array-like of shape (n_samples,), default=None
        Labels of the samples, where `data` is an array.
    **options : object
        As `gnbbench.interface.compare.compare` explains them; with a list also
        ``optional``, see `gnbbench.interface.compare_many.compare_many`. With
        ``stream=True`` the data are a path, read in blocks and never as a whole, and the
        options those of `gnbbench.interface.stream.compare_stream`.

    Returns
    -------
    Study or MatrixStudy
        The latter for a list.

    Raises
    ------
    GnbBenchError
        If the data, an option or the directory cannot be used; nothing is written then.

    Examples
    --------
    >>> compare("iris", runs=3).details.verdicts[0].outcome
    'identical'
    >>> len(compare(["iris", "wine"], runs=3).frame())
    2
    """
    if options.pop("stream", False):
        if y is not None:
            raise OptionError("y", "a stream brings its own labels", "Leave y out.")
        return compare_stream(data, **options)
    if not _is_list_of_datasets(data):
        return one.compare(data, y, **options)
    if y is not None:
        raise OptionError("y", "the datasets bring their own labels", "Leave y out.")
    return compare_many(data, **options)


def _is_list_of_datasets(data: Any) -> bool:
    if not isinstance(data, list | tuple) or not data:
        return False
    return all(isinstance(entry, str | Path | Dataset) for entry in data)
