"""Bayesian correlated t test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from thetahat.cautions import FEW_BLOCKS, ZERO_VARIANCE, Caution
from thetahat.distributions import p_value_of, upper_quantile
from thetahat.errors import InvalidParameter
from thetahat.paired_tests._posteriors import Shares, check_rope, shares_told
from thetahat.paired_tests._t import rounded
from thetahat.paired_tests._units import unit_target
from thetahat.paired_tests.base import DrawsNothing, PairedLosses, TestOutcome
from thetahat.registry import PARTITIONS, SUBSAMPLES, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, Needs, Target


@dataclass(frozen=True, slots=True)
class BayesianCorrelatedT(DrawsNothing):
    r"""Posterior of the mean difference of splits that correlate, and its shares of a region.

    .. math::

        \mu \mid d \sim t_{J-1}\Bigl(\bar d,\;
        S^2 \bigl(\tfrac1J + \tfrac{\rho}{1 - \rho}\bigr)\Bigr)

    with :math:`d_j` the mean difference in split j of all repeats, :math:`\bar d` and :math:`S^2`
    their mean and sample variance (ddof 1) and :math:`\rho` their correlation. ``p_left`` is
    :math:`P(\mu < -r)`, a is better; ``p_rope`` :math:`P(|\mu| \le r)`; ``p_right``
    :math:`P(\mu > r)`. ``credible_interval`` is the interval of highest posterior density, which
    is the corrected t interval. There is no p-value.

    Assumes nearly normal split means that all correlate by :math:`\rho`, and the prior that has
    no information on mean and variance. The test share in the place of :math:`\rho` is a rule of
    thumb: with more than a fifth of the data for test the posterior is too narrow.

    Source: corani2015; nadeau2003 for the correlation; benavoli2017 for the region.

    Deviations: where sizes differ, the test share is that of the sums of sizes, so that
    :math:`\rho / (1 - \rho) = n_2 / n_1` holds as in ``nadeau_bengio_t``.

    Degenerate cases: equal differences give a point mass: all of it left, within or right; at 0
    with a region of width 0 half left and half right.

    Parameters
    ----------
    rope : float or None
        r, half the width of the region of practical equivalence, in units of the loss, 0 or
        above. Left out: the request's ``rope`` or ``margin``, else 0.
    rho : float or None
        Correlation of two split means, in [0, 1). Left out: the test share.
    credible_level : float
        Posterior probability of the credible interval, in (0, 1).
    """

    rope: float | None = None
    rho: float | None = None
    credible_level: float = 0.95

    info: ClassVar[MethodInfo] = MethodInfo(
        name="bayesian_correlated_t",
        title="Bayesian correlated t test",
        summary=(
            "The posterior probabilities that a is better, that the two are practically alike and "
            "that b is better, from split means that correlate by the test share. No p-value."
        ),
        formula=r"\mu \mid d \sim t_{J-1}(\bar d, S^2 (1/J + \rho/(1 - \rho)))",
        references=("benavoli2017", "corani2015", "nadeau2003"),
        assumptions=(
            "Nearly normal split means that all correlate by rho, and a prior without information."
        ),
        errs=(
            "Either way, since the correlation is a rule of thumb: close with a tenth of the data "
            "for test, too sure with a fifth or more."
        ),
        needs=Needs.SPLITS,
        blocks=PARTITIONS | SUBSAMPLES,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE),
    )

    def __post_init__(self) -> None:
        check_rope(self.rope)
        if self.rho is not None and not 0 <= self.rho < 1:
            raise InvalidParameter(
                f"rho must lie in [0, 1), and is {self.rho}", loc=("rho",), value=self.rho
            )
        if not 0 < self.credible_level < 1:
            raise InvalidParameter(
                f"credible_level must be in (0, 1), and is {self.credible_level}",
                loc=("credible_level",),
                value=self.credible_level,
            )

    def inapplicable(self, layout: Layout) -> str | None:
        """Refuse what has one split, or no training sizes to tell the correlation from."""
        if layout.kind is BlockKind.HOLDOUT or layout.n_splits < 2:
            return "bayesian_correlated_t needs the means of two splits, and there is one"
        if layout.n_train is None and self.rho is None:
            return "bayesian_correlated_t needs the training size of every split (n_train), or rho"
        return None

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,  # noqa: ARG002 - a posterior has both directions
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Give the posterior's shares."""
        moments, rope = pair.difference.moments, self.rope or 0.0
        j = moments.n_splits
        ratio = self._ratio(pair.difference.layout)
        location = moments.shift + float(moments.deviations.mean())
        variance = (1 / j + ratio) * float(moments.deviations.var(ddof=1))
        location, variance = rounded(pair, location, variance)
        scale = math.sqrt(variance)
        shares = _shares(location, scale, j - 1, rope)
        return TestOutcome(
            statistic=None,
            p_value=None,
            degrees_of_freedom=float(j - 1),
            target=unit_target(pair.difference.layout, "block"),
            unit="block",
            cautions=_cautions(j, is_point=scale == 0),
            details={
                **shares_told(shares, rope),
                "rho": ratio / (1 + ratio),
                "location": location,
                "scale": scale,
                "credible_interval": self._interval(location, scale, j - 1),
            },
        )

    def _ratio(self, layout: Layout) -> float:
        """Odds of the correlation: rho / (1 - rho), or n_2 / n_1."""
        if self.rho is not None:
            return self.rho / (1 - self.rho)
        assert layout.test_to_train_ratio is not None  # noqa: S101 - inapplicable saw to it
        return layout.test_to_train_ratio

    def _interval(self, location: float, scale: float, degrees: float) -> dict[str, Any]:
        half = scale * upper_quantile((1 - self.credible_level) / 2, degrees)
        return {"level": self.credible_level, "lower": location - half, "upper": location + half}


def _shares(location: float, scale: float, degrees: float, rope: float) -> Shares:
    if scale == 0:
        return _point_mass(location, rope)
    left = p_value_of((-rope - location) / scale, degrees, Alternative.LESS)
    right = p_value_of((rope - location) / scale, degrees, Alternative.GREATER)
    return left, max(0.0, 1 - left - right) if rope > 0 else 0.0, right


def _point_mass(at: float, rope: float) -> Shares:
    if at == 0 == rope:
        return 0.5, 0.0, 0.5
    return float(at < -rope), float(abs(at) <= rope), float(at > rope)


def _cautions(j: int, *, is_point: bool) -> tuple[Caution, ...]:
    cautions = []
    if is_point:
        cautions.append(
            ZERO_VARIANCE(
                reason="the differences do not vary", consequence="The posterior is a single point."
            )
        )
    if j < FEW_BLOCKS.threshold:
        cautions.append(FEW_BLOCKS(subject="The posterior", n=j, unit="split"))
    return tuple(cautions)


METHOD = BayesianCorrelatedT
