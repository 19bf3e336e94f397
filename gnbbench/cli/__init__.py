"""The commands; the only place that prints, reads argv or exits."""

from gnbbench.cli.app import main

__all__ = ["main"]
