"""How often intervals about probabilities covered in the nearest studied design."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, TypeVar

import numpy as np

from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.options import RATES
from thetahat.analyses.probabilities.result import (
    ProbabilityEstimate,
    Recalibration,
    ThresholdDifferences,
    ThresholdRates,
)
from thetahat.values.clusters import compute_imbalance
from thetahat.values.kept_studies import (
    explain_imbalance,
    find_expected_coverage,
    read_studied_intervals,
)

R = TypeVar("R", ThresholdRates, ThresholdDifferences)

ROWS_OF_RARER: Final = "rows of the rarer outcome"


def add_expected_coverage(
    event: BinaryEvent,
    in_the_large: ProbabilityEstimate,
    recalibration: Recalibration | None,
    thresholds: Iterable[ThresholdRates],
) -> tuple[ProbabilityEstimate, Recalibration | None, tuple[ThresholdRates, ...]]:
    """Return the estimates of one event with the coverage of their intervals."""
    if recalibration is not None:
        recalibration = replace(
            recalibration,
            slope=_add(event, "slope", recalibration.slope),
            intercept=_add(event, "intercept", recalibration.intercept),
            intercept_slope_one=_add(
                event, "intercept_slope_one", recalibration.intercept_slope_one
            ),
        )
    rates = tuple(_add_to_rates(event, each) for each in thresholds)
    return _add(event, "in_the_large", in_the_large), recalibration, rates


def add_coverage_of_differences(
    events: tuple[BinaryEvent, BinaryEvent], quantity: str, estimate: ProbabilityEstimate
) -> ProbabilityEstimate:
    """Return a difference of two models with the coverage of its interval."""
    return _add(events[0], quantity, estimate)


def add_coverage_of_rates(
    events: tuple[BinaryEvent, BinaryEvent], rates: ThresholdDifferences
) -> ThresholdDifferences:
    """Return the differences of the rates of two models with the coverage of their intervals."""
    return _add_to_rates(events[0], rates, "_difference")


def _add_to_rates(event: BinaryEvent, rates: R, ending: str = "") -> R:
    added: dict[str, Any] = {
        name: _add(event, f"{name}{ending}", getattr(rates, name)) for name in RATES
    }
    return replace(rates, **added)


def _add(event: BinaryEvent, quantity: str, estimate: ProbabilityEstimate) -> ProbabilityEstimate:
    if estimate.lower is None:
        return estimate
    numbers = {"rows": event.n, ROWS_OF_RARER: event.n_rarer}
    if event.cluster is not None:
        sizes = np.bincount(event.cluster)
        numbers["clusters"] = len(sizes)
        if unequal := explain_imbalance("clusters", len(sizes), compute_imbalance(sizes)):
            return replace(estimate, expected_coverage_missing=unequal)
    studied = read_studied_intervals(__package__, "probability_coverage.json", quantity)
    expected, missing = find_expected_coverage(studied, "probabilities", numbers)
    return replace(estimate, expected_coverage=expected, expected_coverage_missing=missing)
