"""Variances of the macro mean from the spread within blocks, with and without clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

import numpy as np

from thetahat.cautions import ONE_SOURCE_DOMINATES, SOURCES_WITHOUT_SPREAD, Caution
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.number_text import format_percent
from thetahat.values.types import FloatArray, UnitName
from thetahat.values.words import Words
from thetahat.variances._building import (
    build_estimate,
    check_several_repeats,
    check_training_ignored,
    count_degrees_within_blocks,
)
from thetahat.variances._clusters import (
    check_few_clusters,
    estimate_within_blocks,
    find_clusters_in_splits,
    refuse_without_clusters_in_blocks,
    weigh_clusters_in_splits,
)
from thetahat.variances._quadratic_forms import average_over_repeats, compute_within_blocks
from thetahat.variances.base import BlockVariance, VarianceEstimate

_MANY_UNITS: Final = 50
"""Instances or clusters of a source from which it may carry the variance without a caution.

With sources of 50 and 500 chi-squared losses the intervals covered in .928, with 20 and 500 in
.901, and with three sources of 20 in .929 (table ``sources_of_unequal_size``).
"""


class WithinBlockVariance(BlockVariance):
    r"""Base class of ``factor`` times :math:`(1/K^2) \sum_k V_k / M_k`, over the K blocks."""

    __slots__ = ()

    factor: ClassVar[int] = 1

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        degrees, cautions = self._judge_blocks(losses)
        return build_estimate(
            self.info,
            losses,
            self.factor * average_over_repeats(losses.moments, compute_within_blocks),
            degrees,
            cautions=(*cautions, *check_training_ignored(losses), *check_several_repeats(losses)),
        )

    def _judge_blocks(self, losses: BlockLosses) -> tuple[float, tuple[Caution, ...]]:
        """Return the degrees of freedom, and cautions about single blocks."""
        return count_degrees_within_blocks(losses), ()


class WithinSourceVariance(WithinBlockVariance):
    """Base class of within-block variances over sources, which may differ in size and spread."""

    __slots__ = ()

    def _judge_blocks(self, losses: BlockLosses) -> tuple[float, tuple[Caution, ...]]:
        sizes = losses.moments.sizes
        parts = [part.within_variances / part.sizes for part in losses.moments.yield_repeats()]
        return _judge_sources(losses.layout, np.concatenate(parts), sizes, sizes - 1, "instance")


class WithinClusteredBlockVariance:
    r"""Base class of ``factor`` times :math:`1/K^2` the sum of cluster-robust block variances."""

    __slots__ = ()

    info: ClassVar[MethodInfo]
    factor: ClassVar[int] = 1

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the method cannot be used on this layout, or None."""
        return refuse_without_clusters_in_blocks(self.info, layout)

    def estimate(self, losses: BlockLosses) -> VarianceEstimate:
        """Estimate the variance of the macro mean."""
        layout = losses.layout
        variances = estimate_within_blocks(losses)
        n_clusters = find_clusters_in_splits(layout).n_clusters
        degrees, cautions = _judge_sources(
            layout,
            variances,
            n_clusters.astype(np.float64),
            weigh_clusters_in_splits(layout).degrees,
            "cluster",
        )
        return build_estimate(
            self.info,
            losses,
            self.factor * _average_over_repeats(variances, layout),
            degrees,
            cautions=(
                *check_few_clusters(layout, degrees, layout.n_blocks),
                *cautions,
                *check_training_ignored(losses),
                *check_several_repeats(losses),
            ),
        )


def _judge_sources(
    layout: Layout, variances: FloatArray, n_units: FloatArray, degrees: FloatArray, unit: UnitName
) -> tuple[float, tuple[Caution, ...]]:
    """Return the degrees of freedom of the repeat with the fewest, and the cautions about it.

    ``variances``, ``n_units`` and ``degrees`` are of the (J,) splits.
    """
    of_repeats = []
    for repeat in range(layout.n_repeats):
        at = np.flatnonzero(layout.split_repeat == repeat)
        labels = [layout.block_labels[block] for block in layout.split_block[at].tolist()]
        cautions = check_sources(variances[at], n_units[at], labels, layout.words, unit)
        of_repeats.append((combine_degrees(variances[at], degrees[at]), cautions))
    return min(of_repeats, key=lambda of_repeat: of_repeat[0])


def _average_over_repeats(split_variances: FloatArray, layout: Layout) -> float:
    sums = np.bincount(layout.split_repeat, weights=split_variances)
    n_blocks = np.bincount(layout.split_repeat)
    return float((sums / n_blocks**2).mean())


def combine_degrees(variances: FloatArray, degrees: FloatArray) -> float:
    r"""Return the Welch-Satterthwaite degrees of freedom of a sum of independent variances.

    .. math:: \nu = \frac{(\sum_k v_k)^2}{\sum_k v_k^2 / \nu_k}

    Source: satterthwaite1946, welch1947.

    Degenerate cases: the sum of the degrees where the sum of the variances is not positive.
    ``variances`` are (K,) what each source adds to the variance, up to a common factor, and
    ``degrees`` the degrees of freedom of its own variance.
    """
    total = float(variances.sum())
    if not total > 0:
        return float(degrees.sum())
    return 1 / float(np.sum((variances / total) ** 2 / degrees))


def check_sources(
    variances: FloatArray,
    n_units: FloatArray,
    labels: Sequence[object],
    words: Words,
    unit: UnitName,
) -> tuple[Caution, ...]:
    """Return cautions about small sources that carry the variance, or that have none.

    Parameters
    ----------
    variances : ndarray of float
        (K,) variance of each source's mean.
    n_units : ndarray of float
        (K,) number of independent units, instances or clusters, in each source.
    labels : sequence
        (K,) name of each source.
    words : Words
        The words of the result.
    unit : str
        What the units are.
    """
    if not variances.sum() > 0:
        return ()
    units = words.get_unit(unit).plural
    return (
        *_check_largest(variances, n_units, labels, words, units),
        *_check_constant(variances, n_units, labels, words, units),
    )


def _check_largest(
    variances: FloatArray,
    n_units: FloatArray,
    labels: Sequence[object],
    words: Words,
    units: str,
) -> Iterator[Caution]:
    largest = int(np.argmax(variances))
    share = float(variances[largest] / variances.sum())
    if share >= ONE_SOURCE_DOMINATES.threshold and n_units[largest] < _MANY_UNITS:
        yield ONE_SOURCE_DOMINATES(
            words,
            label=repr(str(labels[largest])),
            share=format_percent(round(share, 3)),
            n=int(n_units[largest]),
            units=units,
        )


def _check_constant(
    variances: FloatArray,
    n_units: FloatArray,
    labels: Sequence[object],
    words: Words,
    units: str,
) -> Iterator[Caution]:
    """Compare sources without spread with what they would have with that of all sources."""
    constant = np.flatnonzero(variances == 0)
    if len(constant) == 0:
        return
    of_one_unit = float((variances * n_units) @ (n_units - 1) / (n_units - 1).sum())
    missing = of_one_unit * float((1 / n_units[constant]).sum())
    share = missing / (missing + float(variances.sum()))
    if share >= SOURCES_WITHOUT_SPREAD.threshold:
        smallest = int(constant[int(np.argmin(n_units[constant]))])
        yield SOURCES_WITHOUT_SPREAD(
            words,
            n=len(constant),
            of=len(variances),
            label=repr(str(labels[smallest])),
            smallest=int(n_units[smallest]),
            units=units,
            share=format_percent(round(share, 3)),
        )
