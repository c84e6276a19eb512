"""What the Bayesian tests over units have in common: the prior, the units and their cautions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from thetahat.cautions import FEW_UNITS, FEW_UNITS_OF_A_PRIOR
from thetahat.paired_tests._units import (
    PairedUnits,
    batch_units,
    dependence_cautions,
    reason_against_unit,
    unit_target,
)
from thetahat.paired_tests.base import PairBatch, PairedTest, PosteriorProbabilities, TestOutcome
from thetahat.parameter_checks import check_choice, check_not_negative
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, UnitName

PriorPlace = Literal["left", "rope", "right"]
PLACES = get_args(PriorPlace)


class PosteriorOfUnits(PairedTest):
    """Base class of Bayesian tests that take blocks, or another unit, as independent."""

    __slots__ = ()

    rope: float | None
    prior: float
    prior_place: PriorPlace
    unit: UnitName | None

    def __post_init__(self) -> None:
        check_not_negative("rope", self.rope)
        check_not_negative("prior", self.prior)
        check_choice("prior_place", self.prior_place, PLACES)
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the units cannot be paired, or None if they can."""
        return reason_against_unit(self.info.name, layout, self.unit or "block")

    def average_units(self, batch: PairBatch) -> PairedUnits:
        """Return the differences of the units of every pair."""
        return batch_units(batch, self.unit or "block")

    def build_outcome(
        self,
        layout: Layout,
        units: PairedUnits,
        probabilities: tuple[float, float, float],
        details: Mapping[str, JsonValue],
    ) -> TestOutcome:
        """Return the outcome of one pair from the probabilities of left, rope and right."""
        left, within, right = probabilities
        cautions = dependence_cautions(layout, units.unit)
        if units.n_units < FEW_UNITS_OF_A_PRIOR:
            few = FEW_UNITS(
                subject="The posterior",
                n=units.n_units,
                units=layout.words.get_unit(units.unit).plural,
                consequence="the prior has much weight in it",
            )
            cautions = (*cautions, few)
        return TestOutcome(
            statistic=None,
            p_value=None,
            target=unit_target(layout, units.unit),
            unit=units.unit,
            cautions=cautions,
            posterior=PosteriorProbabilities(
                p_left=left, p_rope=within, p_right=right, rope=self.rope or 0.0
            ),
            details=details,
        )
