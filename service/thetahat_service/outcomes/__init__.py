"""What the work on a unit leaves: the table of losses, a failure as arrays, a problem document."""
