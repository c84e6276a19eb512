"""The probabilities of one event by one model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from thetahat.analyses.probabilities.bins import (
    assign_bins,
    compute_binned_error,
    compute_debiased_error,
)
from thetahat.analyses.probabilities.calibrated_samples import (
    CalibratedSamples,
    compute_sample_p_value,
    draw_samples,
)
from thetahat.analyses.probabilities.curves import build_curve, choose_points
from thetahat.analyses.probabilities.events import BinaryEvent
from thetahat.analyses.probabilities.expected_coverage import add_expected_coverage
from thetahat.analyses.probabilities.means import estimate_in_the_large
from thetahat.analyses.probabilities.options import EQUAL_COUNT, LOG, Probabilities
from thetahat.analyses.probabilities.result import (
    BinnedErrors,
    EventProbabilities,
    ModelProbabilities,
    NormalTest,
    ScoreParts,
)
from thetahat.analyses.probabilities.score_parts import OutcomeScores, PartValues, divide_scores
from thetahat.analyses.probabilities.sentences import describe_event
from thetahat.analyses.probabilities.slopes import estimate_recalibration
from thetahat.analyses.probabilities.threshold_rates import measure_threshold
from thetahat.cautions import (
    CERTAIN_PROBABILITIES,
    FEW_CLUSTERS_OF_PROBABILITIES,
    FEW_EVENTS,
    FEWER_RESAMPLES,
    SURELY_WRONG,
    Caution,
)
from thetahat.distributions import compute_p_value
from thetahat.numerics.isotonic import fit_isotonic
from thetahat.values.types import Alternative

DEPENDENT: Final = (
    "Rows of a cluster depend on each other, and samples of calibrated probabilities draw them "
    "independently. The intervals of the mean and the slope allow for clusters."
)
INFINITE: Final = "{n} of {n_rows} rows had an outcome of probability 0."


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbabilitySettings:
    """What statements about probabilities depend on beside the rows."""

    options: Probabilities
    """What the request asks for."""
    level: float
    """Level of each interval."""
    n_samples: int
    """Samples that are drawn."""
    are_trained_here: bool = False
    """Whether the models were trained on rows of these data, so that intervals hold as trained."""
    default_samples: int | None = None
    """Samples that would be drawn of fewer rows; None if ``n_samples`` is not fewer."""


def describe_event_probabilities(
    event: BinaryEvent, settings: ProbabilitySettings, rng: np.random.Generator
) -> EventProbabilities:
    """Return everything about the probabilities of one event."""
    options, level, levels = settings.options, settings.level, event.levels
    fitted = fit_isotonic(event.sums, levels.sizes)
    points = choose_points(event, fitted)
    bins = None
    if options.bins is not None:
        bins = assign_bins(levels.values, options.bins, options.binning)
        if options.binning == EQUAL_COUNT:
            of_rows = assign_bins(event.probabilities, options.bins, options.binning)
            bins = np.zeros(len(levels.values), dtype=np.intp)
            bins[levels.index] = of_rows
    names = tuple(dict.fromkeys(options.parts))
    samples = None
    if event.cluster is None:
        samples = draw_samples(event, names, bins, points, settings.n_samples, rng)
    reason = None if samples is not None else DEPENDENT
    scores = OutcomeScores.build_all(names, levels.values)
    parts = {
        name: _build_parts(name, values, event, samples)
        for name, values in divide_scores(event.sums, levels.sizes, scores).items()
    }
    recalibration = estimate_recalibration(event, level) if options.slope else None
    in_the_large = estimate_in_the_large(event, level)
    thresholds = tuple(measure_threshold(event, each, level) for each in options.thresholds)
    in_the_large, recalibration, thresholds = add_expected_coverage(
        event, in_the_large, recalibration, thresholds
    )
    return EventProbabilities(
        event=event.label,
        n=event.n,
        clusters=event.n_clusters,
        events=event.n_events,
        mean_probability=float(event.probabilities.mean()),
        rate=event.n_events / event.n,
        in_the_large=in_the_large,
        recalibration=recalibration,
        parts=parts,
        curve=build_curve(event, fitted, points, samples, level, reason),
        spiegelhalter=_test_by_spiegelhalter(event),
        binned=None if bins is None else _build_bins(event, bins, options, samples),
        thresholds=thresholds,
        resamples=0 if samples is None else settings.n_samples,
        sentence=describe_event(event, in_the_large, recalibration, parts),
        cautions=tuple(_list_cautions(event, settings)),
    )


def describe_model_probabilities(
    main: EventProbabilities,
    by_class: dict[str, EventProbabilities] | None,
    cautions: Sequence[Caution],
) -> ModelProbabilities:
    """Return the main event of a model with its classes, and with the cautions about rows."""
    values = {field.name: getattr(main, field.name) for field in fields(EventProbabilities)}
    values["cautions"] = (*cautions, *main.cautions)
    return ModelProbabilities(**values, by_class=by_class)


def _build_parts(
    name: str, values: PartValues, event: BinaryEvent, samples: CalibratedSamples | None
) -> ScoreParts:
    is_finite = math.isfinite(values.score)
    p_value = expected = None
    reason = None if samples is not None else DEPENDENT
    if samples is not None:
        drawn = samples.miscalibration[name]
        expected = float(drawn.mean())
        p_value = compute_sample_p_value(drawn, values.miscalibration)
    if not is_finite:
        reason = INFINITE.format(n=event.n_surely_wrong, n_rows=event.n)
    return ScoreParts(
        score=values.score if is_finite else None,
        miscalibration=values.miscalibration if is_finite else None,
        discrimination=values.discrimination,
        uncertainty=values.uncertainty,
        p_value=p_value,
        expected_miscalibration=expected,
        reason=reason,
    )


def _test_by_spiegelhalter(event: BinaryEvent) -> NormalTest:
    """Return the z of the Brier score against its expectation under calibration.

    Source: spiegelhalter1986.
    """
    y, p = event.outcomes, event.probabilities
    variance = float(((1 - 2 * p) ** 2 * p * (1 - p)).sum())
    if not variance > 0:
        why = "Every probability is 0, 1/2 or 1, of which the Brier score does not vary."
        return NormalTest(statistic=None, p_value=None, reason=why)
    z = float(((y - p) * (1 - 2 * p)).sum()) / math.sqrt(variance)
    if event.cluster is not None:
        return NormalTest(statistic=z, p_value=None, reason=DEPENDENT)
    return NormalTest(statistic=z, p_value=compute_p_value(z, None, Alternative.TWO_SIDED))


def _build_bins(
    event: BinaryEvent,
    bins: np.ndarray,
    options: Probabilities,
    samples: CalibratedSamples | None,
) -> BinnedErrors:
    levels = event.levels
    error = compute_binned_error(bins, levels.sizes, levels.values, event.sums)
    squared = compute_debiased_error(event.probabilities, event.outcomes)
    expected = p_value = None
    if samples is not None and samples.binned is not None:
        expected = float(samples.binned.mean())
        p_value = compute_sample_p_value(samples.binned, error)
    return BinnedErrors(
        n_bins=options.bins or 0,
        binning=options.binning,
        expected_calibration_error=error,
        if_calibrated=expected,
        p_value=p_value,
        debiased_squared_error=squared,
        debiased_error=math.sqrt(max(squared, 0.0)),
        reason=None if samples is not None else DEPENDENT,
    )


def _list_cautions(event: BinaryEvent, settings: ProbabilitySettings) -> list[Caution]:
    cautions: list[Caution] = []
    n_certain, n_wrong = int(event.is_certain.sum()), event.n_surely_wrong
    if n_certain and settings.options.slope:
        cautions.append(CERTAIN_PROBABILITIES(n=n_certain, n_rows=event.n))
    if n_wrong and LOG in settings.options.parts:
        cautions.append(SURELY_WRONG(n=n_wrong, n_rows=event.n))
    if event.n_rarer < FEW_EVENTS.threshold:
        cautions.append(FEW_EVENTS(n=event.n_rarer))
    n_clusters = event.n_clusters
    if n_clusters is not None and n_clusters < FEW_CLUSTERS_OF_PROBABILITIES.threshold:
        cautions.append(FEW_CLUSTERS_OF_PROBABILITIES(n=n_clusters))
    if settings.default_samples is not None and event.cluster is None:
        cautions.append(FEWER_RESAMPLES(n=settings.n_samples, default=settings.default_samples))
    return cautions
