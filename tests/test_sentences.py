"""Sentences on difficult data are true.

Every kind of study is carried out, small, on data sets made to mislead sentences. All that
its terminal, page and document say is held against numbers that are worked out without
the package, by rules that each refute a planted sentence.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from oracle import evidence, studies, wording
from oracle.planted import planted, planted_truth_of
from oracle.ranges import PLANTED as PLANTED_NUMBERS
from oracle.ranges import SOUND as SOUND_NUMBERS
from oracle.ranges import ranges
from oracle.said import Said, numbers
from oracle.studies import OTHERS, hard_sets, invent_times, texts_of
from oracle.truth import Truth
from reading.commands import undrawn_studies

from gnbbench.conformance.battery import CHECKS

pytestmark = pytest.mark.slow

# What a rule of wording need not look at: names of causes, and what only files hold.
OF_CAUSES = ("cause", "causes", "why")
NOT_OF_ASSUMPTIONS = ("strangers", "counts", "means", "tones", "sameness", "silence")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave out figures and memory, and time no longer than requested."""
    monkeypatch.setattr("gnbbench.studies.compare.NOISY_BUDGET_SECONDS", None)
    with undrawn_studies():
        yield


def badly_worded(texts: Sequence[Said]) -> Iterator[str]:
    """Yield what is wrong with each text by itself, and with all of them together."""
    for text in texts:
        for name, rule in wording.RULES.items():
            if name != "holes" or text.heading not in OF_CAUSES:
                yield from (f"{name}: {fault}: {text.text}" for fault in rule(text.plain))
    whole = " ; ".join(text.plain for text in texts)
    for name, rule in wording.OF_DOCUMENTS.items():
        yield from (f"{name}: {fault}" for fault in rule(whole))


def untrue(texts: Sequence[Said], truth: Truth, *leave_out: str) -> Iterator[str]:
    """Yield what is not so, by every rule but those left out."""
    for name, rule in evidence.RULES.items():
        if name not in leave_out:
            yield from (f"{name}: {fault}" for fault in rule(texts, truth))


LEFT_OUT: Mapping[str, tuple[str, ...]] = {
    "explain": ("strangers",),
    "assumptions": NOT_OF_ASSUMPTIONS,
}


@pytest.mark.parametrize(("kind", "name"), studies.cases())
def test_sentences_are_true(kind: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hard = hard_sets()[name]
    invent_times(monkeypatch, hard.noise)
    study, truth = studies.carried_out(kind, hard)

    texts = texts_of(study)
    faults = [
        *badly_worded(texts),
        *untrue(texts, truth, *LEFT_OUT.get(kind, ())),
        *ranges(study.document.payload),
    ]

    assert list(dict.fromkeys(faults)) == []


@pytest.mark.parametrize("name", OTHERS)
def test_sentences_on_one_or_several_files_are_well_worded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    studies.write_files(tmp_path)
    invent_times(monkeypatch)
    monkeypatch.setattr("gnbbench.studies.check.CHECKS", CHECKS[:5])

    study = OTHERS[name](tmp_path)
    faults = [*badly_worded(texts_of(study)), *ranges(study.document.payload)]

    assert list(dict.fromkeys(faults)) == []


@pytest.mark.parametrize("name", wording.EXAMPLES)
def test_a_sentence_that_is_badly_worded_is_refuted(name: str) -> None:
    rule = {**wording.RULES, **wording.OF_DOCUMENTS}[name]
    bad, good = wording.EXAMPLES[name]

    assert [text for text in bad if not list(rule(text))] == []
    assert [(text, *rule(text)) for text in good if list(rule(text))] == []


def test_every_rule_has_a_sentence_that_it_refutes() -> None:
    assert set(wording.EXAMPLES) == {*wording.RULES, *wording.OF_DOCUMENTS}
    assert set(planted()) == set(evidence.RULES)
    assert len(hard_sets()) >= 25
    assert all(hard.why for hard in hard_sets().values())


@pytest.mark.parametrize("name", evidence.RULES)
def test_an_untrue_sentence_is_refuted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracle.of_labels.MORE_RUNS", 100)
    bad, good = planted()[name]
    truth = planted_truth_of(name)
    rule = evidence.RULES[name]

    assert [text for text in bad if not list(rule(text, truth))] == []
    assert [(text, *rule(text, truth)) for text in good if list(rule(text, truth))] == []


@pytest.mark.parametrize("document", PLANTED_NUMBERS)
def test_a_number_where_none_can_be_is_refuted(document: Mapping[str, Any]) -> None:
    assert len(list(ranges(document))) == 1
    assert list(ranges(SOUND_NUMBERS)) == []


def test_a_number_is_read_with_the_digits_it_is_written_with() -> None:
    found = numbers("1,234 of x0, −0.50 and 2.2 × 10⁻¹⁶, not ±10⁻¹⁵, 1.5e-8 at the end 45.")

    assert [number.value for number in found] == [1234, -0.5, 2.2e-16, 1.5e-8, 45]
    assert [number.step for number in found] == [1, 0.01, 1e-17, 1e-9, 1]
