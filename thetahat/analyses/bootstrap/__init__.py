"""Bootstrap of a statistic of a sample: replicates, intervals and result."""
