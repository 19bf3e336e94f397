"""How many rows were put to the test, and what their agreement says of other rows."""


def rows_tested(n_rows: int, *, test_share: float, n_runs: int) -> int:
    """Return the expected number of rows that were on the test side at least once.

    ``n_rows * (1 - (1 - test_share)**n_runs)``, rounded: one split tests its test side
    only, a few dozen splits test every row.
    """
    return round(n_rows * (1 - (1 - test_share) ** n_runs))


def row_bound(n_rows: int) -> float:
    """Return the 95 % upper bound on a share of rows of which none was seen in `n_rows`.

    ``1 - 0.05**(1 / n)``, the exact form of the rule of three (Hanley and
    Lippman-Hand 1983). More splits of the same rows do not lower it.
    """
    return 1 - 0.05 ** (1 / n_rows) if n_rows else 1.0
