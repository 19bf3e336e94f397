"""One run measured: labels, probabilities, times."""
