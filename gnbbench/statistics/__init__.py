"""Statistics: the records of a study become its Summary."""
