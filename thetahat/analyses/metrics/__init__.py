"""From a metric, the truth and predictions to estimates, variances, intervals and comparisons."""
