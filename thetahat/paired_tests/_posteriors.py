"""The prior of the Bayesian tests over units, and their cautions."""

from __future__ import annotations

from typing import Literal, get_args

from thetahat.cautions import FEW_UNITS, FEW_UNITS_OF_A_PRIOR, Caution
from thetahat.paired_tests._units import PairedUnits, dependence_cautions
from thetahat.parameter_checks import check_choice, check_not_negative
from thetahat.values.layout import Layout

PriorPlace = Literal["left", "rope", "right"]
PLACES = get_args(PriorPlace)


def check_prior(prior: float, place: str) -> None:
    """Raise if the prior's weight is negative or infinite, or its place unknown."""
    check_not_negative("prior", prior)
    check_choice("prior_place", place, PLACES)


def posterior_cautions(layout: Layout, units: PairedUnits) -> tuple[Caution, ...]:
    """Return the cautions of the Bayesian tests that take units as independent."""
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
