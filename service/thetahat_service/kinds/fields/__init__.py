"""Fields that the requests of several kinds share, and how they are read."""
