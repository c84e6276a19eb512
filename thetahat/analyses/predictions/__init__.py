"""Models compared by the losses of their predictions, with metrics of all predictions together."""
