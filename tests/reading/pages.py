"""What a page says, line by line, as text that a reader of a difference can follow."""

from html.parser import HTMLParser
from itertools import groupby

# Elements that begin a line; those whose inside nobody reads; rows kept of a table.
LINES = {
    *("h1", "h2", "h3", "h4", "section", "p", "li", "tr", "dt", "pre", "summary"),
    *("caption", "figcaption", "title", "div"),
}
UNREAD = {"script", "style", "svg", "head"}
ROWS = 12
ROW = "  | "


class _Lines(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]
        self.unread = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.unread += tag in UNREAD
        if self.unread:
            return
        if tag in LINES:
            self.lines.append("  " if tag == "tr" else "")
        if tag in {"th", "td"}:
            self.lines[-1] += "| "
        if found.get("id"):
            self.lines[-1] += f"#{found['id']} "
        tones = [name for name in found.get("class", "").split() if "tone" in name]
        is_number = " number" in f" {found.get('class', '')}"
        self.lines[-1] += "".join(f"[{name}] " for name in tones)
        self.lines[-1] += "[number] " if tag == "th" and is_number else ""
        if tag == "code" and self.lines[-1]:
            self.lines[-1] += " "
        if tag == "a":
            self.lines[-1] += f"({found['href']}) "

    def handle_endtag(self, tag: str) -> None:
        self.unread -= tag in UNREAD
        if tag in {"code", "dt", "dd", "span", "a", "th", "td", "strong"}:
            self.lines[-1] += " "

    def handle_data(self, data: str) -> None:
        if not self.unread:
            self.lines[-1] += " ".join(data.split()) if data.strip() else ""


def page_text(page: str) -> str:
    """Return headings, sentences, tables and links of a page; long tables are cut."""
    reader = _Lines()
    reader.feed(page)
    lines = [line.rstrip() for line in reader.lines if line.strip(" |")]
    kept: list[str] = []
    for is_row, run in groupby(lines, lambda line: line.startswith(ROW)):
        rows = list(run)
        if is_row and len(rows) > ROWS:
            rows[ROWS:] = [f"{ROW}and {len(rows) - ROWS} more rows"]
        kept += rows
    return "\n".join(kept)
