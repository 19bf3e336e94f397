"""Our Gaussian naive Bayes, in NumPy alone."""
