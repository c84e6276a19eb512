"""Nearest neighbours over many splits, from one search over all rows."""
