"""Starts and stops the API, the workers and the embedded broker."""
