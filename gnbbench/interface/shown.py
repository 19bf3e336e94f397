"""How a study shows itself: the page in a notebook, its finding in a session."""

from abc import ABC, abstractmethod
from html import escape
from typing import Any


class Shown(ABC):
    """A study with a page and a headline.

    Attributes
    ----------
    details : object
        All that is shown; has a ``headline``.
    """

    details: Any

    @abstractmethod
    def page(self) -> str:
        """Return the whole page as HTML.

        Returns
        -------
        str
        """

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, for a notebook."""
        return (
            '<iframe title="gnbbench report" style="width:100%;height:80vh;border:0" '
            f'srcdoc="{escape(self.page())}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.details.headline}>"
