"""Coverage and width of every interval, over learners, sizes, losses and schemes."""

from thetahat_replications.presets.interval_coverage.preset import IntervalCoverage

PRESET = IntervalCoverage
