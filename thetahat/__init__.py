"""The mathematics of thetahat: pure, and knowing nothing of HTTP, databases or clocks."""

__version__ = "0.1.0"
