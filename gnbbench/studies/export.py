"""Splits exported to files, for predictions made elsewhere."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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

TEST_SIZE = 0.3
SYNTHETIC_RUNS = 5  # Of each synthetic dataset
SETTINGS = "export.json"
SETTING_NAMES = ("runs", "seed", *FileSource.model_fields)


def with_synthetic(
    datasets: Sequence[Dataset], runs: int
) -> tuple[tuple[Dataset, int], ...]:
    """Return the datasets and the synthetic ones, each with its number of runs."""
    samples = {SYNTHETIC + HAVING[name]: data for name, data in hard_datasets().items()}
    synthetic = [from_arrays(X, y, name) for name, (X, y) in samples.items()]
    return (*((d, runs) for d in datasets), *((d, SYNTHETIC_RUNS) for d in synthetic))


def cuts_of(dataset: Dataset, runs: int, seed: int) -> list[Split]:
    """Return the splits of a check: those of a comparison with the same seed."""
    rule = SplitRule(seed, test_size=TEST_SIZE, has_option=False)
    return rule.cuts(sample_of(dataset), range(runs))


def load_datasets(options: DataSource | CheckOptions) -> tuple[Dataset, ...]:
    """Load the named datasets, each once."""
    return tuple(map(dataset_of, dict.fromkeys(sources_of(options))))


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
