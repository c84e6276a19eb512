"""How often intervals about probabilities covered in the nearest studied design."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final, TypeVar

from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.options import RATES
from thetahat.analyses.probabilities.result import (
    ProbabilityEstimate,
    Recalibration,
    ThresholdDifferences,
    ThresholdRates,
)
from thetahat.values.coverage import ExpectedCoverage

R = TypeVar("R", ThresholdRates, ThresholdDifferences)

FACTOR: Final = 3.0
"""How far the numbers of rows, of the rarer outcome and of clusters may be from a design's."""
PAGE: Final = "docs/results/edges/probabilities.md"
NOT_STUDIED: Final = "The coverage of this interval was not studied."


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedProbabilities:
    """A simulated design, with how often intervals covered."""

    quantity: str
    """What the interval is of."""
    n: int
    """Rows."""
    rarer: float
    """Mean number of rows of the rarer outcome."""
    clusters: int | None
    """Clusters; None for independent rows."""
    coverage: float
    """Share of samples in which it covered, over the populations of the design."""
    standard_error: float
    """Its standard error."""
    least: float
    """Smallest share among the populations."""
    largest: float
    """Largest share among them."""
    design: str
    """The design in words."""

    def find_distance(self, event: BinaryEvent) -> float | None:
        """Return how far the design is from the data, as a factor; None if too far.

        Both have clusters, or neither has.
        """
        pairs = [(self.n, event.n), (self.rarer, event.n_rarer)]
        if self.clusters is not None and event.n_clusters is not None:
            pairs.append((self.clusters, event.n_clusters))
        if any(not ours or not theirs for ours, theirs in pairs):
            return None
        factors = [max(ours / theirs, theirs / ours) for ours, theirs in pairs]
        return max(factors) if max(factors) <= FACTOR else None


@cache
def read_studied_designs() -> tuple[StudiedProbabilities, ...]:
    """Return the designs of the kept study."""
    text = files(__package__).joinpath("studied_coverage.json").read_text()
    records: list[dict[str, Any]] = json.loads(text)
    return tuple(StudiedProbabilities(**record) for record in records)


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
    designs = [
        each
        for each in read_studied_designs()
        if each.quantity == quantity and (each.clusters is None) == (event.n_clusters is None)
    ]
    if not designs:
        return replace(estimate, expected_coverage_missing=NOT_STUDIED)
    known = [
        (distance, place)
        for place, each in enumerate(designs)
        if (distance := each.find_distance(event)) is not None
    ]
    if not known:
        size = f"{event.n} rows, {event.n_rarer} of the rarer outcome"
        if event.n_clusters is not None:
            size += f", in {event.n_clusters} clusters"
        reason = f"No studied design comes near {size}."
        return replace(estimate, expected_coverage_missing=reason)
    nearest = designs[min(known)[1]]
    expected = ExpectedCoverage(
        level=0.95,
        coverage=nearest.coverage,
        standard_error=nearest.standard_error,
        least=nearest.least,
        largest=nearest.largest,
        design=nearest.design,
        table=PAGE,
    )
    return replace(estimate, expected_coverage=expected)
