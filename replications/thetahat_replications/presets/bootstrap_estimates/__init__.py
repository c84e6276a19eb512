"""Bootstrap estimates of bias and variance compared with the true bias and variance."""

from thetahat_replications.presets.bootstrap_estimates.preset import BootstrapEstimates

PRESET = BootstrapEstimates
