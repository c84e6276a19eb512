"""Variance over the instances of one partition with an allowance for training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from thetahat.cautions import LONGER_FOR_HEAVY_TAILS
from thetahat.errors import InsufficientData
from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import Recommendation, VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target
from thetahat.variances._building import build_estimate
from thetahat.variances._spread_between_folds import check_folds, has_heavy_tail
from thetahat.variances.base import MULTIPLE, BlockVariance, VarianceEstimate

FEWEST: Final = 20
"""Fewest instances with which an interval is built on it; 40 is the smallest number studied."""
OF_MODELS: Final = 0.52
OF_DIFFERENCES: Final = 0.6
"""What training adds for a model and for the difference of two, as a share of the variance of N
independent losses. Over 1682 and 1218 designs without heavy tails the intervals cover in .961 and
.962 with 1.197 and 1.195 times the ideal length; with an allowance of 1 they did in .98 with 1.4
times (one_partition/halved_judging)."""
IN_TAILS: Final = 1.0
"""The allowance where a few losses are much larger than the others. Without it models with heavy
tails are covered in .85 and .86 in place of .87 and .88, and with ``nadeau_bengio`` in .90 and .91,
at an ordinary mean length of 1.22 and 1.31 in place of 1.16 and 1.21 (one_partition/halved_judging
and halved_judging_again)."""


@dataclass(frozen=True, slots=True)
class InstancesWithAllowance(BlockVariance):
    r"""The variance of the mean of N losses, and a share of it for training, over one partition.

    :math:`S^2` is the sample variance (ddof 1) of the N losses about their mean, and a the
    allowance: ``OF_MODELS``, ``OF_DIFFERENCES``, or ``IN_TAILS`` where a few losses are much larger
    than the others (``heavy_tailed_losses``). For folds of unequal sizes :math:`M_k` the value is
    multiplied by :math:`\frac{N}{K^2} \sum_k 1/M_k`, so that it belongs to the average of the
    fold means.

    Deviations: the source takes the means of random splits. Here each loss counts as a split of
    one instance, with :math:`n_2 / n_1 = 1 / (N - 1)`, also where the folds are larger, and in
    place of all of it a share; with a = 1 and folds of one instance it is ``nadeau_bengio``. In
    ``docs/results/one_partition`` the mean loss of a model had 0.7 to 4.7 times the variance that N
    independent losses would give it.

    Degenerate cases: equal losses give 0. No interval is built on it where the folds differ by far
    more than their losses explain (F test, p < .001), where instances come in clusters, and with
    fewer than ``FEWEST`` instances; ``nadeau_bengio``, which uses the spread between folds, then
    takes its place.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Variance over instances with an allowance for training",
        summary=(
            "The variance of the mean of N independent losses, and about half as much again for "
            "the training sets, which share instances: 0.52 times as much for a model, 0.6 for the "
            "difference of two, and 1 where a few losses are much larger than the others. It has "
            "N - 1 degrees of freedom where nadeau_bengio has K - 1."
        ),
        formula=(
            r"\Bigl(\frac{1}{N} + \frac{a}{N - 1}\Bigr) S^2, \quad \nu = N - 1, \quad "
            r"a \in \{0.52, 0.6, 1\}"
        ),
        references=("bayle2020", "nadeau2003"),
        assumptions=(
            "One partition into random folds, each model trained on all other folds, and losses of "
            "which any two correlate by a/N. That correlation is an average over learners, which "
            "no single partition can check."
        ),
        errs=(
            "Right on average (.96 over all studied designs). Too small for unstable learners: "
            "intervals of level 0.95 cover trees and the nearest neighbour in .90 to .95, and a "
            "learner that has nearly as many parameters as instances, or whose boundary lies where "
            "chance puts it, in .71 to .87. Too large for stable learners and many instances (up "
            "to .99), and many times too large for the difference of two learners that are nearly "
            "the same."
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
        allowance = OF_DIFFERENCES if losses.is_difference else OF_MODELS
        differ = cautions = check_folds(losses)
        if has_heavy_tail(losses):
            allowance = IN_TAILS
            cautions = (*differ, LONGER_FOR_HEAVY_TAILS(losses.layout.words))
        multiple = 1 + allowance * n / (n - 1)
        return build_estimate(
            self.info,
            losses,
            multiple * share * s2,
            n - 1,
            carries_intervals=not differ and losses.layout.cluster is None and n >= FEWEST,
            cautions=cautions,
            details={MULTIPLE: multiple},
        )
