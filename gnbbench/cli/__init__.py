"""The commands; the only place that prints, reads argv or exits."""
