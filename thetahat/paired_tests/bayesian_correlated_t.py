"""Bayesian correlated t test."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import FEW_BLOCKS, ZERO_VARIANCE, Caution
from thetahat.distributions import compute_p_value, compute_upper_quantile
from thetahat.paired_tests._t_test import round_to_zero
from thetahat.paired_tests._units import unit_target
from thetahat.paired_tests.base import PairedLosses, PairedTest, PosteriorProbabilities, TestOutcome
from thetahat.parameter_checks import check_not_negative, check_probability
from thetahat.registry import PARTITIONS, SUBSAMPLES, MethodInfo
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, Needs, Target


@dataclass(frozen=True, slots=True)
class BayesianCorrelatedT(PairedTest):
    r"""Posterior of the mean difference of splits that correlate.

    In the formula :math:`\bar d` and :math:`S^2` are mean and sample variance (ddof 1) of the
    mean differences of the J splits of all repeats, and :math:`\rho` is their correlation.
    ``p_left`` is :math:`P(\mu < -r)` (a has the smaller loss), ``p_rope``
    :math:`P(|\mu| \le r)` and ``p_right`` :math:`P(\mu > r)`. ``credible_interval`` is the interval
    of highest posterior density, which equals the corrected t interval.

    Deviations: if sizes differ, the share of the data that is tested on is computed from the sums
    of sizes, so that :math:`\rho / (1 - \rho) = n_2 / n_1` holds as in ``nadeau_bengio_t``.

    Degenerate cases: equal differences give a point mass, which is left, within or right; at 0
    with a region of width 0 it is half left and half right.

    Parameters
    ----------
    rope : float or None
        r, half the width of the region of practical equivalence, in units of the loss, at least 0.
        By default the request's ``rope`` or ``margin``, else 0.
    rho : float or None
        Correlation of two split means, at least 0 and below 1. By default the share of the data
        that is tested on.
    credible_level : float
        Posterior probability of the credible interval, above 0 and below 1.
    """

    rope: float | None = None
    rho: float | None = None
    credible_level: float = 0.95

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Bayesian correlated t test",
        summary=(
            "Returns the posterior probabilities that the mean difference is below, within and "
            "above the region in which the two models are practically equivalent, from split means "
            "that are correlated because their training data overlap. It has no p-value."
        ),
        formula=r"\mu \mid d \sim t_{J-1}(\bar d, S^2 (1/J + \rho/(1 - \rho)))",
        references=("benavoli2017", "corani2015", "nadeau2003"),
        assumptions=(
            "The split means are nearly normal and any two of them have the correlation rho. The "
            "prior has no information on mean and variance."
        ),
        errs=(
            "In either direction, because the correlation is a rule of thumb. It is close if a "
            "tenth of the data is tested on, and too certain from a fifth on."
        ),
        needs=Needs.SPLITS,
        blocks=PARTITIONS | SUBSAMPLES,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE),
    )

    def __post_init__(self) -> None:
        check_not_negative("rope", self.rope)
        check_probability("rho", self.rho, zero=True)
        check_probability("credible_level", self.credible_level)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why there are too few splits, or no correlation, on this layout, or None."""
        if layout.kind is BlockKind.HOLDOUT or layout.n_splits < 2:
            return "bayesian_correlated_t needs the means of at least two splits"
        if layout.n_train is None and self.rho is None:
            return "bayesian_correlated_t needs the training size of every split (n_train), or rho"
        return None

    def test_pair(
        self,
        pair: PairedLosses,
        alternative: Alternative,  # noqa: ARG002 - a posterior has both directions
    ) -> TestOutcome:
        """Compute the posterior probabilities."""
        moments, rope = pair.difference.moments, self.rope or 0.0
        j = moments.n_splits
        ratio = self._compute_ratio(pair.difference.layout)
        location = moments.shift + float(moments.deviations.mean())
        variance = (1 / j + ratio) * float(moments.deviations.var(ddof=1))
        location, variance = round_to_zero(pair, location, variance)
        scale = math.sqrt(variance)
        left, within, right = _compute_probabilities(location, scale, j - 1, rope)
        return TestOutcome(
            statistic=None,
            p_value=None,
            degrees_of_freedom=float(j - 1),
            target=unit_target(pair.difference.layout, "block"),
            unit="block",
            cautions=_list_cautions(j, is_point=scale == 0),
            posterior=PosteriorProbabilities(p_left=left, p_rope=within, p_right=right, rope=rope),
            details={
                "rho": ratio / (1 + ratio),
                "location": location,
                "scale": scale,
                "credible_interval": self._build_interval(location, scale, j - 1),
            },
        )

    def _compute_ratio(self, layout: Layout) -> float:
        """Return rho / (1 - rho), by default n_2 / n_1."""
        if self.rho is not None:
            return self.rho / (1 - self.rho)
        assert layout.test_to_train_ratio is not None  # noqa: S101 - inapplicable checks it
        return layout.test_to_train_ratio

    def _build_interval(
        self, location: float, scale: float, degrees: float
    ) -> dict[str, JsonValue]:
        half = scale * compute_upper_quantile((1 - self.credible_level) / 2, degrees)
        return {"level": self.credible_level, "lower": location - half, "upper": location + half}


def _compute_probabilities(
    location: float, scale: float, degrees: float, rope: float
) -> tuple[float, float, float]:
    """Return the probabilities of left, rope and right of the posterior t distribution."""
    if scale == 0:
        return _build_point_mass(location, rope)
    left = compute_p_value((-rope - location) / scale, degrees, Alternative.LESS)
    right = compute_p_value((rope - location) / scale, degrees, Alternative.GREATER)
    return left, max(0.0, 1 - left - right) if rope > 0 else 0.0, right


def _build_point_mass(location: float, rope: float) -> tuple[float, float, float]:
    if location == 0 == rope:
        return 0.5, 0.0, 0.5
    return float(location < -rope), float(abs(location) <= rope), float(location > rope)


def _list_cautions(j: int, *, is_point: bool) -> tuple[Caution, ...]:
    cautions = []
    if is_point:
        cautions.append(
            ZERO_VARIANCE(
                reason="the differences do not vary", consequence="The posterior is a single point."
            )
        )
    if j < FEW_BLOCKS.threshold:
        cautions.append(FEW_BLOCKS(subject="The posterior", n=j, units="splits"))
    return tuple(cautions)
