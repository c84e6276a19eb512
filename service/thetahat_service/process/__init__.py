"""Shared parts of every process of the service: logging, memory limits, threads, start and end."""
