"""Corrections of p-values for the number of comparisons."""
