"""Gaussian naive Bayes with one planted fault each, written without the textbook family."""
