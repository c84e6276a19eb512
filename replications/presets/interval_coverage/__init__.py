"""Coverage and width of every interval, over learners, sizes, losses and schemes."""

from replications.presets.interval_coverage.preset import IntervalCoverage

PRESET = IntervalCoverage
