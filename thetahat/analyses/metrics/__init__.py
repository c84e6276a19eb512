"""Computes estimates, variances, intervals and comparisons of a metric from predictions."""
