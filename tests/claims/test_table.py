"""Tables of claims: where they are, what they say, and what is wrong in them."""

import re
from collections import Counter
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from gnbbench.claims import table as directory
from gnbbench.claims.claim import Claim
from gnbbench.claims.measurements import examine
from gnbbench.claims.protocols import METRICS
from gnbbench.claims.table import (
    CLAIM,
    HAS,
    PROTOCOL,
    claims_of,
    read_claims,
    usual_directory,
)
from gnbbench.errors import ConfigurationError
from gnbbench.records import RUN_METRICS

TABLE = """[source]
key = "S"
title = "A study"
where = "table 1"

[protocol.one]
kind = "split"
dataset = "iris"
test_size = 0.3
random_state = 42
stratify = true

[[claim]]
id = "s-accuracy"
protocol = "one"
metric = "test_accuracy"
published = "0.9111"
implementation = "sklearn"
expected = "reproduced"
"""


@pytest.fixture(scope="module")
def known() -> tuple[Claim, ...]:
    return read_claims(usual_directory())


def test_every_source_has_its_figures(known: tuple[Claim, ...]) -> None:
    counts = Counter(claim.source.key for claim in known)

    studies = {"A": 26, "B": 5, "C": 1, "D": 1, "E": 10}
    guides = {"guide": 1, "guide-0.19": 1, "guide-voting": 1, "docstring": 1, "tests": 6}
    others = {"handbook": 3, "NIST": 21, "Wikipedia": 8, "ISLP": 5, "e1071": 3, "matlab": 1}
    assert counts == {**studies, **guides, **others}


def test_an_id_names_one_claim_and_no_source_and_a_protocol_gives_its_metric(
    known: tuple[Claim, ...],
) -> None:
    ids = {claim.id for claim in known}

    assert len(ids) == len(known)
    assert ids & {claim.source.key.lower() for claim in known} == set()
    for claim in known:
        assert claim.protocol.kind in METRICS[claim.metric].kinds


def test_a_table_is_read_and_a_list_leaves_open_what_it_lists() -> None:
    text = TABLE.replace("stratify = true", "stratify = [true, false]")

    (claim,) = claims_of(text, Path("s.toml"))

    assert claim.id == "s-accuracy"
    assert claim.source.citation == "A study (year unknown), table 1"
    assert claim.protocol.readings[0].random_state == 42
    assert claim.protocol.is_stated
    words = [reading.words for reading in claim.protocol.readings]
    assert words == ["stratified", "not stratified"]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('where = "table 1"', 'were = "table 1"', 4, "Did you mean 'where'"),
        ('where = "table 1"\n', "", 1, "'where' is missing"),
        ('key = "S"', 'key = "a study"', 2, "'key' has a wrong value"),
        ('kind = "split"', 'kind = "splitt"', 7, "'kind' has a wrong value"),
        ('dataset = "iris"\n', "", 6, "lacks 'dataset'"),
        ("test_size = 0.3", "test_size = 1.3", 9, "a share between 0 and 1"),
        ("random_state = 42", f"random_state = {2**32}", 10, "from 0 to 4294967295"),
        ("test_size = 0.3\n", "", 6, "'test_size' or else 'train_fractions'"),
        ("stratify = true", "stratify = true\nfolds = 10", 12, "'folds' does not apply to"),
        ("stratify = true", "stratified = true", 11, "Did you mean 'stratify'"),
        (
            "stratify = true",
            "subject = 'mat'\nstratify = true",
            11,
            "'subject' does not apply to a protocol",
        ),
        ("stratify = true", "stratify = [true]", 11, "'stratify' has a wrong value"),
        ('id = "s-accuracy"', 'id = "S accuracy"', 14, "'id' has a wrong value"),
        ('protocol = "one"', 'protocol = "once"', 15, "Did you mean 'one'"),
        ("test_accuracy", "test_acuracy", 16, "Did you mean 'test_accuracy'"),
        ("test_accuracy", "fit_seconds", 16, "of kind 'split'"),
        ('"0.9111"', '"0,9111"', 17, "not a published value"),
        ('"0.9111"', "0.9111", 17, "text in quotes"),
        ('"0.9111"', '"[0.9 x]"', 17, "not a published table of numbers"),
        ("test_accuracy", "probability", 16, "Give samples or test_rows."),
        ('"0.9111"', '"0.9111"\nsamples = [[1, 2]]', 16, "does not take samples"),
        ('"0.9111"', '"0.9111"\nsamples = [1, 2]', 18, "samples as lists of numbers"),
        ('dataset = "iris"', 'dataset = "mine.csv"', 6, "lacks 'target'"),
        ('"split"', '"rows"', 6, "lacks 'train'"),
        ("stratify = true", "stratify = true\nshuffle = true", 12, "'shuffle' does not"),
        ('"sklearn"', '"sklaern"', 18, "'sklaern'"),
        ('"sklearn"', '"mine.py:GNB"', 18, "not a known implementation"),
        ('"sklearn"', '"sklearn?smoothing=1"', 18, "sklearn?smoothing=1"),
        ('"reproduced"', '"true"', 19, "'expected' has a wrong value"),
        ('"reproduced"', '"reproduced"\ndigits = 0', 20, "'digits' has a wrong value"),
        ("[[claim]]", "[claim]", 13, "'claim' is a table. Give several"),
        ("[protocol.one]", "[protocol]\none = 1\n[protocol.two]", 7, "is not a table"),
        ("[source]", "[[source]]", 1, "'source' is a list. Give a table"),
        ("[source]", "[source", 0, "it is not valid TOML"),
    ],
)
def test_a_mistake_is_reported_with_its_line(
    old: str, new: str, line: int, words: str
) -> None:
    assert old in TABLE

    with pytest.raises(ConfigurationError) as caught:
        claims_of(TABLE.replace(old, new, 1), Path("s.toml"))

    message = " ".join(str(caught.value).split())
    assert message.startswith(f"s.toml, line {line}:" if line else "s.toml:")
    assert words in message


def test_an_id_in_two_tables_and_a_folder_without_any_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"it holds no \*\.toml"):
        read_claims(tmp_path)
    with pytest.raises(ConfigurationError, match="it is not a directory"):
        read_claims(tmp_path / "absent")
    (tmp_path / "a.toml").write_text(TABLE)
    (tmp_path / "b.toml").write_text(TABLE)

    with pytest.raises(ConfigurationError, match=r"b\.toml: the claim 's-accuracy' is in"):
        read_claims(tmp_path)


def test_tables_are_in_the_checkout_or_where_pip_has_put_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["gnbbench/errors.py", "share/gnbbench/claims/study-a.toml"]
    listed = [
        SimpleNamespace(
            as_posix=partial(str, name), locate=partial(tmp_path.joinpath, name)
        )
        for name in names
    ]
    monkeypatch.setattr(directory, "files", lambda _: listed)

    assert (usual_directory() / "study-a.toml").is_file()
    assert usual_directory(tmp_path / "elsewhere") == tmp_path / "share/gnbbench/claims"

    monkeypatch.setattr(directory, "files", lambda _: None)
    with pytest.raises(ConfigurationError, match="--claims DIR"):
        usual_directory(tmp_path)


def test_the_readme_has_a_table_that_serves_and_names_all_there_is(tmp_path: Path) -> None:
    text = (usual_directory() / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (tmp_path / "lecture.toml").write_text(block)

    (claim,) = read_claims(tmp_path)
    named = set(re.findall(r"`(\w+)", text))

    assert next(examine([claim])).verdict == claim.expected == "reproduced"
    assert {one for one in METRICS if not one.startswith("mean_")} <= named | {*RUN_METRICS}
    assert set(HAS) | {key.strip("?") for keys in HAS.values() for key in keys.split()} <= {
        *named,
        "test_size|train_fractions",
    }
    keys = {*PROTOCOL.model_fields, *CLAIM.model_fields}
    assert keys <= named | {"id", "kind", "metric"}
