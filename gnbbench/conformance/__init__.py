"""A battery of hard cases for any Gaussian naive Bayes."""
