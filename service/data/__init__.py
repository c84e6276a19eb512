"""Data sets: receiving, checking and reading files."""
