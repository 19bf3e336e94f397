"""The parts of a page that several kinds of study share."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd
from markupsafe import Markup

from gnbbench.records import INVALID
from gnbbench.report.blocks import (
    Attachment,
    Block,
    Column,
    Document,
    Facts,
    Files,
    Fold,
    Heading,
    Section,
    Snippet,
    Table,
    Text,
    Tile,
    note,
)
from gnbbench.report.figures.drawing import TITLES
from gnbbench.statistics.documents import document
from gnbbench.statistics.summary import DatasetDescription, Summary
from gnbbench.words import (
    DASH,
    count,
    day,
    decimal,
    listing,
    plural,
    printable,
    share,
    significant,
)

FILES = Section.of("Files", Files())
four_digits = partial(significant, digits=4)

MOST_FEATURES_LISTED = 100
TONES: Mapping[str, str] = TITLES["tones"]
_WORST_FIRST = ("bad", "unsure", "good")


def study_document(
    summary: Summary,
    *,
    subject: str,
    tone: str,
    setting: str,
    tiles: Iterable[Tile],
    terminal: Iterable[Block],
    sections: Iterable[Section],
    band: Iterable[Block] = (),
    **contents: pd.DataFrame | str | None,
) -> Document:
    """Return the report of a study: its sections, then the files that belong to it.

    Files hold tables of the summary, or `contents` by the names of tables.
    """
    files = TITLES["files"][summary.study].items()
    return Document(
        study=summary.study,
        subject=subject,
        headline=summary.headline,
        tone=tone,
        band=tuple(band),
        setting=setting,
        origin=origin(summary.environment, summary.details.get("timing_taken", "")),
        tiles=tuple(tiles),
        parts=(*sections, FILES),
        payload=document(summary),
        attachments=tuple(
            Attachment(name, contents[of] if of in contents else summary.table(of), wording)
            for name, (of, wording) in files
        ),
        terminal=tuple(terminal),
    )


def origin(environment: Mapping[str, Any], timed: str = "") -> str:
    """Return the date of a study (or of its timing) and the version that made it."""
    version = environment["versions"].get("gnbbench", "")
    date = day(environment.get("date", "")) or timed.rpartition(",")[0]
    return " · ".join(filter(None, (date, f"version {version}" if version else "")))


def worst_tone(tones: Iterable[str]) -> str:
    """Return the worst of the tones; "unsure" if there are none."""
    present = set(tones)
    return next((tone for tone in _WORST_FIRST if tone in present), "unsure")


def remarks(warnings: Iterable[str], lead: str = "Remark:") -> tuple[Text, ...]:
    """Return remarks as blocks, for page and terminal."""
    return tuple(Text(printable(text), "note", "unsure", lead) for text in warnings)


def data_and_remarks(summary: Summary, warnings: Iterable[str]) -> tuple[Text, ...]:
    """Return the remarks for a terminal: on the data, then on the study."""
    return (*remarks(summary.dataset.notes, "Data:"), *remarks(warnings))


def runs_each(summary: Summary) -> str:
    """Return the number of runs and the sizes of their splits."""
    each = ", each with" if summary.n_runs > 1 else " with"
    each = ", with, on average," if _varies(summary) else each
    return (
        f"{plural(summary.n_runs, 'run')}{each} "
        f"{plural(summary.n_train, 'train sample')} and "
        f"{plural(summary.n_test, 'test sample')}"
    )


def _varies(summary: Summary) -> bool:
    """Return whether runs differ in size: a stream is split row by row."""
    return summary.is_streamed and summary.n_runs > 1


def runs_in_short(summary: Summary) -> Text:
    """Return the first line of a terminal: data, runs and their sizes."""
    return Text(
        f"{printable(summary.dataset.name)} · {plural(summary.n_runs, 'run')} · "
        f"{count(summary.n_train)} train and {plural(summary.n_test, 'test sample')} "
        + ("on average" if _varies(summary) else "each"),
        "muted",
    )


def grouped(warnings: Iterable[str]) -> list[str]:
    """Merge remarks that differ only in the subject before the colon."""
    subjects: dict[str, list[str]] = {}
    for warning in warnings:
        subject, colon, words = warning.partition(": ")
        key, name = (f": {words}", subject) if colon else (warning, "")
        subjects.setdefault(key, []).append(name)
    return [f"{listing(names)}{words}" for words, names in subjects.items()]


def with_adaptations(document: Document, *plans: Mapping[str, Any]) -> Document:
    """Add a section on how third-party code was adapted."""
    adaptations: dict[str, list[str]] = {}
    for plan in plans:
        for name, sentences in plan.get("adaptations", {}).items():
            texts = [*adaptations.get(name, []), *sentences]
            adaptations[name] = list(dict.fromkeys(texts))
    if not adaptations:
        return document
    texts = [
        Text(f"{'; '.join(sentences)}.", "note", lead=f"How {printable(name)} was used:")
        for name, sentences in adaptations.items()
    ]
    first, *others = document.parts
    return replace(
        document,
        parts=(first, Section.of("How code was used", texts, "use"), *others),
        payload={**document.payload, "adaptations": adaptations},
        terminal=(*document.terminal, *texts),
    )


def method_section(
    summary: Summary,
    *prose: Block,
    plan: Mapping[str, Any] | None = None,
    before: Sequence[Block] = (),
    machine: str | None = "",
) -> Section:
    """Return how the study was made: its command, its method, its plan and its machine.

    The plan is the summary's unless another is given; the machine is left out if None.
    """
    plan = summary.plan if plan is None else plan
    settings = {name: value for name, value in plan.items() if value not in (None, [], {})}
    blocks = [*before, Heading("Plan"), Facts(named_values(settings))]
    if machine is not None:
        blocks.append(Heading("Machine"))
        blocks += [Text(machine)] if machine else []
        blocks.append(Facts(named_values(summary.environment["machine"])))
    versions = named_values(summary.environment["versions"])
    return Section.of(
        "Method",
        (
            Text("This command repeats the study:"),
            Snippet(summary.command),
            Fold("Method, glossary and sources", prose),
            Fold("Plan and versions", (*blocks, Heading("Versions"), Facts(versions))),
        ),
    )


def named_values(mapping: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return readable names and values with units; the command is shown elsewhere."""
    return [
        (str(key).replace("_", " ").removesuffix(" bytes"), _value_text(key, value))
        for key, value in mapping.items()
        if key != "command"
    ]


def _value_text(key: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)) and key.endswith("_bytes"):
        return f"{decimal(value / 2**30, 1)} GiB"
    if isinstance(value, Mapping):
        value = [f"{name}: {item}" for name, item in value.items()]
    if isinstance(value, (list, tuple)):
        return ", ".join(printable(str(item)) for item in value) or DASH
    return DASH if value is None else printable(str(value))


def data_section(dataset: DatasetDescription) -> Section:
    """Return the section on the data: facts, classes and features."""
    duplicates = "not counted"
    if dataset.n_duplicates is not None:
        duplicates = (
            f"{count(dataset.n_duplicates)} (equal to an earlier row and its label)"
        )
    facts = (
        ("rows", count(dataset.n_samples)),
        ("features", count(dataset.n_features)),
        ("target", dataset.target_name),
    )
    details = (
        ("missing values", "none"),
        ("duplicates", duplicates),
        ("origin", dataset.origin or DASH),
        ("licence", dataset.licence or DASH),
        ("SHA-256", dataset.sha256 or DASH),
    )
    total = max(dataset.n_samples, 1)
    classes = pd.DataFrame({"class": dataset.class_names, "samples": dataset.class_counts})
    features = Table.named(
        "features",
        dataset.features[:MOST_FEATURES_LISTED],
        beside=beside,
        four_digits=four_digits,
    )
    of_classes = Table.named("classes", classes, of_all=lambda n: share(n / total))
    tables: list[Block] = [Facts(details), of_classes, features]
    if len(features) < len(dataset.features):
        more = Markup("These are the first {}; all are in {}.").format
        tables.append(Text(more(len(features), file_link("summary.json")), "muted"))
    notes = (Text(note, "note") for note in dataset.notes)
    return Section.of(
        "Data", (Facts(facts), *notes, Fold("Origin, classes and features", tables))
    )


def beside(value: float, deviation: float) -> str:
    """Format a value with four digits, or with as many as show its deviation."""
    steps = abs(value) / deviation if deviation > 0.0 else 1.0
    return significant(value, min(max(4, math.ceil(math.log10(steps or 1.0)) + 2), 15))


def failures(runs: pd.DataFrame) -> tuple[Block, ...]:
    """Return faults by implementation and message; nothing if every run is sound."""
    is_invalid = runs["status"] == INVALID
    ended = ~is_invalid & (runs["status"] != "ok")
    kinds = (
        ("Runs that ended in an error", ended, note("failures")),
        ("Runs with invalid probabilities", is_invalid, note("failures: invalid")),
    )
    columns = (*Column.each("implementation", "message"), Column("runs", "run", count))
    tables = []
    for caption, which, words in kinds:
        by_message = runs[which].groupby(["implementation", "message"], sort=False)
        rows = by_message["run"].count().reset_index()
        tables.append(Table(caption, rows, columns, words))
    return tuple(table for table in tables if len(table.rows))


def file_link(name: str) -> Markup:
    """Return a link to a file beside the page, for use in a text."""
    return Markup('<a href="{0}">{0}</a>').format(name)


def anchor(*parts: str) -> str:
    """Return an anchor without spaces."""
    return re.sub(r"[^\w-]+", "-", "-".join(parts))
