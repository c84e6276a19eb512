"""Drawing the figures of a result; matplotlib is loaded when the first one is drawn."""
