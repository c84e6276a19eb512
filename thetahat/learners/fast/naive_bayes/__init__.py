"""Naive Bayes over many splits, from sums by class."""
