"""Solvers that fit a learner to the training parts of many splits at once."""
