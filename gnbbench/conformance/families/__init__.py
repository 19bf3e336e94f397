"""The checks, one module a family; each has its table ``CHECKS``."""
