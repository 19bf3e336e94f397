"""Statistics: records become a Summary."""
