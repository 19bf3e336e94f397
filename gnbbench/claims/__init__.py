"""Published figures as data, their reproduction here, and the verdict on each."""
