"""The worker processes: claim a unit of work, compute it, record the outcome."""
