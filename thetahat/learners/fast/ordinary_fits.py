"""When a split is left to an ordinary fit: limits of rounding errors, and common reasons."""

from __future__ import annotations

from typing import Final

from thetahat.learners.base import OrdinaryFit

ROUNDING: Final = 1e-15
"""Relative rounding error of a sum."""

MAX_ERROR: Final = 1e-9
"""Largest error of a log density or a logit with which a probability agrees to eight digits."""

MAX_AMPLIFICATION: Final = 1e6
"""How much of a rounding error may be in a prediction, in the scale of the target.

A relative error of 2e-16 in the products, times the square root of a few hundred terms, times
this, stays below 1e-8.
"""

MIN_SHARE_LEFT: Final = 1e-6
"""Smallest share of a class's weight that must remain, so that subtraction loses few digits."""

NEGLIGIBLE_CLASS_WEIGHT: Final = OrdinaryFit("hardly any weight of a class is in the training part")
REPEATED_ROWS: Final = OrdinaryFit("the training part repeats rows")
TIED: Final = OrdinaryFit("two classes are equally likely up to rounding")
