"""Compiled loops (numba) that only the replications use."""
