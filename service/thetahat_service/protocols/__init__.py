"""Protocols: what is fixed before the data, and how evaluations and series follow it."""
