"""Shared parts of the kinds that fit learners: plans, chunks, outputs and extra fits."""
