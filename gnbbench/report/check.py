"""The report of a check: is each file right, and if not, why, and what to change?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from gnbbench.diagnosis.checked_files import DIFFERS, FAILED, SAME, TOO, FileFindings
from gnbbench.diagnosis.findings import (
    CONSTANT,
    CRASH,
    HARD_CASE,
    NAN,
    STATEFUL,
    UNDECIDED,
    UNSEEN_CLASS,
)
from gnbbench.report import blocks
from gnbbench.report.comparisons import part_of
from gnbbench.report.sections import method_section, study_document, worst_tone
from gnbbench.statistics.check import SYNTHETIC
from gnbbench.statistics.conformance import failures
from gnbbench.statistics.summary import Summary
from gnbbench.statistics.timing import RATIO, factor_text, speed_text
from gnbbench.words import DASH, count, listing, plural, printable

TONES = {SAME: "good", DIFFERS: "bad", FAILED: "bad"}
TIMED = ("fit", "predict")
MOST_FAMILIES = 6  # Of hard cases that are named
# Causes whose sentences count the rows of one dataset.
COUNTING = frozenset({CONSTANT, CRASH, NAN, STATEFUL, UNDECIDED, UNSEEN_CLASS})


def report(summary: Summary) -> blocks.Document:
    """Return the report on the files, for every renderer."""
    findings: Sequence[FileFindings] = summary.details["findings"]
    several, first = len(findings) > 1, findings[0]
    sections = [] if several else [*_parts(summary, first)]
    if several:
        table = (_files_table(summary), *_skipped(summary))
        of_files = (_file(summary, file, place) for place, file in enumerate(findings, 1))
        sections = [blocks.Section.of("All files", table, "files-checked"), *of_files]
    plan = {n: value for n, value in summary.plan.items() if value and n != "skipped"}
    return study_document(
        summary,
        subject=plural(len(findings), "file") if several else first.name,
        tone=worst_tone(TONES[file.status] for file in findings),
        setting=_setting(summary),
        tiles=() if several else _tiles(summary, first),
        terminal=(
            blocks.Text(_setting(summary), "muted"),
            blocks.Text(summary.headline, "strong", "" if several else TONES[first.status]),
            *(_files_in_short(summary) if several else _in_short(summary, first)),
            *_skipped(summary),
        ),
        sections=(*sections, method_section(summary, blocks.Prose("check"), plan=plan)),
    )


def _setting(summary: Summary) -> str:
    """Return what the files were compared with, and on which data."""
    plan = summary.plan
    version = summary.environment["versions"].get("scikit-learn", "")
    labels = summary.table("labels")
    # Code of limited data leaves some out, or gets another.
    synthetic = SYNTHETIC, "made: "  # As older studies name them
    own = labels[~labels["dataset"].str.startswith(synthetic)]
    compared = [*dict.fromkeys(own["dataset"])]
    names = [printable(name) for name in compared or plan["datasets"]]
    fewest = own["n_runs"].min()
    most = "up to " if fewest < plan["runs"] else ""  # Slow code gets fewer
    each = " of each" if len(names) > 1 else ""
    return (
        f"Against scikit-learn {version} on {listing(names)}, {most}"
        f"{plural(plan['runs'], 'random split')}{each}, and on synthetic data."
    )


def _of(table: pd.DataFrame, file: FileFindings) -> list[blocks.Row]:
    """Return the rows of one file."""
    return list(table[table["implementation"] == file.name].to_dict("records"))


def _applied(file: FileFindings, hint: str) -> str:
    """Return how to apply a patch, or that it was applied."""
    if not file.backup:
        return hint
    applied = f"it was applied, and the original is kept as {file.backup}."
    return applied if hint[0] == "-" else applied[:1].upper() + applied[1:]


def _in_short(summary: Summary, file: FileFindings) -> Iterator[blocks.Block]:
    """Yield what a terminal shows of a single file, in at most 25 lines."""
    if file.status == FAILED:
        yield from (blocks.Text(text, lead="Called:") for text in _called(summary, file))
        return
    yield from _causes(summary, file)
    lead = "Labels that differ" if file.n_disagreements else "Labels compared"
    if file.patch:
        applied = f"the page shows the change; {_applied(file, '--fix applies it.')}"
        yield blocks.Text(applied, lead="Patch:")
    yield blocks.Text(_labels_text(_of(summary.labels, file)), lead=f"{lead}:")
    for lead, text in _further(summary, file):
        yield blocks.Text(text, lead=f"{lead}:")


def _causes(summary: Summary, file: FileFindings) -> Iterator[blocks.Block]:
    """Return each cause with what to change, and how many labels have none."""
    for number, cause in enumerate(_of(summary.causes, file), 1):
        yield blocks.Text(
            f"{cause['summary']} ({_extent(cause, file)}).", lead=f"{number}."
        )
        for place in cause["places"].splitlines():
            yield blocks.Text(place, "note", lead="   In:")
        text, _, code = cause["remedy"].partition(": `")
        if text:
            yield blocks.Text(f"{text}:" if code else text, "note", lead="   To agree:")
        if code:
            yield blocks.Snippet(code.removesuffix(".").removesuffix("`"))
    notes = []
    if n := file.unexplained:
        part = f"{count(n)} of the {plural(file.n_disagreements, 'label')} that differ"
        notes.append(f"{part} {'has' if n == 1 else 'have'} no cause that could be proved.")
    if file.n_counted + file.unexplained > file.n_disagreements:
        notes.append("A label with several causes is counted for each.")
    if notes:
        yield blocks.Text(" ".join(notes), "note", "unsure" if file.unexplained else "")


def _extent(cause: blocks.Row, file: FileFindings) -> str:
    """Return how many labels a cause changes, and on which data."""
    n, where = cause["explained"], cause["datasets"].split(", ")
    if cause["cause"] == HARD_CASE:
        few = "too few differ to tell" if UNDECIDED in file.causes else "only ties differ"
        return f"elsewhere {few if file.n_disagreements else 'none differs'}"
    if not n:
        which = "by itself" if file.n_disagreements else "differs"
        return f"no label {which}; seen on {where[0]}"
    unit = {NAN: "row", CRASH: "missing label"}.get(cause["cause"], "label")
    if cause["cause"] not in COUNTING:
        return f"{plural(n, unit)}, {'most ' if len(where) > 1 else ''}on {where[0]}"
    return f"on {where[0]}" + (f"; {plural(n, unit)} in all" if where[1:] else "")


def _labels_text(labels: Sequence[blocks.Row]) -> str:
    """Return how many labels differ on each dataset; synthetic ones are added up."""
    differing: Counter[str] = Counter()
    compared: Counter[str] = Counter()
    for row in labels:
        name = "synthetic data" if row["dataset"].startswith(SYNTHETIC) else row["dataset"]
        differing[name] += row["n_disagreements"]
        compared[name] += row["n_predictions"]
    texts = []
    for name, n in compared.items():
        text = f"{count(differing[name])} of {count(n)}" if n else "none given"
        texts.append(f"{name} {text if differing.total() or not n else count(n)}")
    return "; ".join(texts) + "."


def _further(summary: Summary, file: FileFindings) -> Iterator[tuple[str, str]]:
    """Yield the lines on checks, calls and times, each with its lead."""
    row = _of(summary.files, file)[0]
    checks = f"{count(row['n_passed'])} of the {count(row['n_applicable'])} that apply pass"
    if row["n_applicable"]:
        yield "Hard cases", f"{checks}{_failed_checks(file)}."
    yield from (("Called", text) for text in _called(summary, file))
    if unseen := [*file.not_shown]:
        yield "Not shown by these data", f"{listing(unseen)}."
    yield from _limits(file)
    times = _of(summary.ratios, file)
    if times and file.times:
        alike: dict[str, list[str]] = {}
        for row in times:
            alike.setdefault(speed_text(*RATIO(row)), []).append(row["operation"])
        called = "; ".join(f"{listing(names)} {text}" for text, names in alike.items())
        yield "Time", f"against scikit-learn on {file.times['dataset']}: {called}."
    elif file.times:
        (why,) = file.times["notes"]["skipped"].values()
        yield "Time", f"not compared with scikit-learn's: {printable(why)}."


def _called(summary: Summary, file: FileFindings) -> list[str]:
    """Return how a file's code was called, in one sentence, if not as scikit-learn's."""
    texts = [row["adaptations"] for row in _of(summary.files, file)]
    return [f"{text}." for text in texts if text]


def _limits(file: FileFindings) -> Iterator[tuple[str, str]]:
    """Yield the lines on what answers were compared for, each with its lead."""
    if file.wrong_frames:
        text = f"{file.wrong_frames} in a hard case; to agree, convert X and y with "
        yield "With DataFrames", f"{text}`np.asarray` first."
    if file.status == SAME and file.covered:
        yield "Compared on", f"{file.covered}."
    if file.status == SAME and not file.offers_probabilities:
        yield "Not compared", "probabilities, which it does not offer."


def _failed_checks(file: FileFindings) -> str:
    """Return which checks fail; those that scikit-learn fails too are only counted."""
    failed = failures(file.results)
    own = [row for row in failed if not row.get(TOO)]
    shared = len(failed) - len(own)
    tally = Counter(row["check"]["family"] for row in own).most_common()
    named = [f"{name} {n}" for name, n in tally[:MOST_FAMILIES]]
    if rest := sum(n for _, n in tally[MOST_FAMILIES:]):
        named.append(f"{count(rest)} more")
    which = f"{count(len(own))} that scikit-learn passes: " if file.has_beside else ""
    text = f"; it fails {which}{listing(named)}" if own else ""
    others = "other one" if shared == 1 else f"other {count(shared)}"
    return text + (f"; scikit-learn fails the {others} too" if shared else "")


def _files_in_short(summary: Summary) -> Iterator[blocks.Block]:
    """Yield the table of files, why some cannot be run, and what was not judged."""
    yield _files_table(summary, short=True)
    for file, verdict in zip(summary.details["findings"], summary.verdicts, strict=True):
        if verdict.outcome == FAILED or (verdict.outcome == SAME and file.not_judged):
            yield blocks.Text(verdict.sentence)


def _skipped(summary: Summary) -> Iterator[blocks.Block]:
    """Yield which files of a folder were not checked, and why."""
    skipped = summary.plan.get("skipped", {})
    if skipped:
        texts = [printable(f"{name} ({reason})") for name, reason in skipped.items()]
        yield blocks.Text(f"{'; '.join(texts)}.", "note", lead="Skipped:")


def _files_table(summary: Summary, *, short: bool = False) -> blocks.Table:
    """Return a table with one row per file, linked to its section of the page."""

    def both(fit: str, predict: str) -> str:
        short = f"fit {fit}\npredict {predict}".replace("not distinguishable", "≈")
        return DASH if fit == predict == DASH else short

    files = summary.files.to_dict("records")
    rows = [
        {
            **row,
            **dict(_factors(summary, row["implementation"])),
            "link": f"#file-{place}",
            "why": row["causes"] or DASH,
            **({"why": FAILED if short else DASH} if row["error"] else {}),
            "checks": _checks(row),
        }
        for place, row in enumerate(files, 1)
    ]
    counts = ("n_disagreements", "n_predictions")
    columns = [
        blocks.Column("file", "implementation", printable, link=lambda row: row["link"]),
        blocks.Column("differ" if short else "labels that differ", counts, part_of),
        blocks.Column("why"),
        blocks.Column("hard cases", "checks"),
    ]
    if short:
        columns.append(blocks.Column("time", TIMED, both))
    else:
        columns.insert(
            1, blocks.Column("result", "status", tone=lambda row: TONES[row["status"]])
        )
        columns += [blocks.Column(f"time of {name}", name) for name in TIMED]
    return blocks.Table("" if short else "Every file", rows, tuple(columns))


def _factors(summary: Summary, name: str) -> Iterator[tuple[str, str]]:
    """Yield by what factor each operation of a file is faster or slower."""
    times = summary.lookup("ratios")
    for operation in TIMED:
        ratio = times.triple("ratio", name, operation)
        yield operation, factor_text(*ratio, times.text("speed", name, operation))


def _checks(row: blocks.Row) -> str:
    return f"{row['n_passed']}/{row['n_applicable']}" if row["n_applicable"] else DASH


def _file(summary: Summary, file: FileFindings, place: int) -> blocks.Section:
    """Return the section on one of several files."""
    verdict = summary.verdicts[place - 1]
    shown: list[blocks.Block] = [
        blocks.Text(verdict.sentence, "strong", TONES[file.status])
    ]
    folded: list[blocks.Block] = []
    for part in _parts(summary, file):
        to_read = shown if part.anchor in ("causes", "patch") else folded
        to_read += (blocks.Heading(part.title), *part.blocks) if part.blocks else ()
    if folded:
        shown.append(blocks.Fold("Labels, hard cases, calls and times", folded))
    return blocks.Section(f"file-{place}", file.name, shown)


def _parts(summary: Summary, file: FileFindings) -> Iterator[blocks.Section]:
    """Yield the sections on a file."""
    causes = tuple(_causes(summary, file))
    if causes:
        yield blocks.Section.of("Why, and what to change", causes, "causes")
    if file.status == FAILED:
        called = tuple(f"Called: {text}" for text in _called(summary, file))
        yield blocks.Section.of("Calls", blocks.Items(called) if called else (), "calls")
        return
    if file.patch:
        every = plural(file.n_predictions, "prediction")
        text = f"A copy of the file with this change agrees in all {every}."
        hint = _applied(file, "The same command with --fix applies it.")
        shown = (blocks.Text(f"{text} {hint}"), blocks.Snippet(file.patch))
        yield blocks.Section.of("A tested patch", shown, "patch")
    rows = _of(summary.labels, file)
    named: dict[str, Any] = {"name": file.name}
    named["causes"] = lambda text, n: text if n else DASH
    yield blocks.Section.of("Labels", blocks.Table.named("labels", rows, **named))
    further = dict(_further(summary, file))
    lines = tuple(f"{k}: {text}" for k, text in further.items() if k != "Hard cases")
    calls = blocks.Section.of(
        "Calls and times", blocks.Items(lines) if lines else (), "calls"
    )
    if "Hard cases" not in further:
        yield calls
        return
    cases: list[blocks.Block] = [blocks.Text(further["Hard cases"])]
    if failed := failures(_of(summary.results, file)):
        table = blocks.Table.named(
            "hard_cases",
            failed,
            name=file.name,
            without=() if file.has_beside else ("scikit-learn",),
            beside=("passes", "fails").__getitem__,
        )
        cases.append(blocks.Fold.of(table))
    yield blocks.Section.of("Hard cases", cases)
    yield calls


def _tiles(summary: Summary, file: FileFindings) -> Iterator[blocks.Tile]:
    """Yield the tiles of a single file."""
    if file.status == FAILED:
        return
    row = _of(summary.files, file)[0]
    detail = f"against scikit-learn's, on {file.times['dataset']}" if file.times else ""
    n_compared = f"of {plural(file.n_predictions, 'prediction')}"
    yield blocks.Tile.fact("Labels that differ", count(file.n_disagreements), n_compared)
    if row["n_applicable"]:
        yield blocks.Tile.fact("Hard cases", _checks(row), "of those that apply pass")
    for operation, factor in _factors(summary, file.name):
        yield blocks.Tile.fact(f"Time of {operation}", factor, detail)
