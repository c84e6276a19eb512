"""Logistic regression over many splits and penalties."""
