"""Gaussian naive Bayes, compared."""
