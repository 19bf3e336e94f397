"""What cannot be used: exit code 2, one line with the remedy, and nothing is written."""

import shlex
from pathlib import Path

import pytest
from reading.commands import assert_refused, call

# Commands that need a dataset, typed without it.
STUDIES = ("sweep-split", "explain --against numpy", "assumptions")
COMPARISONS = ("compare iris", "sweep-split iris")

OF_ANY_STUDY = (
    ("irsi", "Unknown dataset 'irsi'. Did you mean 'iris'?"),
    ("iris --runs 0", "--runs: 0 is out of range"),
    ("iris --runs many", "--runs: 'many' is not a whole number. Give a whole number from"),
    ("iris --seed -1", "--seed: -1 is out of range"),
    ("iris --unknown", "there is no such option"),
    ("iris --see 3", "--see: there is no such option. Did you mean '--seed'?"),
    ("iris --seed", "Option '--seed' requires an argument. See: gnbbench "),
    ("iris --target x", "--target"),
    ("iris --one-hot", "--one-hot: it does not apply to the dataset 'iris'"),
    ("uci:iris", "identified by number"),
    ("'openml:a b'", "cannot be the name of an OpenML dataset"),
    ("missing.csv --target y", "missing.csv"),
    (". --target y", "directory"),
    ("data.csv", "--target"),
    ("data.csv --target G4", "Did you mean 'G3'?"),
    ("data.csv --target G4>=10", "Did you mean 'G3'?"),
    ("data.csv --target G3=10", "has '='. Write ==."),
    ("data.csv --target G3>=10", "--one-hot; or leave out: --drop sex"),
    # The data serve: what is refused is the seed, which is looked at after them.
    ("data.csv --target G3>=10 --one-hot --seed -1", "--seed"),
)
OF_COMPARISONS = (
    ("--margin 0", "--margin: 0 is out of range"),
    ("--jobs 0", "--jobs: 0 is out of range"),
    ("--jobs 1001", "--jobs: 1001 is out of range. Give a whole number from 1 to 1000"),
    ("--budget soon", "--budget: 'soon' is not a time."),
    ("--budget 0s", "--budget: '0s' is not a time."),
    ("--against nunpy", "Did you mean 'numpy'?"),
    ("--reference sklaern", "Did you mean 'sklearn'?"),
    ("--against sklearn", "'sklearn' is named twice"),
    ("--fail-if-slower-than 0", "--fail-if-slower-than: 0 is out of range."),
    ("--fail-if-slower-than -1", "--fail-if-slower-than: -1 is out of range."),
    ("--fail-if-slower-than nan", "--fail-if-slower-than: nan is out of range."),
    ("--fail-if-slower-than inf", "--fail-if-slower-than: inf is out of range."),
    ("--fail-if-slower-than fast", "--fail-if-slower-than: 'fast' is not a number"),
    ("--timeout -1", "--timeout: -1 is out of range."),
    ("--timeout nan", "--timeout: nan is out of range."),
    ("--timeout inf", "--timeout: inf is out of range."),
)
REFUSED = (
    ("compare iris --test-size 1.5", "--test-size: 1.5 is out of range"),
    ("compare iris --test-size 0.001", "--test-size"),
    ("compare iris --test-size 0", "--test-size: 0 is out of range"),
    ("compare iris --test-size nan", "--test-size: nan is out of range"),
    ("compare iris --margin 1", "--margin: 1 is out of range"),
    ("conformance numpy --timeout nan", "--timeout: nan is out of range"),
    ("compare iris --seed 4294967295", "--seed"),
    ("compare iris --features a,b", "there is no feature 'a'"),
    (
        "compare iris --no-header",
        "--no-header: it does not apply to the dataset 'iris'. Leave",
    ),
    ("compare iris --block-rows 9", "--block-rows: only --stream reads in blocks. Add"),
    (
        "compare iris --stream",
        "--stream: it reads files, and iris is the name of a dataset",
    ),
    ("compare iris --keep k", "--keep: none of the implementations is a program"),
    ("compare iris --features 'petal width (cm)'", "does not name two features"),
    ("compare gaussians?m=9", "it has no parameter 'm'. It has n, d, k, seed, offset."),
    ("compare data.csv --target G3 --drop c", "it has no column 'c'"),
    ("compare data.csv --target G3 --missing guess", "--missing"),
    ("compare iris irsi", "Did you mean 'iris'?"),
    ("compare iris iris", "'iris' is given twice"),
    ("compare iris?n=9 wine", "iris: it has no parameter 'n'. Write iris alone."),
    ("compare gaussians?offsett=1 wine", "Did you mean 'offset'?"),
    ("compare gaussians?n", "gaussians: 'n' is not key=value."),
    ("compare iris wine --against nunpy", "Did you mean 'numpy'?"),
    ("compare iris --processes 0", "--processes: 0 is out of range"),
    ("compare iris --processes 1001", "--processes: 1001 is out of range"),
    ("compare iris --out ''", "--out: it is empty"),
    ("compare ''", "an argument: it is empty"),
    (f"compare iris --out {'a' * 300}", "it cannot be written (File name too long)."),
    (f"compare iris wine --out {'a' * 300}", "it cannot be written (File name too long)."),
    ("compare iris --against numpy?var_smoothing=-1", "must be a float in the range [0.0,"),
    ("compare iris --against numpy?solver=fast", "'auto', 'blocked', 'exact'). Got 'fast'"),
    ("compare c\udcff.csv", r"c\udcff.csv: it is not UTF-8. Rename it"),
    ("compare iris --out c\udcff", r"c\udcff: it is not UTF-8. Rename it"),
    ("compare iris --against c\udcff.py:M", r"c\udcff.py:M: it is not UTF-8. Rename it"),
    ("compare iris --export-markdown .", "--export-markdown: . is not a file in"),
    ("compare iris --export-markdown no/x.md", "no/x.md is not a file in an existing"),
    ("compare iris --against numpy:solver=exact", "'numpy?solver=exact'"),
    ("compare http://a.invalid/b.csv", "web addresses are not read. Download the file"),
    ("compar iris", "compar: there is no such command. Did you mean 'compare'?"),
    ("--see iris", "--see: there is no such option. See: gnbbench --help"),
    ("compare", "compare: Missing argument"),
    ("compare iris --threads 0", "--threads: 0 is less than 1"),
    ("compare iris --format xlsx", "Give csv or parquet."),
    ("compare iris --precision 2", "--precision: '2' is not a share."),
    ("compare iris --precision fine", "--precision: 'fine' is not a share."),
    ("sweep-split iris --train-fractions 0.5,0.4", "ascending order"),
    ("sweep-split iris --train-fractions 0.1:0.9:1e-9", "more than 1,000 fractions"),
    (f"compare iris --against {'a' * 5000}", "Unknown implementation 'aaa"),
    (f"compare iris --runs {'9' * 20}", "--runs: 99999999999999999999 is out of range"),
    ("sweep-split iris --train-fractions 0.2,0.2", "ascending order"),
    ("sweep-split iris --train-fractions 0.5,1", "--train-fractions: 1"),
    (
        "sweep-split iris --train-fractions 0.9:0.1:0.1",
        "contains no fractions (the first is above the last)",
    ),
    ("sweep-split iris --train-fractions 0:1:0.5", "--train-fractions: 0.0 is out of"),
    ("sweep-split iris --train-fractions 0.001", "there is no split at any of them"),
    ("assumptions", "Missing argument"),
    ("assumptions iris --correlation kendall", "Give pearson or spearman."),
    ("assumptions iris --test-size 1.5", "--test-size: 1.5 is out of range"),
    (
        "explain iris",
        "gnbbench: --against: not given. Name an implementation, such as --against "
        "my_gnb.py:MyGNB",
    ),
    ("explain --against numpy", "Missing argument"),
    ("explain iris --against numpi", "Did you mean 'numpy'"),
    ("explain iris --against numpy --against numpy", "named twice"),
    ("explain iris --against missing.py:GNB", "missing.py"),
    ("explain iris --against numpy --reference numpi", "Did you mean 'numpy'"),
    ("explain iris --against numpy --test-size 0.001", "--test-size"),
    ("explain iris --against numpy --timeout -1", "--timeout"),
    ("explain iris --against numpy --out mine.py", "mine.py: it cannot be written"),
    ("explain iris --against numpy --fail-if-disagreement", "there is no such option"),
    ("explain X.npy --against numpy", "gnbbench compare X.npy --stream --target y.npy"),
    ("scale --samples abc", "--samples: 'abc' cannot be read"),
    ("scale --classes 1:4", "--classes: 1 is less than 2"),
    ("scale --samples 8:100 --classes 5", "8 samples are too few for 5 classes"),
    ("scale --samples 9 --features 9 --classes 2", "every size is fixed"),
    ("scale --samples 1e3:1e15", "GB are free. Give smaller sizes."),
    ("scale --samples 1e12", "gnbbench: --samples: 1,000,000,000,000 × 4 values"),
    ("scale --samples 1e999", "a size above 10^15 fits no machine"),
    ("scale --against nunpy", "Did you mean 'numpy'?"),
    ("scale --reference absent", "Unknown implementation 'absent'"),
    ("scale --budget 0", "--budget: '0' is not a time"),
    ("scale --processes 0", "--processes: 0 is out of range"),
    ("scale --threads 0", "--threads: 0 is less than 1"),
    ("scale --seed -1", "--seed: -1 is out of range"),
    ("scale --timeout -1", "--timeout"),
    ("list models", "there is no list of 'models'. Give datasets, implementations or"),
    ("list datasets --json", "there is no JSON of datasets. Leave it out."),
    ("run", "Missing argument"),
    ("run missing.toml", "missing.toml: it cannot be read"),
    ("run .", "cannot be read"),
    ("run a.toml --jobs 0", "--jobs: 0 is out of range"),
    ("report absent", "absent: there is no such directory"),
    ("report .", ".: there is no runs.sqlite in it"),
    ("diff absent a.toml", "absent: there is no such directory"),
    ("check --predictions absent", "absent: is not a directory. Write the splits first"),
    ("check --fix --no-patch m.py", "--fix: it cannot be combined with --no-patch"),
    ("compare iris --verbose", "--verbose: there is no such option. See: gnbbench compare"),
    ("sweep-split iris wine", "sweep-split: too many arguments (wine). See: gnbbench"),
    ("export iris --target y", "does not apply to the dataset 'iris'. Leave it out."),
    ("diff a.toml a.toml --tolerance -1", "--tolerance: -1 is out of range"),
    ("diff a.toml a.toml --tolerance nan", "--tolerance: nan is out of range"),
)
CASES = (
    *((f"compare {data}", words) for data, words in OF_ANY_STUDY),
    *((f"{study} {data}", words) for study in STUDIES for data, words in OF_ANY_STUDY[::4]),
    *(
        (f"{study} {rest}", words)
        for study in COMPARISONS
        for rest, words in OF_COMPARISONS
    ),
    *REFUSED,
)


@pytest.mark.parametrize(("line", "words"), CASES, ids=lambda value: str(value)[:60])
def test_unusable_input_is_a_one_line_error(line: str, words: str, directory: Path) -> None:
    assert_refused(shlex.split(line), words, directory)


# Content of a configuration file -> message.
MISTAKES = (
    ("rnus = 3", "a.toml, line 5: unknown key 'rnus' in [options]. Did you mean"),
    ("runs = 0", "--runs: 0 is out of range"),
    ("precision = '1%'", "a.toml, line 5: 'precision' is text."),
    ("precision = 1", "--precision: 100 % is out of range"),
    ("runs = ", "a.toml: it is not valid TOML"),
    ('against = ["nunpy"]', "Did you mean 'numpy'?"),
    ("against = []", "against"),
)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        *(("runs = 3", new, words) for new, words in MISTAKES),
        ('name = "iris"', 'path = "iris.csv"', "iris.csv"),
        ('name = "iris"', 'name = "iris"\ntarget = "x"', "--target"),
    ],
)
def test_a_mistake_in_a_file_is_one_line(
    old: str, new: str, words: str, directory: Path
) -> None:
    file = directory / "a.toml"
    file.write_text(file.read_text().replace(old, new))

    assert_refused(["run", "a.toml"], words, directory)


@pytest.mark.parametrize(
    "content",
    [b"not a database at all, but text" * 40, b"SQLite format 3\x00" + b"\x07" * 500],
)
def test_a_foreign_or_damaged_store_is_kept(content: bytes, directory: Path) -> None:
    (directory / "here").mkdir()
    (directory / "here" / "runs.sqlite").write_bytes(content)

    assert_refused(["compare", "iris", "--out", "here"], "runs.sqlite", directory)


@pytest.mark.parametrize("study", COMPARISONS)
def test_a_cluster_that_is_open_and_does_not_answer_is_one_line_each(
    study: str, directory: Path
) -> None:
    before = set(directory.rglob("*"))

    code, out, err = call(*study.split(), "--dask", "nonsense://x")

    assert (code, out) == (2, "")
    text, refused = err.splitlines()
    assert text.startswith("gnbbench: --dask: nonsense://x is not encrypted: whoever")
    assert refused.startswith("gnbbench: --dask: no scheduler answers")
    assert set(directory.rglob("*")) == before
