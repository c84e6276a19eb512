"""Losses and risk estimates of one learner along its grid."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.risk_curves import (
    RiskCurve,
    estimate_risk_curve,
    find_smallest_risk,
)
from thetahat.analyses.losses.optional_results import SourceRisk
from thetahat.analyses.losses.weighted_risks import build_source_risks, check_effective_rows
from thetahat.cautions import Caution
from thetahat.values.types import FloatArray, IntArray, Label
from thetahat.weighted_risks.base import RiskEstimate, RiskEstimator


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RiskSetting:
    """Risks, weights and folds, which all learners of an evaluation share."""

    risks: Mapping[str, RiskEstimator]
    """The risks by their key in the result."""
    weights: FloatArray
    """(n,) weights of the validation losses."""
    fold: IntArray
    """(n,) fold of each row, as codes from 0."""
    level: float
    """Confidence level of the intervals."""
    source: IntArray | None = None
    """(n,) code of each row's source, if there are several sources."""
    source_labels: tuple[Label, ...] = ()
    """Labels of the sources."""
    loss_range: tuple[float, float] = (-math.inf, math.inf)
    """Smallest and largest possible loss."""

    @property
    def effective_size_cautions(self) -> tuple[Caution, ...]:
        """A caution if one row has about all the weight; risks then have no intervals."""
        return check_effective_rows(self.weights)

    def build_source_risks(self, risk: RiskEstimate) -> tuple[SourceRisk, ...] | None:
        """Return an estimated risk in each source; None without several sources."""
        if self.source is None:
            return None
        return build_source_risks(risk, self.weights, self.source, self.source_labels, self.level)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GridRisks:
    """Losses of one learner along its grid, with the risks estimated from them."""

    candidate: LearnerWithGrid
    """The learner."""
    losses: FloatArray
    """(n, L) validation losses."""
    on_target: FloatArray | None
    """(m, L) losses on the target of the fits to the whole source; None without labels."""
    curves: Mapping[str, RiskCurve] = field(default_factory=dict)
    """The curves by the key of the risk."""
    refits: tuple[FloatArray, FloatArray] | None = None
    """(p, L) coefficients and (L,) intercepts of the fits to the whole source, for ridge only."""
    cautions: tuple[Caution, ...] = ()
    """Cautions of the fits."""

    def selected(self, risk: str) -> int:
        """Return the index of the value that a risk selects."""
        return self.curves[risk].selected

    def value(self, risk: str) -> Any:
        """Return the value that a risk selects."""
        return self.candidate.get_value(self.selected(risk))

    def oracle(self) -> int | None:
        """Return the index of the smallest mean loss on the target; None without labels."""
        if self.on_target is None:
            return None
        return find_smallest_risk(np.asarray(self.on_target.mean(axis=0)), self.candidate.rank())


def estimate_risks_along_grid(  # noqa: PLR0913 - the losses, and all that the risks depend on
    candidate: LearnerWithGrid,
    losses: FloatArray,
    on_target: FloatArray | None,
    setting: RiskSetting,
    refits: tuple[FloatArray, FloatArray] | None = None,
    cautions: tuple[Caution, ...] = (),
) -> GridRisks:
    """Return the estimates of every risk along the grid of a learner."""
    rank = candidate.rank()
    curves = {
        name: estimate_risk_curve(method, losses, setting.weights, setting.fold, rank)
        for name, method in setting.risks.items()
    }
    return GridRisks(
        candidate=candidate,
        losses=losses,
        on_target=on_target,
        curves=curves,
        refits=refits,
        cautions=cautions,
    )
