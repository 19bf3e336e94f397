"""How many rows were put to the test, and what their agreement says of other rows."""


def rows_tested(n_rows: int, *, test_share: float, n_runs: int) -> int:
    """Return the expected number of rows that were on the test side at least once.

    ``n_rows * (1 - (1 - test_share)**n_runs)``, rounded: one split tests its test side
    only, a few dozen splits test every row.

    Parameters
    ----------
    n_rows : int
        Distinct rows of the data.
    test_share : float
        Share of the samples on the test side, between 0 and 1.
    n_runs : int
        Random splits.

    Returns
    -------
    int
        From 0 to `n_rows`.

    Examples
    --------
    >>> rows_tested(149, test_share=0.3, n_runs=1)
    45
    >>> rows_tested(149, test_share=0.3, n_runs=1000)
    149
    """
    return round(n_rows * (1 - (1 - test_share) ** n_runs))


def row_bound(n_rows: int) -> float:
    """Return the 95 % upper bound on a share of rows of which none was seen in `n_rows`.

    ``1 - 0.05**(1 / n)``, the exact form of the rule of three (Hanley and
    Lippman-Hand 1983). More splits of the same rows do not lower it.

    Parameters
    ----------
    n_rows : int
        Distinct rows looked at; the bound is 1 where there is none.

    Returns
    -------
    float
        A share, from 0 to 1.

    Examples
    --------
    >>> round(row_bound(149), 4)
    0.0199
    """
    return 1 - 0.05 ** (1 / n_rows) if n_rows else 1.0
