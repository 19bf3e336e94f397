"""The data of a check and of code with limits, and splits exported to files."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gnbbench.data.dataset import Dataset, from_arrays
from gnbbench.diagnosis.moves import HAVING, hard_datasets
from gnbbench.errors import ConfigurationError, OptionError
from gnbbench.files import text_of, toml_beside
from gnbbench.implementations.answers import ANSWER, Question, written
from gnbbench.implementations.names import PREDICTIONS, is_elsewhere, manifest
from gnbbench.implementations.programs import LABEL
from gnbbench.splits import Split, SplitRule, sample_of
from gnbbench.statistics.check import SYNTHETIC
from gnbbench.studies.options import CheckOptions, DataSource, FileSource
from gnbbench.studies.plan import dataset_of, folder_name, sources_of
from gnbbench.words import listing, plural

TEST_SIZE = 0.3
# Of each synthetic dataset, and of those that show little once they are cut
SYNTHETIC_RUNS, MORE_RUNS = 5, 40
SETTINGS = "export.json"
SETTING_NAMES = ("runs", "seed", *FileSource.model_fields)
Limits = tuple[int, int]  # The only numbers of features and classes; 0 for any
_OUTLYING, _OF_FEW = (SYNTHETIC + HAVING[name] for name in ("outliers", "few"))
_OF_MANY = SYNTHETIC + HAVING["many"]  # Of little use with few features


def with_synthetic(
    datasets: Sequence[Dataset], runs: int, limits: Limits = (0, 0)
) -> tuple[tuple[Dataset, int], ...]:
    """Return the datasets and the synthetic ones, each with its number of runs.

    Synthetic ones keep within limits, if there are any.
    """
    hard = hard_datasets(*filter(None, limits[1:]))
    samples = {SYNTHETIC + HAVING[name]: data for name, data in hard.items()}
    synthetic = [from_arrays(X, y, name) for name, (X, y) in samples.items()]
    synthetic = reduced(synthetic, limits) if any(limits) else synthetic
    less = {_OUTLYING: limits[0], _OF_FEW: limits[1]}
    n_runs = {name: MORE_RUNS for name, is_cut in less.items() if is_cut}
    return (
        *((dataset, runs) for dataset in datasets),
        *((dataset, n_runs.get(dataset.name, SYNTHETIC_RUNS)) for dataset in synthetic),
    )


def cuts_of(dataset: Dataset, runs: int, seed: int) -> list[Split]:
    """Return the splits of a check: those of a comparison with the same seed."""
    rule = SplitRule(seed, test_size=TEST_SIZE, has_option=False)
    return rule.cuts(sample_of(dataset), range(runs))


def load_datasets(options: DataSource | CheckOptions) -> tuple[Dataset, ...]:
    """Load the named datasets, each once."""
    return tuple(map(dataset_of, dict.fromkeys(sources_of(options))))


def of_many_classes() -> tuple[Dataset, ...]:
    """Return a dataset for code that works with more classes alone than others have."""
    return (dataset_of(DataSource(data="digits")),)


def export(options: DataSource, runs: int, seed: int, folder: Path) -> Path:
    """Write the splits into a new or empty folder, and return it."""
    datasets = load_datasets(options)
    _make_empty(folder)
    written(folder, dict(_questions(with_synthetic(datasets, runs), seed)))
    reading = {name: getattr(options, name) for name in FileSource.model_fields}
    settings = {**reading, "runs": runs, "seed": seed}
    digests = {dataset.name: dataset.sha256 for dataset in datasets}
    (folder / SETTINGS).write_bytes(json.dumps({**settings, "sha256": digests}).encode())
    classes = [str(label) for label in datasets[0].classes.tolist()]
    shares = [f"{1 / len(classes):.4g}"] * len(classes)
    example = [",".join([LABEL, *classes]), ",".join([classes[0], *shares])]
    (folder / f"example.{ANSWER}").write_bytes("\n".join([*example, "…", ""]).encode())
    readme: str = toml_beside(__file__, "texts.toml")["export"]
    (folder / "README.txt").write_bytes(readme.format(folder=folder).encode())
    return folder


def _make_empty(folder: Path) -> None:
    """Create a directory; raise if it is not empty or cannot be written."""
    remedy = "Give another directory."
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = not any(folder.iterdir())
    except OSError as error:
        what = f"{folder} cannot be written ({error.strerror})"
        raise OptionError("--out", what, remedy) from error
    if not is_empty:
        raise OptionError("--out", f"{folder} is not empty", remedy)


def _questions(
    every: Sequence[tuple[Dataset, int]], seed: int
) -> Iterator[tuple[str, Question]]:
    for dataset, runs in every:
        for run, cut in enumerate(cuts_of(dataset, runs, seed)):
            X, y, rows = dataset.X, dataset.y, [*cut.test, *cut.train]
            name = f"{folder_name(dataset.name)}-{run:03}"
            yield name, (X[cut.train], y[cut.train], X[rows])


def exported(options: CheckOptions) -> tuple[CheckOptions, dict[str, str]]:
    """Return options with the data, runs and seed of an export, and the data's digests."""
    files = options.files if isinstance(options.files, list | tuple) else [options.files]
    names = list(filter(is_elsewhere, files))
    exports = [_settings(Path(n.removeprefix(PREDICTIONS)) / SETTINGS) for n in names]
    if not exports:
        return options, {}
    if any(settings != exports[0] for settings in exports):
        what, remedy = "were exported with different settings", "Check each separately."
        raise OptionError("FILE", f"{' and '.join(names)} {what}", remedy)
    digests: dict[str, str] = exports[0].pop("sha256")
    return CheckOptions(**{**dict(options), **exports[0]}), digests


def _settings(path: Path) -> dict[str, Any]:
    remedy = "Write the splits again: gnbbench export"
    if not path.parent.is_dir():
        manifest(path.parent)  # Says that there is none
    text = text_of(path, ConfigurationError, remedy)
    try:
        usual = {name: field.default for name, field in FileSource.model_fields.items()}
        settings: dict[str, Any] = usual | json.loads(text)
        if settings.keys() == {*SETTING_NAMES, "sha256"} and {**settings["sha256"]}:
            return settings
    except (ValueError, AttributeError, TypeError):
        pass
    raise ConfigurationError(str(path), "is not what gnbbench export wrote", remedy)


def reduced(datasets: Sequence[Dataset], limits: Limits) -> list[Dataset]:
    """Return the datasets that have enough features and classes, without further ones.

    Synthetic data with too few features get others, which say nothing of the class.
    """
    n_features, n_classes = limits
    kept = []
    for dataset in datasets:
        is_synthetic = dataset.name.startswith(SYNTHETIC)
        if len(dataset.classes) < n_classes or (n_features and dataset.name == _OF_MANY):
            continue
        if is_synthetic or dataset.X.shape[1] >= n_features:
            kept.append(_with_features(_of_classes(dataset, n_classes), n_features))
    return kept


def _of_classes(dataset: Dataset, n_classes: int) -> Dataset:
    """Return the samples of some classes, spread over all; by default of all."""
    n = len(dataset.classes)
    if n_classes in {0, n}:
        return dataset
    places = np.arange(n_classes) * n // n_classes
    is_kept = np.isin(dataset.codes, places)
    names = tuple(dataset.class_names[place] for place in places)
    return replace(dataset, X=dataset.X[is_kept], y=dataset.y[is_kept], class_names=names)


def _with_features(dataset: Dataset, n_features: int) -> Dataset:
    """Return the first features; those that lack are others with their rows turned."""
    X, n = dataset.X, n_features or dataset.X.shape[1]
    lacking = max(0, n - X.shape[1])
    others = np.roll(X, len(X) // 2, axis=0)[:, np.arange(lacking) % X.shape[1]]
    X = np.ascontiguousarray(np.hstack([X[:, :n], others]))
    names = (*dataset.feature_names[:n], *(f"other{i}" for i in range(lacking)))
    return replace(dataset, X=X, feature_names=names)


def _sizes(limits: Limits) -> str:
    """Return limits in words."""
    nouns = (("feature", ""), ("class", "classes"))
    pairs = zip(limits, nouns, strict=True)
    return listing([plural(n, *noun) for n, noun in pairs if n])


def none_fits(limits: Limits) -> str:
    """Return that no dataset has what code works with."""
    return f"it works with {_sizes(limits)} alone, which no dataset has. Give one: --data"


def within(
    limits: Limits, datasets: Sequence[Dataset]
) -> tuple[tuple[Dataset, ...], list[str]]:
    """Return datasets reduced to what code works with, and what is not judged so."""
    if not any(limits):
        return tuple(datasets), []
    kept = reduced(datasets, limits)
    names = {dataset.name for dataset in kept}
    text = f"data with other than {_sizes(limits)}; larger datasets were cut to that"
    without = [dataset.name for dataset in datasets if dataset.name not in names]
    verb = "was" if len(without) == 1 else "were"
    text += f", and {listing(without)} {verb} left out" if without else ""
    return tuple(kept), [text]
