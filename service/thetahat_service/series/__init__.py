"""Series: created, added to, read, closed and deleted."""
