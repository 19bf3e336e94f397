"""The parts of a page that several kinds of study have in common."""

from collections.abc import Mapping, Sequence
from typing import Any

from gnbbench.report.blocks import (
    Block,
    Code,
    Facts,
    Files,
    Heading,
    Section,
    Text,
)
from gnbbench.words import DASH, decimal, printable

FILES = Section("files", "Files", (Files(),))

_WORST_FIRST = ("bad", "unsure", "good")


def worst_tone(tones: Sequence[str]) -> str:
    """Return the worst tone there is; "unsure" where there is none."""
    return next((tone for tone in _WORST_FIRST if tone in tones), "unsure")


def remarks(warnings: Sequence[str]) -> tuple[Text, ...]:
    """Return the remarks that a reader must see, on the page as in a terminal."""
    return tuple(Text(text, "note", "unsure", "Remark:") for text in warnings)


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
    machine = []
    if regime is not None:
        threads = f"{regime} {environment['threads']}".strip()
        machine = [Heading("Machine"), *([Text(threads)] if regime else [])]
        machine.append(Facts(named_values(environment["machine"])))
    blocks = (
        Text("This command repeats the study:"),
        Code(command),
        *prose,
        *plan,
        *machine,
        Heading("Versions"),
        Facts(named_values(environment["versions"])),
    )
    return Section("method", "Method", blocks)


def plan_facts(plan: Mapping[str, Any]) -> tuple[Block, ...]:
    """Return the plan, by the names of its options."""
    return Heading("Plan"), Facts(named_values(plan))


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
