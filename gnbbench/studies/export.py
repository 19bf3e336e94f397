"""Splits written to files for predictions that are made elsewhere, and read back."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gnbbench.data.catalogue import find
from gnbbench.data.dataset import Dataset, from_arrays
from gnbbench.data.loading import load
from gnbbench.diagnosis.visibility import HAVING, hard_datasets
from gnbbench.errors import ConfigurationError, OptionError
from gnbbench.files import text_of
from gnbbench.implementations.answers import ANSWER, Question, written
from gnbbench.implementations.commands import PREDICTIONS, is_elsewhere
from gnbbench.implementations.programs import LABEL
from gnbbench.splits import Split, SplitRule, sample_of
from gnbbench.statistics.check import MADE
from gnbbench.studies.options import CheckOptions
from gnbbench.studies.plan import folder_name

TEST_SIZE = 0.3
MADE_RUNS = 5  # Of each made dataset
SETTINGS = "export.json"
SETTING_NAMES = ("data", "target", "runs", "seed")
README = """\
Splits for predictions made elsewhere. Do not change the tables.

manifest.csv lists a table to train on, a table to label and an answer to write for each.
A table to train on has a header, one column per feature and, last, the column label.
A table to label has the test samples first, then the training samples, without labels.
Each split is a task of its own: train on its first table, then label its second.
An answer is one label per line, in the order of the rows to label; or, as in
example.answer.csv, a CSV with the column label and one per class, for probabilities.
Write every answer beside its tables, under the name that manifest.csv gives it. Then:
gnbbench check --predictions {folder}
"""


def with_made(datasets: Sequence[Dataset], runs: int) -> tuple[tuple[Dataset, int], ...]:
    """Return datasets with their runs; made ones show what the others do not."""
    hard = {MADE + HAVING[name]: data for name, data in hard_datasets().items()}
    made = [from_arrays(X, y, name) for name, (X, y) in hard.items()]
    return (*((data, runs) for data in datasets), *((data, MADE_RUNS) for data in made))


def cuts_of(dataset: Dataset, runs: int, seed: int) -> list[Split]:
    """Return the splits of a check: those of a comparison with the same seed."""
    return SplitRule(seed, test_size=TEST_SIZE).cuts(sample_of(dataset), range(runs))


def loaded(
    data: Sequence[str], target: str | None, *, offline: bool
) -> tuple[Dataset, ...]:
    """Return the datasets asked for; a target is a column of files alone."""
    names = dict.fromkeys(data)
    targets = {name: None if find(name) else target for name in names}
    return tuple(load(name, offline=offline, target=targets[name]) for name in names)


def export(
    data: Sequence[str],
    *,
    target: str | None = None,
    runs: int = 20,
    seed: int = 42,
    offline: bool = False,
    out: Path,
) -> Path:
    """Return the folder into which the splits were written, which has to be empty."""
    folder, datasets = out, loaded(data, target, offline=offline)
    _make_empty(folder)
    written(folder, dict(_questions(with_made(datasets, runs), seed)))
    settings = {"data": data, "target": target, "runs": runs, "seed": seed}
    digests = {dataset.name: dataset.sha256 for dataset in datasets}
    (folder / SETTINGS).write_text(json.dumps({**settings, "sha256": digests}))
    classes = [str(label) for label in datasets[0].classes.tolist()]
    shares = [f"{1 / len(classes):.4g}"] * len(classes)
    example = [",".join([LABEL, *classes]), ",".join([classes[0], *shares])]
    (folder / f"example.{ANSWER}").write_text("\n".join([*example, "…", ""]))
    (folder / "README.txt").write_text(README.format(folder=folder))
    return folder


def _make_empty(folder: Path) -> None:
    """Make a directory, or raise where it is not empty or cannot be written."""
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
    """Return options with the data, runs and seed of the answers; digests of these data."""
    files = options.files if isinstance(options.files, list | tuple) else [options.files]
    names = list(filter(is_elsewhere, files))
    every = [_settings(Path(n.removeprefix(PREDICTIONS)) / SETTINGS) for n in names]
    if not every:
        return options, {}
    if any(settings != every[0] for settings in every):
        what, remedy = "were exported with different settings", "Check each by itself."
        raise OptionError("FILE", f"{' and '.join(names)} {what}", remedy)
    digests: dict[str, str] = every[0].pop("sha256")
    return options.model_copy(update={**every[0], "data": tuple(every[0]["data"])}), digests


def _settings(path: Path) -> dict[str, Any]:
    remedy = "Write the splits again: gnbbench export"
    text = text_of(path, ConfigurationError, remedy)
    try:
        settings: dict[str, Any] = json.loads(text)
        if settings.keys() == {*SETTING_NAMES, "sha256"}:
            return settings
    except (ValueError, AttributeError):
        pass
    raise ConfigurationError(str(path), "is not what gnbbench export wrote", remedy)
