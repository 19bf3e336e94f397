"""The only package that starts processes; it supervises them and leaves none behind."""
