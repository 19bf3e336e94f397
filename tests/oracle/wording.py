"""Rules that a sentence breaks by itself, whatever the numbers behind it are.

Each takes a text and yields what is wrong with it.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from oracle.said import NUMBER, Number, numbers

_N = NUMBER.pattern
COUNT = r"(?<![\w.,/−+-])(\d+(?:,\d{3})*)(?![\d.,]*\d)"
NOUNS = (
    "run|label|row|sample|class|feature|prediction|disagreement|file|check|dataset|pair|"
    "split|round|process|point|fraction|implementation|setting|cause|size|block|nat"
)
_BEFORE = r"(?:(?:train|training|test|distinct|random|more|other|of)\s)?"
_SINGULAR = re.compile(rf"{COUNT} {_BEFORE}({NOUNS})\b(?![-–\w]| [a-z]+s\b)")
_PLURAL = re.compile(
    rf"{COUNT} {_BEFORE}(?:train )?((?:{NOUNS})(?:s|es)\b)(?! ratio)", re.IGNORECASE
)
# One of several labels differs; two of them differ.
_PART = re.compile(
    rf"(?<![Ii]n ){COUNT} of (?:the )?[\d,]+ (?:(?!and\b)[a-z]+ ){{0,4}}?"
    r"(differs?|is|are|has|have|remains?|match(?:es)?|agrees?|fails?)\b"
)
_ONE = ("differs", "is", "has", "remains", "matches", "agrees", "fails")
_ENDS = re.compile(rf"({_N})(?: (?:to|…) )({_N})")
_INTERVAL = re.compile(
    rf"({_N})(?:\s?(?:points|nats|×))?[ \w]*?(?:, 95 % interval |\s\()({_N}) to ({_N})\)?"
)
_WHOLE = re.compile(rf"{COUNT} of (?:the )?(\d+(?:,\d{{3}})*)(?![\d.,]*\d)")
_SHARE = re.compile(rf"({_N})\s%")
_POINTS = re.compile(rf"({_N}) points?\b(?:[ \w]*\(({_N}) to ({_N})\))?")
_FACTOR = re.compile(rf"({_N})× (?:faster|slower)(?: \(({_N}) to ({_N})\))?")
# One of the causes of a difference has this name.
_CAUSE = re.compile(r"(?:^|: )nan(?= \()|[;:] nan$")
_HOLES = re.compile(
    r"\b(nan(?!-)|inf|null|NaT|None(?! of\b)|undefined)\b|<NA>|\{\w*\}|\[\]|"
    r"\(\)|%[sdrf]\b|\\x"
)


def holes(text: str) -> Iterator[str]:
    """A value that was not there, or a place that was not filled."""
    text = _CAUSE.sub("", text)
    yield from (f"'{match[0]}' is no word" for match in _HOLES.finditer(text))


def stutters(text: str) -> Iterator[str]:
    """A repeated word, or unbalanced marks."""
    for match in re.finditer(r"\b([A-Za-z]{2,}) \1\b|[,;:] ?[,;:]|(?<!\.)\.\.(?!\.)", text):
        yield f"'{match[0]}' stutters"
    for match in re.finditer(r"\bnot (\w+) \([^()]*: not \1\)", text):
        yield f"'{match[0]}' says it twice"
    if re.search(r" [,;.)](?!\w)|\( |(?<=\S)  (?=\S)", text):
        yield "a space stands where none should"
    if text.count("(") != text.count(")"):
        yield "a bracket is left open"


def plurals(text: str) -> Iterator[str]:
    """One run, two runs; of one run, of two runs."""
    for number, noun in _SINGULAR.findall(text):
        if number != "1":
            yield f"{number} {noun}"
    for number, noun in _PLURAL.findall(text):
        if number == "1" and noun not in {"class", "process"}:
            yield f"{number} {noun}"


def verbs(text: str) -> Iterator[str]:
    """One of three labels differs; two of three labels differ."""
    for match in _PART.finditer(text):
        number, verb = match.groups()
        if (number == "1") != (verb in _ONE):
            yield f"'{match[0]}': the verb is that of another number"


def parts(text: str) -> Iterator[str]:
    """No part is larger than its whole, and none is of nothing."""
    for part, whole in _WHOLE.findall(text):
        if Number.of(part).value > Number.of(whole).value or whole == "0":
            yield f"{part} of {whole}"


def intervals(text: str) -> Iterator[str]:
    """An interval goes upwards, has width, and holds the number before it."""
    for low, high in _ENDS.findall(text):
        if low == high:
            yield f"'{low} to {high}' has no width"
        elif Number.of(low).value > Number.of(high).value and "fraction" not in text:
            yield f"'{low} to {high}' goes downwards"
    for match in _INTERVAL.finditer(text):
        point, low, high = map(Number.of, match.groups())
        below = low.value - point.value > 0.499 * (low.step + point.step)
        above = point.value - high.value > 0.499 * (high.step + point.step)
        if below or above:
            yield f"'{match[0]}': the number lies outside of its interval"


def shares(text: str) -> Iterator[str]:
    """Per cent are from 0 to 100, points from −100 to 100."""
    for text_of_number in _SHARE.findall(text):
        if not 0 <= Number.of(text_of_number).value <= 100:
            yield f"{text_of_number} %"
    for ends in _POINTS.findall(text):
        for end in filter(None, ends):
            if abs(Number.of(end).value) > 100:
                yield f"{end} points"


def percentages(text: str) -> Iterator[str]:
    """Per cent beside "n of m" are those of n and m."""
    pattern = rf"{COUNT} of (?:the )?([\d,]+)\b[^().;:]*\(({_N})\s%\)"
    for part, whole, percent in re.findall(pattern, text):
        exact = 100 * Number.of(part).value / max(Number.of(whole).value, 1)
        shown = Number.of(percent)
        if not shown.rounds(exact) or (shown.value in (0, 100) and shown.value != exact):
            yield f"{part} of {whole} is not {percent} %"


def p_values(text: str) -> Iterator[str]:
    """A p value is above 0 and at most 1, and never written as 0."""
    for sign, number in re.findall(rf"\bp(?: \(\w+\))? ([=<>]) ({_N})", text):
        if not 0 < Number.of(number).value <= 1 or (sign == ">" and number == "1"):
            yield f"p {sign} {number}"


def factors(text: str) -> Iterator[str]:
    """'Faster' and 'slower' come with a factor above 1."""
    for match in _FACTOR.finditer(text):
        if any(Number.of(end).value < 1 for end in match.groups() if end):
            yield f"'{match[0]}' is below 1"
        if Number.of(match[1]).value == 1:
            yield f"'{match[0]}' is no difference"


def notation(text: str) -> Iterator[str]:
    """Numbers are written one way: 1,234, −0.5, 1.0 × 10⁻¹⁵."""
    # A number of a formula is written as in code: add 1e-9 × the largest variance.
    for match in re.finditer(r"\b(?:by|to|most|than|is) \d(?:\.\d+)?[eE][-+]?\d+\b", text):
        if not re.match(r" (?:×|to|does)", text[match.end() :]):
            yield f"'{match[0]}' is how a machine writes it"
    for match in re.finditer(r"(?<=[ (])-(?=\d)(?!\d+:? [<>]?\d+ )", text):
        yield f"a hyphen stands for minus before {text[match.end() :][:8]}"
    for number in re.findall(rf"(?<![\d.,#-])(\d{{4,}}) (?:{NOUNS})", text):
        yield f"{number} has no comma"


def zeros(text: str) -> Iterator[str]:
    """Nothing has no sign, and "no label in 0 runs" says nothing."""
    for match in re.finditer(r"(?<![\w⁰-⁹])[−+]0(?:\.0+)?(?![\d.]*[\d⁰-⁹])(?! × )", text):
        yield f"{match[0]} is a zero with a sign"
    for match in re.finditer(
        r"\bno \w+ \w+ in 0 of\b|\b(?:in|over|of|all) 0 (?!to\b|of\b|to \d|and\b)\w+s\b|"
        r"\bnone of 0\b",
        text,
        re.IGNORECASE,
    ):
        yield f"'{match[0]}' says something of nothing"


def endings(text: str) -> Iterator[str]:
    """What begins as a sentence ends as one."""
    text = text.partition("\n")[0]
    is_sentence = re.match(r"[A-Z][a-z]+(?: [a-z]+){3,}", text) and re.search(
        r"\b(is|are|has|have|was|were|differ|differs|gives?|failed|could|can)\b", text
    )
    if is_sentence and not re.search(r"[.?:!…]$", text.rstrip(' "”)`')):
        yield "the sentence has no end"


def digits(text: str) -> Iterator[str]:
    """Powers of ten that are roundings of each other have the same digits."""
    powers = [n for n in numbers(text) if "×" in n.text and abs(n.value) < 1e-3]
    for first in powers:
        for second in powers:
            near = abs(first.value - second.value) <= 0.5 * first.step
            if first.step > second.step and near:
                yield f"{second.text} is also written {first.text}"


RULES: Mapping[str, Callable[[str], Iterator[str]]] = {
    rule.__name__: rule
    for rule in (
        *(holes, stutters, plurals, verbs, parts, intervals, shares, percentages),
        *(p_values, factors, notation, zeros, endings),
    )
}
# Rules of a whole document, all of whose texts are one.
OF_DOCUMENTS: Mapping[str, Callable[[str], Iterator[str]]] = {"digits": digits}

# Rule, "-" before what it must refute or "+" before what it must pass, and the texts.
_EXAMPLES = """
holes - no cost in 0 runs (log loss nan against nan). | None | of {name} | by inf
holes + None of 20 labels differ. | Some probabilities are NaN. | none
holes + Undefined gives the same labels, but: nan (probabilities are not numbers).
stutters - differ by the the share | failed;; it | Normal: not tested (few: not tested)
stutters - no labels to compare . | wide (0.1 to 0.2
stutters + Normal: not tested (fewer than 3 samples). | fit 8.4× faster (8.4 to 8.5)
plurals - 1 labels differ | 2 train and 1 test samples each | in 3 run | 1 of 1 runs
plurals + 1 label differs | 3 test samples | 21 runs | 0.1 points | 1 of 2 runs | 1 class
plurals + 2.1 points
verbs - 1 of 45 labels differ | 2 of 45 labels differs | 1 of 3 disagreements remain
verbs + 1 of 45 labels differs | 0 of 45 labels differ | 2 of the 3 pairs are
parts - 12 of 10 runs | 0 of 0
parts + 10 of 12 runs | 0 of 1,000
intervals - 0.99 (1.00 to 1.02) | 1.0000 (1.0000 to 1.0000) | 0.5 (0.6 to 0.4)
intervals - −2.2 points (−1.0 to +3.0) | 9.7× faster (9.8 to 10.1)
intervals - log loss +0.50 nats, 95 % interval +0.60 to +0.70 | ratios of 0.6 to 0.4
intervals + 0.985 (0.97 to 0.99) | fit 9.7× faster (9.4 to 10.1) | 0.98 (0.98 to 0.99)
intervals + log loss −0.36 nats, 95 % interval −0.42 to −0.31; accuracy
shares - 100.0 points less accurate (62.5 to 137.5) | 101 % | −120.0 points
shares - +2.0 points (−137.5 to 20.0)
shares + 100 % | 100.0 points less accurate (62.5 to 100.0) | −2.2 points
percentages - 3 of 45 labels differ (6.6 %) | 1 of 45,000 labels differs (0.0 %)
percentages + 3 of 45 labels differ (6.7 %) | 20 of 20 labels differ (100 %)
p_values - p = 0.000 | p = 1.200 | p (Holm) = −0.1
p_values + p = 0.353 | p < 0.001
factors - 0.0950× faster | 1.2× slower (0.9 to 1.4) | 1.0× faster
factors + 9.7× faster (9.4 to 10.1) | 1.04× slower (1.02 to 1.06)
notation - differ by up to 1e-15 | by -0.5 | of 45000 labels
notation + 1.0 × 10⁻¹⁵ | −0.5 | of 45,000 labels | Add 1e-9 × the largest variance
zeros - log loss +0.00 nats, 95 % interval −0.00 to +0.01 | in 0 runs | none of 0 labels
zeros - no label differs in 0 of 3 runs
zeros + +0.01 | 0 of 3 runs | within ±10⁻¹⁵ | 0.00 | −0.05
endings - Failing has no labels in any of the runs
endings + Failing has no labels in any of the runs. | Time of one call
digits - 9.99 × 10⁻¹⁶ here, 1.0 × 10⁻¹⁵ there
digits + 1.0 × 10⁻¹⁵, 2.2 × 10⁻¹⁶
"""
# Rule -> what it must refute, and what it must pass.
EXAMPLES: dict[str, tuple[list[str], list[str]]] = {}
for _line in _EXAMPLES.strip().splitlines():
    _rule, _sign, _texts = _line.split(" ", 2)
    EXAMPLES.setdefault(_rule, ([], []))["-+".index(_sign)].extend(_texts.split(" | "))
