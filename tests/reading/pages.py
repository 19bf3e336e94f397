"""What a page holds, tag by tag, and the faults that no page has."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from itertools import pairwise

VOID = {"meta", "link", "br", "img", "input", "hr"}
HEADINGS = ("h1", "h2", "h3", "h4", "h5")
UNREAD = {"script", "style", "svg", "head"}
FOLDED = {"details", *UNREAD}
# A row may be called so: there is a cause of that name.
BARE = {"th": {""}, "td": {"", "nan", "None", "inf", "NaT"}}
# Marks of a conflict, of a template, and of where a machine keeps its files.
STRAY = re.compile(
    r"^(?:<{7}|={7}|>{7})|\{\{|\}\}|\{%|(?<!\w)/(?:home|root|tmp|work|Users|var)/|\b[A-Z]:\\",
    re.MULTILINE,
)


class Outline(HTMLParser):
    """Tags, ids, links and text of a page; complains where a tag is closed wrongly."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.read: list[str] = []  # Words, but for scripts, styles, drawings and the head
        self.shown: list[str] = []  # Words outside folds and drawings
        self.told: list[str] = []  # Text there, but for tables and lists
        self.cells: list[tuple[str, str]] = []
        self.headings: list[tuple[str, str]] = []
        self.wrong: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids += [value for key, value in attrs if key == "id" and value]
        if tag in {"a", "img", "link", "script"}:
            self.links += [v for key, v in attrs if key in {"href", "src"} and v]
        if tag not in VOID:
            self.open.append(tag)
        if tag in {"th", "td"}:
            self.cells.append((tag, ""))
        if tag in HEADINGS:
            self.headings.append((tag, ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append(tag)

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        inside = set(self.open)
        self.read += [] if inside & UNREAD else [data]
        if inside & {"th", "td"}:
            kind, text = self.cells[-1]
            self.cells[-1] = (kind, text + data.strip())
        if inside & set(HEADINGS) and "a" not in inside:
            level, title = self.headings[-1]
            self.headings[-1] = (level, title + data.strip())
        if not FOLDED & inside:
            self.shown += re.findall(r"\S*\w\S*", data)
            if not {"table", "pre", "code", "dl", "li"} & inside:
                self.told.append(data)

    def faults(self) -> list[str]:
        """Return what no page may have: each as a few words."""
        levels = [HEADINGS.index(level) for level, _ in self.headings]
        steps = pairwise(levels)
        repeated = {name for name in self.ids if self.ids.count(name) > 1}
        return [
            *(f"closed wrongly: {tag}" for tag in (*self.wrong, *self.open)),
            *(f"id twice: {name}" for name in sorted(repeated)),
            *([] if levels[:1] == [0] and levels.count(0) == 1 else ["not one h1 first"]),
            *(f"h{low + 1} before h{high + 1}" for low, high in steps if high > low + 1),
            *(f"empty {level}" for level, title in self.headings if not title),
            *(f"bare cell: {cell!r}" for tag, cell in self.cells if cell in BARE[tag]),
            *(f"stray: {found}" for found in STRAY.findall("".join(self.read))),
        ]

    def missing(self, texts: Iterable[str]) -> list[str]:
        """Return the first text that does not stand after those before it."""
        page = " ".join("".join(self.read).split())
        place = 0
        for text in texts:
            words = " ".join(text.split())
            start = page.find(words, place)
            if start < 0:
                return [text]
            place = start + len(words)
        return []
