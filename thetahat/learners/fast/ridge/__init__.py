"""Ridge regression and least squares over many splits and penalties."""
