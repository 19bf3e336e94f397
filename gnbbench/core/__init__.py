"""Our Gaussian naive Bayes, in NumPy alone; usable without the rest of gnbbench."""

from gnbbench.core.gaussian_nb import GaussianNB

__all__ = ["GaussianNB"]
