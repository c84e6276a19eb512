"""One learner's losses with the risks they give, and what a risk chose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.choosing import least
from thetahat.analyses.importance_weighting.curves import RiskCurve, risk_curve
from thetahat.cautions import Caution
from thetahat.values.types import Alternative, FloatArray, IntArray, Label
from thetahat.weighted_risks.base import RiskEstimator


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Setting:
    """What all learners of one evaluation share.

    Parameters
    ----------
    risks : mapping of str to RiskEstimator
        By key in the result.
    weights : ndarray of float
        (n,) weights of the validation losses.
    fold : ndarray of int
        (n,) codes.
    level : float
        Of the intervals.
    source : ndarray of int or None
        (n,) code of each row's source, where there are several.
    source_labels : tuple of label
        What the sources are called.
    loss_range : tuple of float
        Smallest and largest loss there can be.
    """

    risks: Mapping[str, RiskEstimator]
    weights: FloatArray
    fold: IntArray
    level: float
    source: IntArray | None = None
    source_labels: tuple[Label, ...] = ()
    loss_range: tuple[float, float] = (-math.inf, math.inf)

    @property
    def alternative(self) -> Alternative:
        """Intervals have two sides."""
        return Alternative.TWO_SIDED


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Outcome:
    """What one learner gave along its grid.

    Parameters
    ----------
    candidate : LearnerWithGrid
        The learner.
    losses : ndarray of float
        (n, L) validation losses.
    on_target : ndarray of float or None
        (m, L) losses of the fits on the whole source on a labelled target.
    curves : mapping of str to RiskCurve
        By risk.
    refits : tuple of ndarray or None
        (p, L) coefficients and (L,) intercepts of the fits on the whole source, where the learner
        has them.
    cautions : tuple of Caution
        What the fits warned of.
    """

    candidate: LearnerWithGrid
    losses: FloatArray
    on_target: FloatArray | None
    curves: Mapping[str, RiskCurve] = field(default_factory=dict)
    refits: tuple[FloatArray, FloatArray] | None = None
    cautions: tuple[Caution, ...] = ()

    def selected(self, risk: str) -> int:
        """Return the place of the value that a risk selects."""
        return self.curves[risk].selected

    def value(self, risk: str) -> Any:
        """Return the value that a risk selects."""
        return self.candidate.value_at(self.selected(risk))

    def oracle(self) -> int | None:
        """Return the place of the least mean loss on the target; None without labels."""
        if self.on_target is None:
            return None
        return least(np.asarray(self.on_target.mean(axis=0)), self.candidate.rank())


def outcome_of(  # noqa: PLR0913 - all that a learner gave, and what the risks need
    candidate: LearnerWithGrid,
    losses: FloatArray,
    on_target: FloatArray | None,
    setting: Setting,
    refits: tuple[FloatArray, FloatArray] | None = None,
    cautions: tuple[Caution, ...] = (),
) -> Outcome:
    """Estimate every risk along the grid."""
    rank = candidate.rank()
    curves = {
        name: risk_curve(method, losses, setting.weights, setting.fold, rank)
        for name, method in setting.risks.items()
    }
    return Outcome(
        candidate=candidate,
        losses=losses,
        on_target=on_target,
        curves=curves,
        refits=refits,
        cautions=cautions,
    )
