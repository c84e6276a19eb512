"""Sizes at which one way of computing a paired test replaces another, each with its measurement.

Times are CPU milliseconds of one thread, medians of three runs or more of each way in turn in one
process.
"""

from __future__ import annotations

from typing import Final

MAX_ENUMERATED: Final = 14
"""Differences up to which all sign patterns are counted, and p is exact.

All patterns and 10 000 drawn ones: 8 differences 0.021 and 0.43, 14 differences 0.053 and 0.38, 16
differences 0.12 and 0.40.
"""

MIN_MODELS_TO_SHARE: Final = 3
"""Models from which sums under random signs are computed for each model, not for each pair.

10 000 patterns of 100 units: 3 models 2.8 and 4.0, 5 models 2.1 and 12, 20 models 6.9 and 212; of
10 000 units: 5 models 18 and 37. Two models are one pair.
"""
