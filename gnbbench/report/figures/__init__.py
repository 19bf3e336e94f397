"""Figures: a table in, a matplotlib Figure out, unsaved."""
