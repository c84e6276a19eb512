"""Variance of the pooled mean over resamples of whole clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import FEW_UNITS
from thetahat.numerics.bootstrap import Replicates, explain_many_units, reason_against_units
from thetahat.numerics.bootstrap.cautions import check_resamples, resampling_cautions
from thetahat.registry import ONE_TEST_EACH, MethodInfo
from thetahat.traits import VarianceTraits
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target, UnitName
from thetahat.variances._applicability import explain_missing_rows, explain_wrong_block_kind
from thetahat.variances._building import build_estimate, check_training_ignored
from thetahat.variances.base import ResampledVariance, VarianceEstimate


@dataclass(frozen=True, slots=True)
class ClusterBootstrap(ResampledVariance):
    """Variance of the pooled mean over resamples of whole clusters.

    :math:`N_{bc}` is how often resample b holds cluster c, in C draws; :math:`m_c` is the number of
    losses of cluster c. With clusters of one size and many resamples the value is (C - 1)/C of
    ``cluster_robust``.

    Deviations: rows of all repeats of an instance belong to its cluster, so repeats do not count as
    new data.

    Degenerate cases: clusters whose means are all alike give 0; a single cluster has no variance.

    Parameters
    ----------
    n_resamples : int or None
        B, in 99 to 1 000 000. Left out: 9 999, fewer for more than 1 000 clusters, so that C x B
        stays at ten million draws, and never below 999.
    """

    n_resamples: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Cluster bootstrap variance",
        summary=(
            "The variance of the pooled mean over resamples of whole clusters (users, documents, "
            "patients)."
        ),
        formula=(
            r"\frac{1}{B-1} \sum_b (\bar e^*_b - \bar e^*)^2,\quad \bar e^*_b = "
            r"\frac{\sum_c N_{bc} \sum_{i \in c} e_i}{\sum_c N_{bc} m_c}"
        ),
        references=("cameron2015", "efron1993"),
        assumptions=(
            "Independent clusters, at least some dozens of them; losses within a cluster may "
            "depend on each other. The target is the error of the trained models."
        ),
        errs=(
            "Too small by a factor (C - 1)/C, and more with very unequal clusters. It leaves out "
            "how much results change with other training data."
        ),
        blocks=ONE_TEST_EACH,
        targets=(Target.THESE_MODELS,),
        mean=MeanKind.POOLED,
        variance=VarianceTraits(knows_clusters=True),
    )
    unit: ClassVar[UnitName] = "cluster"

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        return (
            explain_wrong_block_kind(self.info, layout)
            or explain_missing_rows(self.info, layout)
            or reason_against_units(self.info.name, layout, self.unit)
        )

    def too_slow_by_default(self, layout: Layout) -> str | None:
        """Return why the variance takes too long to be a default here, or None if it does not."""
        reason = explain_many_units(len(layout.cluster_labels), self.unit)
        return None if reason is None else f"{self.info.name}: {reason}"

    def estimate_from_replicates(
        self, losses: BlockLosses, replicates: Replicates
    ) -> VarianceEstimate:
        """Estimate the variance of the pooled mean, given the trained models."""
        value = 0.0 if replicates.is_constant else replicates.variance
        few = (c for c in resampling_cautions(replicates.units) if c.code == FEW_UNITS.code)
        training = check_training_ignored(losses)
        return build_estimate(
            self.info,
            losses,
            value,
            float(replicates.units.n_units - 1),
            cautions=(*few, *training),
            details={
                "n_resamples": replicates.n_resamples,
                "n_clusters": replicates.units.n_units,
            },
        )
