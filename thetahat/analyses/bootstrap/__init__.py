"""The bootstrap of any statistic of a sample: its replicates, intervals and result."""
