"""What the columns of a table are for: a role is proposed for each, with a reason in words."""
