"""Corrected variance over the instances of one partition, for the expected loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import build_estimate
from thetahat.variances._spread_between_folds import check_single_losses
from thetahat.variances.base import BlockVariance, VarianceEstimate

FEWEST: Final = 20
"""Fewest instances with which an interval is built on it; 40 is the smallest number studied."""
OF_LOSSES: Final = 0.5
"""How much training adds for a model, as a share of the variance of independent losses."""
OF_ZERO_ONE: Final = 0.75
"""The same where all losses are 0 or 1."""
OF_UNRELATED: Final = 1.25
"""The same for the difference of two models whose losses are not correlated."""


@dataclass(frozen=True, slots=True)
class NadeauBengioInstances(BlockVariance):
    r"""The variance of all losses, with an allowance for training, over one partition.

    :math:`S^2` is the sample variance (ddof 1) of the N losses about their mean, and a the
    allowance: .5 for a model, .75 if all its losses are 0 or 1, and :math:`1.25 (1 - r)` for a
    difference, where r is the correlation of the two models' losses, taken as 0 if it is negative
    or if the losses of a model are all equal. For folds of unequal sizes :math:`M_k` the value is
    multiplied by :math:`\frac{N}{K^2} \sum_k 1/M_k`, so that it belongs to the average of the fold
    means.

    Deviations: the source takes the means of random splits and a = 1. Here each loss counts as a
    split of one instance, with :math:`n_2 / n_1 = 1 / (N - 1)`, also where the folds are larger.
    The allowances were chosen on one set of designs and judged on another
    (``docs/results/one_partition``): the shortest intervals that cover in .945 to .97 on average
    and in .93 or more in nine of ten of the designs they were chosen on.

    Degenerate cases: equal losses give 0. No interval is built on it where the folds differ by more
    than their losses explain (F test, p < .01), where a few losses are much larger than the others
    (``heavy_tailed_losses``), where instances come in clusters, and with fewer than ``FEWEST``
    instances; ``nadeau_bengio``, which uses the spread between folds, then takes its place.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        name="nadeau_bengio_instances",
        title="Corrected variance over instances (after Nadeau and Bengio)",
        summary=(
            "The variance of the mean of N independent losses, and an allowance for the training "
            "sets, which share them: half as much again for a model, three quarters for losses of "
            "0 and 1, and for a difference the less the more the two models' losses are "
            "correlated. It has N - 1 degrees of freedom where nadeau_bengio has K - 1."
        ),
        formula=(
            r"\Bigl(\frac{1}{N} + \frac{a}{N - 1}\Bigr) S^2, \quad \nu = N - 1, \quad a = "
            r"\begin{cases} 0.5 & \text{a model} \\ 0.75 & \text{a model, losses of 0 and 1} \\ "
            r"1.25\,(1 - \max(r, 0)) & \text{a difference} \end{cases}"
        ),
        references=("bayle2020", "nadeau2003"),
        assumptions=(
            "One partition into random folds, each model trained on all other folds, and losses of "
            "which any two correlate by a/N. That correlation is calibrated on simulated designs; "
            "no single partition can check it."
        ),
        errs=(
            "Too large for stable learners and many instances, where intervals of level 0.95 cover "
            "up to 0.99. Too small for trees and the nearest neighbour (.90 to .95), for skewed "
            "losses of few instances (.90) and where a learner has more parameters than a quarter "
            "of the training instances (.90; .82 for a difference)."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(
                blocks=FOLDS, target=Target.THESE_SOURCES, skewed=7, t=8, fixed_models=False
            ),
        ),
        variance=VarianceTraits(degrees_grow_with="instances"),
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        if reason := BlockVariance.inapplicable(self, layout):
            return reason
        if layout.n_repeats > 1:
            return f"{self.info.name} is for one partition, and there are {layout.n_repeats}"
        if layout.n_train is None or np.any(layout.n_train + layout.n_test != layout.n_instances):
            return f"{self.info.name} needs models that were each trained on all other folds"
        return None

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        if (reason := self.inapplicable(losses.layout)) is not None:
            raise InsufficientData(reason, loc=("block",))
        (blocks,) = losses.moments.yield_repeats()
        n = blocks.n_losses
        share = float((1 / blocks.sizes).sum()) / blocks.n_blocks**2
        s2 = blocks.total_centred_squares / (n - 1)
        allowance = _get_allowance(losses)
        cautions = check_single_losses(losses)
        return build_estimate(
            self.info,
            losses,
            (1 + allowance * n / (n - 1)) * share * s2,
            n - 1,
            carries_intervals=not cautions and losses.layout.cluster is None and n >= FEWEST,
            cautions=cautions,
            details={"allowance": allowance},
        )


def _get_allowance(losses: BlockLosses) -> float:
    """Return a, what training adds as a share of the variance of independent losses."""
    if losses.pair is None:
        return OF_ZERO_ONE if losses.are_zero_one else OF_LOSSES
    a, b = (of_model.rows - of_model.moments.pooled_mean for of_model in losses.pair)
    sizes = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    correlation = float(a @ b) / sizes if sizes else 0.0
    return OF_UNRELATED * (1 - min(max(correlation, 0.0), 1.0))


METHOD = NadeauBengioInstances
