"""Requests of the service to other hosts, which cannot be led to addresses inside the network."""
