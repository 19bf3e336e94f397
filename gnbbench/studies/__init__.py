"""Studies: a plan becomes records, in order."""
