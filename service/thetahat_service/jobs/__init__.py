"""Submitting, reading, cancelling and running evaluations."""
