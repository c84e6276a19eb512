"""Learners cross-validated and evaluated: the analysis of kind ``cross_validation``."""
