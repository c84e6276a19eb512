"""Compiled loops that only the replications use."""
