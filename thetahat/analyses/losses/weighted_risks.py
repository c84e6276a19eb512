"""Importance-weighted risks of models, and their differences by pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.optional_results import (
    NormalInterval,
    SourceRisk,
    SourceRiskDifference,
    WeightedRisk,
    WeightedRiskDifference,
)
from thetahat.analyses.losses.pairs import list_places
from thetahat.analyses.losses.parts import ModelPair, RiskParts
from thetahat.cautions import (
    ONE_EFFECTIVE_ROW,
    ONE_ROW,
    REPEATS_COUNTED_AS_INSTANCES,
    SOURCE_WITHOUT_WEIGHT,
    Caution,
)
from thetahat.intervals.normal import Normal
from thetahat.special_functions import ndtri
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, IntArray, Label, Target
from thetahat.weighted_risks import WEIGHTED_RISKS, average_by_source
from thetahat.weighted_risks._weighted_losses import count_effective_rows
from thetahat.weighted_risks.base import RiskEstimate, RiskEstimator

RowWeights = FloatArray | Mapping[str, FloatArray]
"""(n,) weights of the rows, or those of each model."""

Sources = tuple[IntArray, tuple[Label, ...]]
"""(n,) code of each row's source, and the labels of the sources."""

Risks = Mapping[str, RiskEstimator]
"""Estimators by their key in the result."""


@dataclass(frozen=True, slots=True, eq=False)
class Weighting:
    """The importance weights of the rows of a loss table, and how risks are estimated with them."""

    weights: RowWeights
    """(n,) weights of the rows, or those of each model."""
    risks: Risks | None = None
    """The estimators by their key in the result; None means every one with its defaults."""
    sources: Sources | None = None
    """The source of each row; None takes the blocks if these are sources."""


def estimate_all_risks(table: LossTable, weighting: Weighting, choices: Choices) -> RiskParts:
    """Return the risks of each model and of each pair's difference.

    A difference is the risk of the differences of the losses: every estimator is linear in the
    losses. There are no differences if models have weights of their own.
    """
    weights, chosen = weighting.weights, (weighting.risks, weighting.sources)
    choices = choices.orient(higher_is_better=table.higher_is_better)
    models = {}
    for name, losses in table.models.items():
        own = weights[name] if isinstance(weights, Mapping) else weights
        models[name] = estimate_risks(losses, own, choices, *chosen)
    places = list_places(table.names, choices.control)
    if isinstance(weights, Mapping):
        return RiskParts(models=models)
    differences: dict[ModelPair, dict[str, WeightedRiskDifference]] = {}
    for a, b in ((table.names[i], table.names[j]) for i, j in places):
        difference = table.models[a].minus(table.models[b])
        estimated = estimate_risks(difference, weights, choices, *chosen)
        differences[a, b] = {name: convert_to_difference(risk) for name, risk in estimated.items()}
    return RiskParts(models=models, differences=differences)


def estimate_risks(
    losses: BlockLosses,
    weights: FloatArray,
    choices: Choices,
    risks: Risks | None = None,
    sources: Sources | None = None,
) -> dict[str, WeightedRisk]:
    """Return every risk with its variance and normal interval, by key.

    ``risks`` of None means every estimator with its defaults. In several repeats a named instance
    counts once, with its mean loss and mean weight. The rows of unnamed instances count as separate
    instances; the variance is then too small, and a caution says so. The risks are also computed
    for each source: ``sources``, or the blocks if these are sources.
    """
    if risks is None:
        risks = {name: kind() for name, kind in WEIGHTED_RISKS.items()}
    values, own, fold, cautions = _compute_terms(losses, weights)
    known = _get_sources(losses.layout, fold, sources)
    estimated: dict[str, WeightedRisk] = {}
    for name, method in risks.items():
        risk = method.estimate(values, own, fold)
        by_source = None
        if known is not None:
            by_source = build_source_risks(risk, own, *known, choices.level, choices.alternative)
        estimated[name] = build_risk(
            risk,
            own,
            choices.level,
            choices.alternative,
            cautions,
            by_source=by_source,
        )
    return estimated


def check_effective_rows(weights: FloatArray) -> tuple[Caution, ...]:
    """Return a caution if one row has about all the weight, so that no interval can be built."""
    effective = count_effective_rows(weights)
    if effective < ONE_EFFECTIVE_ROW.threshold:
        return (ONE_EFFECTIVE_ROW(effective=f"{effective:.4g}"),)
    return ()


def build_risk(  # noqa: PLR0913 - the estimate, and what its interval and cautions depend on
    risk: RiskEstimate,
    weights: FloatArray,
    level: float,
    alternative: Alternative = Alternative.TWO_SIDED,
    cautions: Iterable[Caution] = (),
    *,
    by_source: tuple[SourceRisk, ...] | None = None,
) -> WeightedRisk:
    """Return an estimated risk as results have it.

    ``weights`` are the (n,) weights of its terms; there is no interval if one row has about all the
    weight.
    """
    one_row = check_effective_rows(weights)
    return WeightedRisk(
        estimate=risk.estimate,
        variance=risk.variance,
        standard_error=math.sqrt(risk.variance),
        target=risk.target,
        beta=tuple(risk.beta),
        bias=risk.bias,
        interval=None
        if one_row
        else build_normal_interval(risk.estimate, risk.variance, level, alternative),
        cautions=tuple(dict.fromkeys((*risk.cautions, *cautions, *one_row))),
        by_source=by_source,
    )


def convert_to_difference(risk: WeightedRisk) -> WeightedRiskDifference:
    """Return the risk of differences of losses as a difference of risks, in each source too."""
    by_source = None
    if risk.by_source is not None:
        by_source = tuple(
            SourceRiskDifference(
                source=of_source.source,
                n=of_source.n,
                difference=of_source.estimate,
                variance=of_source.variance,
                interval=of_source.interval,
                cautions=of_source.cautions,
            )
            for of_source in risk.by_source
        )
    return WeightedRiskDifference(
        difference=risk.estimate,
        variance=risk.variance,
        standard_error=risk.standard_error,
        target=risk.target,
        beta=risk.beta,
        bias=risk.bias,
        interval=risk.interval,
        cautions=risk.cautions,
        by_source=by_source,
    )


def build_source_risks(  # noqa: PLR0913 - the estimate, its sources, and the interval's choices
    risk: RiskEstimate,
    weights: FloatArray,
    codes: IntArray,
    labels: tuple[Label, ...],
    level: float,
    alternative: Alternative = Alternative.TWO_SIDED,
) -> tuple[SourceRisk, ...]:
    """Return the mean of the terms in each source.

    A source of one row has no variance. There is no interval either if one of its rows has about
    all the weight of the source, or if all its weights are 0.
    """
    means, variances = average_by_source(risk, codes)
    counts = np.bincount(codes)
    built: list[SourceRisk] = []
    for label, n, mean, variance in zip(labels, counts, means, variances, strict=True):
        cautions = _check_source(label, weights[codes == len(built)])
        interval = build_normal_interval(float(mean), float(variance), level, alternative)
        built.append(
            SourceRisk(
                source=label,
                n=int(n),
                estimate=float(mean),
                variance=float(variance),
                interval=None if cautions else interval,
                cautions=cautions,
            )
        )
    return tuple(built)


def _check_source(label: Label, weights: FloatArray) -> tuple[Caution, ...]:
    """Return the caution of a source whose weighted losses cannot have an interval."""
    if len(weights) == 1:
        return (ONE_ROW(source=repr(label)),)
    if not weights.any():
        return (SOURCE_WITHOUT_WEIGHT(source=repr(label)),)
    return check_effective_rows(weights)


def build_normal_interval(
    estimate: float,
    variance: float,
    level: float,
    alternative: Alternative = Alternative.TWO_SIDED,
) -> NormalInterval:
    """Return the normal interval about an estimate; open ends are None."""
    two_sided = alternative is Alternative.TWO_SIDED
    alpha = 1 - level
    reach = -float(ndtri(alpha / 2 if two_sided else alpha)) * math.sqrt(variance)
    return NormalInterval(
        method=Normal.info.name,
        target=Target.NEW_POPULATION,
        level=level,
        alternative=alternative,
        lower=None if alternative is Alternative.LESS else estimate - reach,
        upper=None if alternative is Alternative.GREATER else estimate + reach,
    )


def _get_sources(
    layout: Layout, fold: IntArray | None, requested: Sources | None
) -> Sources | None:
    """Return the source of each term; None where it is unknown."""
    if requested is None:
        if layout.kind is not BlockKind.SOURCE or fold is None:
            return None
        return layout.split_block[fold], layout.block_labels
    codes, labels = requested
    if layout.has_one_row_each:
        return codes, labels
    if layout.instance is None:
        return None
    of_instance = np.empty(layout.n_instances, dtype=np.intp)
    of_instance[layout.instance] = codes
    return of_instance, labels


def _compute_terms(
    losses: BlockLosses, weights: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray | None, tuple[Caution, ...]]:
    layout = losses.layout
    if layout.has_one_row_each:
        return losses.rows, weights, layout.get_split_of_row(), ()
    if layout.instance is not None:
        by_instance = BlockLosses(layout, values=np.asarray(weights, dtype=np.float64))
        return losses.compute_instance_means(), by_instance.compute_instance_means(), None, ()
    caution = REPEATS_COUNTED_AS_INSTANCES()
    return losses.rows, weights, None, (caution,)
