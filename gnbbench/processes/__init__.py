"""The only package that starts processes: all are supervised, and none is left behind."""
