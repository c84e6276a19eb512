"""Which interval of the expected loss over one partition covers, and how long it is."""
