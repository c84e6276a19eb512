"""What the kinds that fit learners share."""
