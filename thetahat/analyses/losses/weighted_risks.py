"""Importance-weighted risks of models, and their differences by pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from scipy.special import ndtri

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.pairs import places
from thetahat.cautions import ONE_ROW, REPEATS_COUNTED_AS_INSTANCES, Caution
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.json_values import plain, told
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, IntArray, Label, Target
from thetahat.weighted_risks import WEIGHTED_RISKS, by_source
from thetahat.weighted_risks.base import RiskEstimate, RiskEstimator

Weights = FloatArray | Mapping[str, FloatArray]
"""(n,) weights of the rows, or those of each model."""

Sources = tuple[IntArray, tuple[Label, ...]]
"""(n,) code of each row's source, and what the sources are called."""

Risks = Mapping[str, RiskEstimator]
"""Estimators by their key in the result."""

_RENAMED = {"estimate": "difference"}

ALL_RISKS: Risks = {name: kind() for name, kind in WEIGHTED_RISKS.items()}


def add_risks(  # noqa: PLR0913 - a result, what it is of, and what is put in
    result: dict[str, Any],
    table: LossTable,
    weights: Weights,
    choices: Choices,
    risks: Risks = ALL_RISKS,
    sources: Sources | None = None,
) -> None:
    """Put ``risks`` into each model and each comparison of a result.

    A difference is the risk of the differences of the losses: every estimator is linear in the
    losses. There is none where models have weights of their own, and in brief comparisons.
    """
    for name, losses in table.models.items():
        own = weights[name] if isinstance(weights, Mapping) else weights
        result["models"][name]["risks"] = risks_told(losses, own, choices, risks, sources)
    if isinstance(weights, Mapping) or result["detail"] == "brief":
        return
    pairs = places(table.names, choices.control)
    for comparison, (i, j) in zip(result["comparisons"], pairs, strict=True):
        a, b = (table.models[table.names[k]] for k in (i, j))
        found = risks_told(a.minus(b), weights, choices, risks, sources)
        comparison["risks"] = {name: as_difference(one) for name, one in found.items()}


def risks_told(
    losses: BlockLosses,
    weights: FloatArray,
    choices: Choices,
    risks: Risks = ALL_RISKS,
    sources: Sources | None = None,
) -> dict[str, Any]:
    """Return every risk with its variance and normal interval, by wire name.

    Over several repeats an instance enters once, with its mean loss and mean weight, where
    instances are named; where they are not, its rows count as so many instances, which makes the
    variance too small and is said in a caution. Each source has its own part: those given, or
    the blocks where these are sources.
    """
    values, own, fold, cautions = _terms(losses, weights)
    layout = losses.layout
    known = _sources(layout, fold, sources)
    found: dict[str, Any] = {}
    for name, method in risks.items():
        risk = method.estimate(values, own, fold)
        found[name] = risk_told(risk, choices.level, choices.alternative, cautions)
        if known is not None:
            found[name]["by_source"] = sources_told(
                risk, *known, choices.level, choices.alternative
            )
    return found


def risk_told(
    risk: RiskEstimate, level: float, alternative: Alternative, cautions: Iterable[Caution] = ()
) -> dict[str, Any]:
    """Return a risk as the result has it."""
    return {
        "estimate": plain(risk.estimate),
        "variance": plain(risk.variance),
        "standard_error": plain(math.sqrt(risk.variance)),
        "target": risk.target.value,
        "beta": plain(risk.beta),
        "bias": plain(risk.bias),
        "interval": normal_interval(risk.estimate, risk.variance, level, alternative),
        "cautions": told((*risk.cautions, *cautions)),
    }


def as_difference(risk: Mapping[str, Any]) -> dict[str, Any]:
    """Return the told risk of differences as a difference of risks, of each source too."""
    difference = {_RENAMED.get(key, key): value for key, value in risk.items()}
    if "by_source" in risk:
        difference["by_source"] = [as_difference(one) for one in risk["by_source"]]
    return difference


def sources_told(
    risk: RiskEstimate,
    codes: IntArray,
    labels: tuple[Label, ...],
    level: float,
    alternative: Alternative = Alternative.TWO_SIDED,
) -> list[dict[str, Any]]:
    """Return each source's own mean of the terms; a source of one row has no variance."""
    means, variances = by_source(risk, codes)
    counts = np.bincount(codes)
    found = []
    for label, n, mean, variance in zip(labels, counts, means, variances, strict=True):
        alone = ONE_ROW(source=repr(label))
        known = n > 1
        interval = normal_interval(float(mean), float(variance), level, alternative)
        found.append(
            {
                "source": label,
                "n": int(n),
                "estimate": plain(mean),
                "variance": plain(variance),
                "interval": interval if known else None,
                "cautions": told(() if known else (alone,)),
            }
        )
    return found


def normal_interval(
    estimate: float,
    variance: float,
    level: float,
    alternative: Alternative = Alternative.TWO_SIDED,
    target: Target = Target.NEW_POPULATION,
) -> dict[str, Any]:
    """Return the normal interval about an estimate; open ends are None."""
    two_sided = alternative is Alternative.TWO_SIDED
    alpha = 1 - level
    reach = -float(ndtri(alpha / 2 if two_sided else alpha)) * math.sqrt(variance)
    return {
        "method": "normal",
        "target": target.value,
        "level": level,
        "alternative": alternative.value,
        "lower": None if alternative is Alternative.LESS else plain(estimate - reach),
        "upper": None if alternative is Alternative.GREATER else plain(estimate + reach),
    }


def _sources(layout: Layout, fold: IntArray | None, given: Sources | None) -> Sources | None:
    """Return the source of each of the terms, where it is known."""
    if given is None:
        if layout.kind is not BlockKind.SOURCE or fold is None:
            return None
        return layout.split_block[fold], layout.block_labels
    codes, labels = given
    if layout.has_one_row_each:
        return codes, labels
    if layout.instance is None:
        return None
    of_instance = np.empty(layout.n_instances, dtype=np.intp)
    of_instance[layout.instance] = codes
    return of_instance, labels


def _terms(
    losses: BlockLosses, weights: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray | None, tuple[Caution, ...]]:
    layout = losses.layout
    if layout.has_one_row_each:
        return losses.rows, weights, layout.split_of_row(), ()
    if layout.instance is not None:
        by_instance = BlockLosses(layout, values=np.asarray(weights, dtype=np.float64))
        return losses.instance_means(), by_instance.instance_means(), None, ()
    caution = REPEATS_COUNTED_AS_INSTANCES()
    return losses.rows, weights, None, (caution,)
