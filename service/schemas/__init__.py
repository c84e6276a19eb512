"""Wire types."""
