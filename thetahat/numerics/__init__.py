"""Numerical building blocks: compiled loops and the bootstrap."""
