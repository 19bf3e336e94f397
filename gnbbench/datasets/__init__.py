"""Datasets: a name or a path becomes a Dataset."""
