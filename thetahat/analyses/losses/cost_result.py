"""The types of the parts of a result about what models cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from thetahat.analyses.losses.result import CostUndecided
from thetahat.cautions import Caution
from thetahat.intervals.base import Interval
from thetahat.numerics.fieller import RatioShape
from thetahat.values.coverage import ExpectedCoverage

ShownQuality = Literal["better", "equivalent", "not_worse"]
"""What has to be shown of a cheaper model for a dearer one to be dominated by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostOfModel:
    """What one model costs."""

    mean: float
    """Its cost: the number of the request, or the mean over the same rows as the losses."""
    interval: Interval | None = None
    """The recommended interval of the mean; left out where the cost is one number or does not
    vary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostOfPair:
    """What one model costs beside another."""

    ratio: float | None
    """Cost of a over cost of b; None where b could cost nothing."""
    change: float | None
    """The ratio minus 1: -0.84 is 84 % cheaper. None as the ratio."""
    method: Literal["exact", "fieller"]
    """``exact`` for one number by model, ``fieller`` for costs of rows."""
    shape: RatioShape | None = None
    """Form of Fieller's set of ratios; left out without a set."""
    lower: float | None = None
    """Lower end of the set of ratios."""
    upper: float | None = None
    """Upper end of the set of ratios."""
    simultaneous_pairs: int | None = None
    """Number of pairs whose sets hold all at once; left out where the set holds by itself."""
    cheaper: str | None
    """The model that is cheaper: by its number, or because the whole set of ratios says so and
    nothing leaves it ``undecided``. None where both cost the same or it is not shown."""
    undecided: CostUndecided | None = None
    """Why there is no cheaper model, although the whole set of ratios is on one side of 1."""
    sentence: str
    """Quality and cost of the pair in words."""
    expected_coverage: ExpectedCoverage | None = None
    """How often such intervals of a ratio, and so of what is saved, covered in the nearest studied
    design."""
    expected_coverage_missing: str | None = None
    """Why there is no ``expected_coverage``: which number no studied design comes near."""
    cautions: tuple[Caution, ...] = ()
    """Cautions about the interval of the ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Domination:
    """The cheaper model because of which a model need not be chosen."""

    by: str
    """The cheaper model, which is itself not dominated."""
    shown: ShownQuality
    """What is shown of it beside the dearer one: better, equivalent, or not worse by the margin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSummary:
    """Quality against cost of all models."""

    unit: str | None = None
    """What costs are counted in; left out where the request does not say."""
    measured: bool
    """Whether costs were measured row by row, and are not one number for each model."""
    pareto: tuple[str, ...]
    """The models that remain to be chosen from, the cheapest first: no other of them is shown to be
    cheaper and better, equivalent, or not worse by the margin."""
    dominated: Mapping[str, Domination]
    """The other models, each with a cheaper one of those that remain."""
    all_pairs: bool
    """Whether all pairs of models were compared; a model could else be dominated by one that it was
    not compared with."""
    sentence: str
    """Which models remain, in words."""
