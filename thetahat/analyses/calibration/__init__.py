"""Intervals calibrated on the data that they are for: how often they cover on samples of them."""
