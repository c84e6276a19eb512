"""What the Bayesian tests share: a region of practical equivalence, and shares of a posterior.

Such a test has no p-value and no statistic: it answers with the posterior probabilities that a is
better (``p_left``: the difference, a minus b of losses, is below the region), that the two are
practically alike (``p_rope``) and that b is better (``p_right``).
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

from thetahat.cautions import FEW_UNITS, FEW_UNITS_OF_A_PRIOR, Caution
from thetahat.errors import InvalidParameter
from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._units import PairedUnits, dependence_cautions
from thetahat.values.layout import Layout

PriorPlace = Literal["left", "rope", "right"]
PLACES = get_args(PriorPlace)

Shares = tuple[float, float, float]
"""Posterior probabilities of left, rope and right."""


def check_rope(rope: float | None) -> None:
    """Refuse a region that is not one; None stands for what the request says."""
    if rope is not None and not (math.isfinite(rope) and rope >= 0):
        raise InvalidParameter(
            f"rope must be a finite number, 0 or above, and is {rope}", loc=("rope",), value=rope
        )


def check_prior(prior: float, place: str) -> None:
    """Refuse a weight that is not one, and an unknown place."""
    if not (math.isfinite(prior) and prior >= 0):
        raise InvalidParameter(
            f"prior must be a finite number, 0 or above, and is {prior}",
            loc=("prior",),
            value=prior,
        )
    check_choice("prior_place", place, PLACES)


def shares_told(shares: Shares, rope: float) -> dict[str, Any]:
    """Return the shares as fields of the result."""
    left, within, right = shares
    return {"p_left": left, "p_rope": within, "p_right": right, "rope": rope}


def posterior_cautions(layout: Layout, units: PairedUnits) -> tuple[Caution, ...]:
    """Cautions of the Bayesian tests that take units as independent."""
    cautions = dependence_cautions(layout, units.unit)
    if units.n_units >= FEW_UNITS_OF_A_PRIOR:
        return cautions
    few = FEW_UNITS(
        subject="The posterior",
        n=units.n_units,
        unit=units.unit,
        consequence="the prior has much weight in it",
    )
    return (*cautions, few)
