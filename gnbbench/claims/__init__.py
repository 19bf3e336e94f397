"""What others published, as data; what the same protocol gives here; and the verdict."""
