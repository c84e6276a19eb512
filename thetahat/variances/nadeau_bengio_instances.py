"""Corrected variance over the instances of one partition, for the expected loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

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


@dataclass(frozen=True, slots=True)
class NadeauBengioInstances(BlockVariance):
    r"""The variance of all losses, corrected for training sets in common, over one partition.

    :math:`S^2` is the sample variance (ddof 1) of the N losses about their mean. For folds of
    unequal sizes :math:`M_k` the value is multiplied by :math:`\frac{N}{K^2} \sum_k 1/M_k`, so
    that it belongs to the average of the fold means.

    Deviations: the source takes the means of random splits. Here each loss counts as a split of
    one instance, with :math:`n_2 / n_1 = 1 / (N - 1)`, also where the folds are larger; of folds
    of one instance it is ``nadeau_bengio``. In ``docs/results/one_partition`` the mean loss of a
    model had 0.7 to 2.8 times the variance that N independent losses would give it. Of the factors
    1, 1.25, 1.5, 1.75, 2 and 2.25 the smallest was chosen whose intervals covered in at least .94
    in nine of ten designs, and nowhere less often than those of ``nadeau_bengio``.

    Degenerate cases: equal losses give 0. No interval is built on it where the folds differ by more
    than their losses explain (F test, p < .01), where a few losses are much larger than the others
    (``heavy_tailed_losses``), where instances come in clusters, and with fewer than ``FEWEST``
    instances; ``nadeau_bengio``, which uses the spread between folds, then takes its place.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Corrected variance over instances (after Nadeau and Bengio)",
        summary=(
            "Twice the variance of the mean of N independent losses: once for the instances that "
            "are tested, and about as much for the training sets, which share them. It has N - 1 "
            "degrees of freedom where nadeau_bengio has K - 1."
        ),
        formula=r"\Bigl(\frac{1}{N} + \frac{1}{N - 1}\Bigr) S^2, \quad \nu = N - 1",
        references=("bayle2020", "nadeau2003"),
        assumptions=(
            "One partition into random folds, each model trained on all other folds, and losses of "
            "which any two correlate by 1/N. That correlation is a rule of thumb that no single "
            "partition can check."
        ),
        errs=(
            "Too large for stable learners and many instances, where intervals of level 0.95 cover "
            "up to 0.99, and many times too large for the difference of two learners that are "
            "nearly the same. Right for trees and the nearest neighbour (.94 to .97), and too "
            "small where a learner has nearly as many parameters as instances (.91)."
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
        if not layout.trains_on_other_folds:
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
        cautions = check_single_losses(losses)
        return build_estimate(
            self.info,
            losses,
            (1 + n / (n - 1)) * share * s2,
            n - 1,
            carries_intervals=not cautions and losses.layout.cluster is None and n >= FEWEST,
            cautions=cautions,
        )
