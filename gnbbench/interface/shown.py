"""How a study shows itself: in a terminal, as files, as a page in a notebook."""

from abc import ABC, abstractmethod
from html import escape
from pathlib import Path
from typing import Any

from rich.console import RenderableType


class Shown(ABC):
    """A study with a page and a headline.

    Attributes
    ----------
    details : object
        All that is shown; has a ``headline``.
    """

    details: Any

    def table(self) -> RenderableType:
        """Return what a terminal shows: the verdict in words, then the numbers.

        Returns
        -------
        rich.console.RenderableType
            Fits 80 columns.
        """
        return self._table()

    def page(self) -> str:
        """Return the whole page as HTML.

        Returns
        -------
        str
        """
        return self._page()

    def save(self, directory: str | Path) -> Path:
        """Write the page, the figures, the tables and the records.

        Parameters
        ----------
        directory : str or Path
            Made if it does not exist; files of an earlier report are replaced.

        Returns
        -------
        Path
            Of ``index.html``.

        Raises
        ------
        ResultsError
            If the directory cannot be written.
        """
        return self._write(Path(directory))

    @abstractmethod
    def _table(self) -> RenderableType:
        """Return what `table` does."""

    @abstractmethod
    def _page(self) -> str:
        """Return what `page` does."""

    @abstractmethod
    def _write(self, directory: Path) -> Path:
        """Do what `save` does."""

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, for a notebook."""
        return (
            '<iframe title="gnbbench report" style="width:100%;height:80vh;border:0" '
            f'srcdoc="{escape(self.page())}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.details.headline}>"
