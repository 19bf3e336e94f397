"""Published figures in a terminal of 80 columns."""

from io import StringIO

from faults.claims import made_results, made_summary
from rich.console import Console, RenderableType

from gnbbench.report.reproduce_terminal import claim_list, reproduce_table


def shown(renderable: RenderableType) -> str:
    stream = StringIO()
    Console(file=stream, width=120).print(renderable)
    return stream.getvalue()


def test_every_claim_has_a_row_with_its_verdict() -> None:
    text = shown(reproduce_table(made_summary()))

    assert text.startswith("1 of 7 published figures are reproduced.")
    for result in made_results():
        assert result.claim.id in text
    assert max(map(len, map(str.rstrip, text.splitlines()))) <= 120
    table_rows = [line for line in text.splitlines() if "✓" in line or "✗" in line]
    assert max(map(len, map(str.rstrip, table_rows))) <= 80


def test_what_a_row_cannot_say_stands_below() -> None:
    text = " ".join(shown(reproduce_table(made_summary())).split())

    assert "s-same: It comes with sklearn; not with numpy (0.9333): a floor." in text
    assert "s-open: No protocol can be told from it." in text
    assert "Remark: s-lost was reproduced and is not reproduced now." in text


def test_the_list_has_every_claim() -> None:
    text = shown(claim_list([result.claim for result in made_results()]))

    assert all(result.claim.id in text for result in made_results())
