"""Series: losses that arrive in batches, looked at after each, until something is decided."""
