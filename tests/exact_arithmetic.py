"""Exact rational arithmetic on the stored doubles: the truth that bounds are held to."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np


def exact_moments(values: Sequence[float]) -> tuple[Fraction, Fraction]:
    """Return the mean and the variance with divisor n."""
    numbers = [Fraction(value) for value in values]
    mean = sum(numbers, Fraction(0)) / len(numbers)
    squares = sum(((number - mean) ** 2 for number in numbers), Fraction(0))
    return mean, squares / len(numbers)


def exact_score(
    x: Sequence[float],
    log_prior: Decimal,
    theta: Sequence[Fraction],
    var: Sequence[Fraction],
) -> Decimal:
    """Return the joint log-likelihood of one sample and class, to 50 digits."""
    with localcontext() as context:
        context.prec = 50
        squares = [
            (Fraction(value) - mean) ** 2 / variance
            for value, mean, variance in zip(x, theta, var, strict=True)
        ]
        two_pi = Fraction(2.0 * np.pi)
        logs = sum((decimal(two_pi * variance).ln() for variance in var), Decimal(0))
        return log_prior - (logs + decimal(sum(squares, Fraction(0)))) / 2


def exact_log(share: Fraction) -> Decimal:
    """Return the logarithm to 50 digits."""
    with localcontext() as context:
        context.prec = 50
        return decimal(share).ln()


def decimal(value: Fraction) -> Decimal:
    """Return the quotient to the digits of the present context."""
    return Decimal(value.numerator) / Decimal(value.denominator)
