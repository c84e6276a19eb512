"""Loops that are too slow in numpy, compiled with numba at their first use."""
