"""Averages over the cells of the coverage study, whose draws are their own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from thetahat.analyses.studies.tables import MonteCarloNumber


def average(numbers: Sequence[MonteCarloNumber]) -> MonteCarloNumber:
    """Mean over cells, whose draws are their own, with its error."""
    known = [n for n in numbers if n.value is not None]
    values = [n.value for n in known if n.value is not None]
    errors = [n.standard_error for n in known if n.standard_error is not None]
    if not values:
        return MonteCarloNumber(None)
    mean = sum(values) / len(values)
    if len(errors) < len(values):
        return MonteCarloNumber(mean)
    return MonteCarloNumber(mean, math.sqrt(sum(error**2 for error in errors)) / len(values))
