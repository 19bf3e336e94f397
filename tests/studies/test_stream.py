"""A streamed study in Python: tables, files, resuming, and what is refused."""

import json
import os
import random
import re
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from faults.commands import Started, start
from faults.listeners import Listener
from faults.streams import ArrayFragment, rows_of, stream_of_arrays
from faults.studies import stream_prepared
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

import gnbbench
from gnbbench import Study
from gnbbench.data.stream import Stream
from gnbbench.errors import DatasetError, ImplementationError, ResultsError
from gnbbench.studies import stream as interface
from gnbbench.studies.directory import stored
from gnbbench.studies.store import FILE_NAME, Store
from gnbbench.studies.stored import draw_again
from gnbbench.studies.stream import CHECKPOINT

X, y = load_breast_cancer(return_X_y=True)


def made(**changes: Any) -> Stream:
    """Return a stream over two thousand rows."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, len(X), 2000)
    samples = X[rows] * rng.normal(1.0, 1e-3, size=(2000, X.shape[1]))
    options = {"block_rows": 200, **changes}
    stream: Stream = stream_of_arrays(samples, y[rows], **options)
    return stream


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a results directory with a study in it."""
    out = tmp_path_factory.mktemp("stream")
    gnbbench.compare(made(), stream=True, out=out)
    return out


@pytest.mark.slow
def test_a_study_has_one_run_its_passes_and_what_models_learned(directory: Path) -> None:
    study = draw_again(directory).details

    assert (study.study, study.n_runs, study.n_train + study.n_test) == ("stream", 1, 2000)
    assert study.passes["stage"].tolist() == ["training"] * 5 + ["scoring"] * 7
    assert set(study.passes["implementation"]) == {"", "sklearn", "numpy"}
    learned = ["theta_", "var_", "epsilon_", "class_prior_"]
    assert study.parameters["parameter"].tolist() == learned
    assert np.isnan(study.runs["train_accuracy"]).all()
    assert study.runs["test_accuracy"].between(0.85, 1.0).all()
    remarks = " ".join(study.warnings)
    assert "partial_fit of sklearn subtracts the epsilon_ of each new batch" in remarks
    assert "there is no train accuracy" in remarks
    assert "With one run, scores have no intervals" in remarks


def test_page_and_document_say_what_a_pass_took(directory: Path) -> None:
    page = (directory / "index.html").read_text(encoding="utf-8")
    document = json.loads((directory / "summary.json").read_text(encoding="utf-8"))

    words = ("What a pass took", "What the models learned", "splitmix64")
    for text in (*words, "not counted"):
        assert text in page
    assert len(document["streamed"]["passes"]) == 12
    picture = draw_again(directory).figures["accuracy"]
    texts = [text.get_text() for text in picture.axes[0].texts]
    assert texts == ["sklearn and numpy: not measured"]
    assert document["dataset"]["n_duplicates"] is None


@pytest.fixture
def no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep only records, since figures take seconds."""
    monkeypatch.setattr(Study, "save", lambda *_: None)


@dataclass(frozen=True)
class UnreadableFragment(ArrayFragment):  # type: ignore[misc]  # its types are checked there
    """A part that nobody may read."""

    def batches(self) -> Iterator[Any]:
        raise AssertionError("it was read")


def unreadable(stream: Stream) -> Stream:
    """Return the stream with parts that nobody may read."""
    parts = [UnreadableFragment(**vars(part)) for part in stream.fragments]
    return replace(stream, fragments=tuple(parts))


@pytest.mark.usefixtures("no_report")
def test_a_finished_study_is_shown_again_without_reading(directory: Path) -> None:
    again = gnbbench.compare(unreadable(made()), stream=True, out=directory)

    pd.testing.assert_frame_equal(again.runs, draw_again(directory).details.runs)
    with pytest.raises(AssertionError, match="it was read"):
        gnbbench.compare(unreadable(made()), stream=True)


@pytest.mark.slow
@pytest.mark.usefixtures("no_report")
@pytest.mark.parametrize("stage", ["training pass", "scoring pass"])
def test_an_interrupted_study_resumes_by_the_same_call(
    stage: str, tmp_path: Path, directory: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        gnbbench.compare(made(), stream=True, out=tmp_path, progress=Listener(stage))
    with pytest.raises(ResultsError, match=r"not finished \(0 of 1 runs\)"):
        draw_again(tmp_path)
    listener = Listener()

    study: Study = gnbbench.compare(made(), stream=True, out=tmp_path, progress=listener)

    pd.testing.assert_frame_equal(study.details.runs, draw_again(directory).details.runs)
    stages = [texts[0] for texts in listener.told if isinstance(texts, tuple)]
    assert ("training pass" in stages) is (stage == "training pass")
    texts = "The study continued after 1 interruption."
    assert (texts in study.details.warnings) is (stage == "scoring pass")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Give a file of two thousand rows."""
    stream = made()
    rows, codes = rows_of(stream)
    frame = pd.DataFrame(rows).assign(y=codes)
    frame.to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


STREAMED = ("compare", "table.csv", "--target", "y", "--stream", "--block-rows", "200")


def commanded(here: Path, out: str, **fate: Any) -> Started:
    """Start the study of the table, saved after every batch."""
    return start(here, *STREAMED, "--quiet", "--out", out, save_seconds=0.0, **fate)


def results(directory: Path) -> list[Any]:
    """Return all records except times."""
    with stored(directory) as store:
        records = store.records()
    note = dict(records.stream or {})
    tables = (records.runs, records.pairs, records.confusion, records.reliability)
    return [*(frame.to_csv() for frame in tables), note["parameters"], records.dataset]


@pytest.mark.slow
def test_a_stream_killed_at_any_moment_resumes_to_the_same_bits(table: Path) -> None:
    """In the middle of saving, and by signals whenever they come."""
    here = table.parent
    assert commanded(here, "whole").end()[0] == 0
    for place in (1, 9):
        assert commanded(here, "killed", death=("checkpoint", 0, place)).end()[0] < 0
    moments = random.Random(2)  # noqa: S311  reproducible moments, no secret
    for sent in (signal.SIGKILL, signal.SIGTERM):
        study = commanded(here, "killed")
        time.sleep(moments.uniform(0.3, 1.5))
        with suppress(ProcessLookupError):
            os.kill(study.pid, sent)
        code, err = study.end()
        assert code in {0, 130, -sent}
        assert re.fullmatch(r"|gnbbench: interrupted; .+ continues\.\n", err), err

    code, err = commanded(here, "killed").end()

    assert (code, err) == (0, "")
    assert results(here / "killed") == results(here / "whole")


def interrupted(table: Path) -> None:
    """Leave a study of the table that was killed in the second half of its reading."""
    place = ("checkpoint", 0, 15)
    assert commanded(table.parent, "here", death=place).end()[0] < 0


def damage(table: Path) -> None:
    with Store(table.parent / "here" / FILE_NAME) as store:
        saved = store.note(CHECKPOINT)
        store.add({}, {CHECKPOINT: {**saved, "state": saved["state"][:-400]}})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (lambda table: os.utime(table, (0, 0)), "it changed since the study was interrupt"),
        (damage, "the saved state of its stream is damaged. Use --overwrite or another"),
    ],
    ids=["another file", "damaged"],
)
def test_checkpoints_of_other_data_or_damaged_ones_are_refused(
    table: Path, fault: Any, words: str
) -> None:
    interrupted(table)
    fault(table)

    code, err = commanded(table.parent, "here").end()

    assert (code, len(err.splitlines())) == (2, 1)
    assert words in err


def fit_predict(_X_train: Any, y_train: Any, X_test: Any) -> Any:
    """Give the labels of training samples."""
    return y_train[: len(X_test)]


@pytest.mark.parametrize("against", [LogisticRegression, fit_predict])
def test_models_that_cannot_learn_in_blocks_are_refused_before_reading(
    against: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(*_: Any, **__: Any) -> None:
        raise AssertionError("it was opened")

    monkeypatch.setattr(interface, "open_stream", opened)

    with pytest.raises(ImplementationError, match="has no partial_fit"):
        gnbbench.compare("big.parquet", target="y", stream=True, against=against)


def test_a_side_without_rows_is_refused_before_anything_is_learned() -> None:
    stream = stream_of_arrays(X[:3], np.array([0, 1, 1]))

    with pytest.raises(DatasetError, match="none of its 3 rows is on one side"):
        stream_prepared(unreadable(stream), test_size=1e-9)


@pytest.mark.slow
def test_isolated_third_party_code_is_not_compared_by_time() -> None:
    study = gnbbench.compare(
        made(),
        stream=True,
        against=["sklearn.naive_bayes:GaussianNB"],
        reference="numpy",
        timeout_seconds=60.0,
    )

    assert (study.details.runs["status"] == "ok").all()
    assert set(study.details.timing["implementation"]) == {"numpy"}
    assert any("a separate process" in remark for remark in study.details.warnings)
    assert "GaussianNB" in set(study.details.passes["implementation"])
