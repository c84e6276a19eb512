"""The hands: claim, compute, record."""
