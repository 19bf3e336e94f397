"""Data: a name, a path or arrays become a Dataset; a large file becomes a Stream."""
