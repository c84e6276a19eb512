"""Speed of thetahat beside what users would call instead: ``python -m benchmarks``."""
