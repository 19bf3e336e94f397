"""The parts of a page that several kinds of study have in common."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from markupsafe import Markup

from gnbbench.report.blocks import (
    Block,
    Code,
    Column,
    Document,
    Facts,
    Files,
    Fold,
    Heading,
    Section,
    Table,
    Terminal,
    Text,
)
from gnbbench.statistics.summary import DatasetDescription, Summary
from gnbbench.words import (
    DASH,
    count,
    decimal,
    listing,
    plural,
    printable,
    share,
    significant,
)

FILES = Section("files", "Files", (Files(),))

_WORST_FIRST = ("bad", "unsure", "good")


def worst_tone(tones: Sequence[str]) -> str:
    """Return the worst tone there is; "unsure" where there is none."""
    return next((tone for tone in _WORST_FIRST if tone in tones), "unsure")


def remarks(warnings: Sequence[str]) -> tuple[Text, ...]:
    """Return the remarks that a reader must see, on the page as in a terminal."""
    return tuple(Text(printable(text), "note", "unsure", "Remark:") for text in warnings)


def runs_each(summary: Summary) -> str:
    """Return how many runs there are, and of which sizes."""
    return (
        f"{plural(summary.n_runs, 'run')}, each with "
        f"{plural(summary.n_train, 'train sample')} and "
        f"{plural(summary.n_test, 'test sample')}"
    )


def runs_in_short(summary: Summary) -> Text:
    """Return the first line of a terminal: data, runs and their sizes."""
    return Text(
        f"{printable(summary.dataset.name)} · {plural(summary.n_runs, 'run')} · "
        f"{count(summary.n_train)} train and {count(summary.n_test)} test samples each",
        "muted",
    )


def grouped(warnings: Iterable[str]) -> list[str]:
    """Return remarks, each once for all the subjects before their colon."""
    subjects: dict[str, list[str]] = {}
    for warning in warnings:
        subject, colon, words = warning.partition(": ")
        key, name = (f": {words}", subject) if colon else (warning, "")
        subjects.setdefault(key, []).append(name)
    return [f"{listing(names)}{words}" for words, names in subjects.items()]


def with_adaptations(document: Document, *plans: Mapping[str, Any]) -> Document:
    """Return a document that tells what was done so that code of others could be used."""
    found: dict[str, list[str]] = {}
    for plan in plans:
        for name, sentences in plan.get("adaptations", {}).items():
            found[name] = list(dict.fromkeys([*found.get(name, []), *sentences]))
    if not found:
        return document
    texts = [
        Text(f"{'; '.join(sentences)}.", "note", lead=f"How {printable(name)} was used:")
        for name, sentences in found.items()
    ]
    places = [i for i, block in enumerate(document.blocks) if isinstance(block, Section)]
    blocks = list(document.blocks)
    blocks.insert(places[0] + 1, Section("use", "How code was used", texts))
    blocks.insert(places[0], Terminal(texts))
    payload = {**document.payload, "adaptations": found}
    return replace(document, blocks=tuple(blocks), payload=payload)


def method_section(
    command: str,
    prose: Sequence[Block],
    plan: Sequence[Block],
    environment: Mapping[str, Any],
    regime: str | None = None,
) -> Section:
    """Return how the study was made: its command, its method, its plan and its machine.

    Without a regime of timing the machine is left to the section on time.
    """
    machine: list[Block] = []
    if regime is not None:
        machine = [Heading("Machine"), Facts(named_values(environment["machine"]))]
    if regime:
        machine.insert(1, Text(f"{regime} {environment['threads']}"))
    versions = Heading("Versions"), Facts(named_values(environment["versions"]))
    blocks = (
        Text("This command repeats the study:"),
        Code(command),
        Fold("Method, glossary and sources", prose),
        Fold("Plan and versions", (*plan, *machine, *versions)),
    )
    return Section("method", "Method", blocks)


def plan_facts(plan: Mapping[str, Any]) -> tuple[Block, ...]:
    """Return the plan, by the names of its options; nothing of those not given."""
    given = {name: value for name, value in plan.items() if value not in (None, [], {})}
    return Heading("Plan"), Facts(named_values(given))


def named_values(mapping: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return names in words and values in units; the command stands elsewhere."""
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


def data_section(dataset: DatasetDescription, most_features: int | None = None) -> Section:
    """Return what the data are: their facts, classes and features."""
    duplicates = "not counted"
    if dataset.n_duplicates is not None:
        words = "(equal to an earlier row and its label)"
        duplicates = f"{count(dataset.n_duplicates)} {words}"
    facts = (
        ("rows", count(dataset.n_samples)),
        ("features", count(dataset.n_features)),
        ("target", dataset.target_name),
        ("missing values", "none"),
        ("duplicates", duplicates),
        ("origin", dataset.origin or DASH),
        ("licence", dataset.licence or DASH),
        ("SHA-256", dataset.sha256 or DASH),
    )
    blocks = [
        Facts(facts),
        *(Text(note, "note") for note in dataset.notes),
        Fold(
            "Classes and features",
            (_class_counts(dataset), *_features(dataset, most_features)),
        ),
    ]
    return Section("data", "Data", blocks)


def _class_counts(dataset: DatasetDescription) -> Table:
    total = max(dataset.n_samples, 1)
    counts = zip(dataset.class_names, dataset.class_counts, strict=True)
    rows = [{"class": name, "samples": number} for name, number in counts]
    columns = (
        Column("class"),
        Column("samples", show=count),
        Column("share", "samples", lambda number: share(number / total)),
    )
    return Table("Classes", rows, columns)


def _features(dataset: DatasetDescription, most: int | None) -> Iterator[Block]:
    frame, n_features = dataset.features, len(dataset.features)
    moments = ("minimum", "maximum", "mean", "standard_deviation")
    columns = (
        Column("feature"),
        *(Column(name.replace("_", " "), name, _four_digits) for name in moments),
        Column("distinct values", "distinct", count),
    )
    table = Table("Features", frame.head(most) if most else frame, columns)
    yield table
    if len(table) < n_features:
        words = f"These are the first {len(table)}; all are in {file_link('summary.json')}."
        yield Text(Markup(words), "muted")  # noqa: S704  no text of others


def failures(runs: pd.DataFrame) -> tuple[Block, ...]:
    """Return errors by implementation and message; nothing where every run went well."""
    failed = runs.loc[runs["status"] != "ok"]
    if failed.empty:
        return ()
    numbers = failed.groupby(["implementation", "message"], sort=False)["run"].count()
    columns = (
        Column("implementation"),
        Column("message"),
        Column("runs", "run", count),
    )
    words = (
        "A run with an error has no metrics; no mean counts it, and each mean says over "
        "how many runs it was taken."
    )
    table = Table("Runs that ended in an error", numbers.reset_index(), columns)
    return table, Text(words, "muted")


def file_link(name: str) -> Markup:
    """Return a link to a file beside the page, to stand in a text."""
    return Markup('<a href="{0}">{0}</a>').format(name)


def _four_digits(value: float) -> str:
    return significant(value, 4)


def anchor(*parts: str) -> str:
    """Return a name for a place of the page, free of spaces."""
    return re.sub(r"[^\w-]+", "-", "-".join(parts))
