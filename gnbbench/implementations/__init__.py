"""What a user can compare."""
