"""Evaluations in this process, without database, file store, broker and workers."""
