"""t test on any variance estimator of the differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thetahat.cautions import VARIANCE_NOT_USABLE
from thetahat.distributions import p_values_of
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.paired_tests._t import rounded, t_outcome
from thetahat.paired_tests.base import (
    DrawsNothing,
    ManyOutcomes,
    PairBatch,
    PairedLosses,
    TestOutcome,
)
from thetahat.registry import EVERY_BLOCK_KIND, MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, FloatArray, Needs, Target, UnitName
from thetahat.variances import VARIANCES
from thetahat.variances.base import VarianceEstimate, VarianceEstimator

_ROUNDINGS = 16 * float(np.finfo(np.float64).eps)
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class ThetaT(DrawsNothing):
    r"""Mean difference over the root of a variance estimate of the differences.

    .. math:: t = \frac{\bar d}{\sqrt{\hat\theta}}

    with :math:`\hat\theta` any variance estimator, computed on the paired differences,
    :math:`\bar d` the mean (macro or pooled) that it belongs to, and its degrees of freedom
    (normal where it states none).

    Assumes what the variance assumes and errs as it errs: an estimator that leaves a positive
    covariance out makes the test liberal, one that counts a part twice makes it conservative.

    Source: geras2013; grandvalet2006 for why no unbiased variance is to be had from one
    partition.

    Degenerate cases: on a value that is not positive, or not meant for tests (``theta_1``, one
    value per source), statistic and p-value are None, with a caution.

    Parameters
    ----------
    variance : str or None
        Wire name of the variance estimator. Left out: ``theta_B`` for source blocks, ``theta_3``
        for random ones, ``nadeau_bengio`` for subsamples, ``iid`` for a holdout, or
        ``cluster_robust`` where its instances are in clusters.
    """

    variance: str | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        name="theta_t",
        title="t test on a chosen variance estimator",
        summary=(
            "The mean difference over the root of any of the variance estimates of the "
            "differences, with that estimate's degrees of freedom."
        ),
        formula=r"t = \bar d / \sqrt{\hat\theta}",
        references=("geras2013", "grandvalet2006"),
        assumptions="Those of the variance; a mean difference that is nearly normal.",
        errs=(
            "As its variance: liberal where covariances through shared training data or shared "
            "sources are left out, conservative where the variance is too large."
        ),
        needs=Needs.SPLITS,
        blocks=EVERY_BLOCK_KIND,
        targets=(Target.THESE_SOURCES, Target.NEW_SOURCE, Target.THESE_MODELS),
    )

    def __post_init__(self) -> None:
        if self.variance is None:
            return
        method = VARIANCES.get_method(self.variance, loc=("variance",))
        if method.info.by_request_only:
            raise InvalidParameter(
                f"variance {self.variance!r} needs parameters of its own, and theta_t passes none",
                loc=("variance",),
                value=self.variance,
            )

    def inapplicable(self, layout: Layout) -> str | None:
        """Pass on what the variance says."""
        reason = self._estimator(layout).inapplicable(layout)
        return None if reason is None else f"theta_t rests on its variance: {reason}"

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Test that the mean difference is 0, or say why no p-value can be stood by."""
        layout = pair.difference.layout
        estimator = self._estimator(layout)
        name, variance = estimator.info.name, estimator.estimate(pair.difference)
        unit = _unit(layout, estimator.info)
        details = {"variance": name, "mean": variance.mean.value}
        if not variance.usable or isinstance(variance.value, np.ndarray):
            return _refused(variance, name, unit, details)
        estimate, value = rounded(pair, variance.estimate, variance.value)
        if value == 0:
            return _refused(variance, name, unit, details)
        return t_outcome(
            estimate,
            value,
            variance.degrees_of_freedom,
            alternative,
            target=variance.target,
            unit=unit,
            cautions=variance.cautions,
            details=details,
        )

    def test_many(
        self, batch: PairBatch, alternative: Alternative, rng: np.random.Generator
    ) -> Sequence[TestOutcome | EvaluationError]:
        """Test every pair of a batch; over a holdout, where t is the paired one, by arrays."""
        layout = batch.models[0].layout
        traits = self._estimator(layout).info.variance
        if not traits.is_of_one_sample or self.inapplicable(layout) is not None:
            return DrawsNothing.test_many(self, batch, alternative, rng)
        estimates, variances, clear = _of_a_holdout(batch)
        # the others, whose variance may be nothing but rounding, are looked at one by one
        by_row = {
            row: self.test(batch.pairs[row], alternative, rng)
            for row in np.flatnonzero(~clear).tolist()
        }
        nothing = np.full(len(clear), np.nan)
        statistics = np.divide(estimates, np.sqrt(variances), out=nothing, where=clear)
        p_values = p_values_of(statistics, layout.n_rows - 1.0, alternative)
        for row, outcome in by_row.items():
            if outcome.statistic is not None and outcome.p_value is not None:
                statistics[row], p_values[row] = outcome.statistic, outcome.p_value

        def told(row: int) -> TestOutcome:
            return by_row.get(row) or self.test(batch.pairs[row], alternative, rng)

        return ManyOutcomes(statistics, p_values, told)

    def _estimator(self, layout: Layout) -> VarianceEstimator:
        return VARIANCES[self.variance or _default_variance(layout)]()


def _default_variance(layout: Layout) -> str:
    """Return the variance that the test rests on unless a request names one.

    Of two, the one that knows clusters is for a holdout with clusters.
    """
    defaults = {
        name: method.info.variance.knows_clusters
        for name, method in VARIANCES.items()
        if layout.kind in method.info.variance.default_of_t_test
    }
    in_clusters = layout.kind is BlockKind.HOLDOUT and layout.cluster is not None
    return next(name for name, knows in defaults.items() if knows is in_clusters)


def _of_a_holdout(batch: PairBatch) -> tuple[FloatArray, FloatArray, BoolArray]:
    """(p,) mean differences, their variances V / M, and where these are beyond all rounding."""
    shifts, deviations, squares = _moments_of_a_holdout(batch)
    n = float(batch.models[0].layout.n_rows)
    estimates = shifts + n * deviations / n
    variances = squares / (n - 1) / n
    sizes = np.abs(estimates) + 2 * np.abs(shifts) + np.sqrt(squares / n)
    sizes += max(losses.largest_mean for losses in batch.models)
    return estimates, variances, (variances > (_ROUNDINGS * sizes) ** 2) & (variances < np.inf)


def _moments_of_a_holdout(batch: PairBatch) -> FloatArray:
    """(3, p) shifts, deviations and centred squares of the one block of each pair."""
    found, unknown = np.empty((3, len(batch.pairs))), np.ones(len(batch.pairs), dtype=np.bool_)
    many = batch.moments
    if many is not None:
        found[:] = many.shifts, many.deviations[:, 0], many.centred_squares[:, 0]
        unknown = ~many.known
    for row in np.flatnonzero(unknown).tolist():
        own = batch.pairs[row].difference.moments
        assert own.centred_squares is not None  # noqa: S101 - iid is not for scores alone
        found[:, row] = own.shift, own.deviations[0], own.centred_squares[0]
    return found


def _unit(layout: Layout, variance: MethodInfo) -> UnitName:
    if layout.kind is not BlockKind.HOLDOUT:
        return "block"
    return "cluster" if variance.variance.knows_clusters else "instance"


def _refused(
    variance: VarianceEstimate, name: str, unit: UnitName, details: dict[str, str]
) -> TestOutcome:
    caution = VARIANCE_NOT_USABLE(variance=name)
    return TestOutcome(
        statistic=None,
        p_value=None,
        degrees_of_freedom=variance.degrees_of_freedom,
        target=variance.target,
        unit=unit,
        cautions=(*variance.cautions, caution),
        details=details,
    )


METHOD = ThetaT
