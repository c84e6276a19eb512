"""Discriminant analysis over many splits."""
