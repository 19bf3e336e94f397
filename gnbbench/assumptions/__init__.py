"""Tests of the two assumptions of Gaussian naive Bayes by class, and their costs."""
